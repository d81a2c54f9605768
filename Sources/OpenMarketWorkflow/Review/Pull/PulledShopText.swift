import OpenMarket
package import OpenMarketManifest

extension PulledShop {
    /// How many remarks of a kind are shown.
    private static let most = 20

    /// A line for each item that was left out of the manifest or dropped from the earlier one.
    package var remarks: [String] {
        // A reason that all products share is said once.
        let kinds = Dictionary(grouping: omissions.indices) { index in
            [omissions[index].field.rawValue, omissions[index].reason]
        }.values.sorted { $0[0] < $1[0] }
        var lines = kinds.prefix(Self.most).map { indices in
            let omission = omissions[indices[0]]
            let more = indices.count == 1 ? "" : " and \(counted(indices.count - 1, "product")) more"
            return
                "warning: '\(omission.key.terminalSafe)' (\(omission.id))\(more): \(omission.field.rawValue) is not managed: "
                + omission.reason.terminalSafe
        }
        let omitted = kinds.count - Self.most
        if omitted > 0 { lines.append("warning: and \(omitted) more, each named in \(path.terminalSafe)") }
        lines += secrets.prefix(Self.most).map { secret in
            "warning: '\(secret.key.terminalSafe)' (\(secret.id)): its own secret is not written: \(secret.reason.terminalSafe)"
        }
        let unsaid = secrets.count - Self.most
        if unsaid > 0 { lines.append("warning: and \(unsaid) more secrets, each named in \(path.terminalSafe)") }
        lines += losses.prefix(Self.most).map { "dropped: \($0.what)".terminalSafe }
        if losses.count > Self.most { lines.append("dropped: and \(losses.count - Self.most) more") }
        if elsewhere > 0 {
            lines.append("Left out \(counted(elsewhere, "product")) that the other files list")
        }
        return lines + LeftOutProduct.lines(otherKinds)
    }

    package var text: String {
        "Pulled \(counted(products, "product")) and \(counted(pictures, "picture")) into \(path.terminalSafe)\n"
    }

    /// A line for each item of a manifest that the pull would have dropped.
    package static func text(of losses: [EarlierManifest.Loss], in path: String) -> [String] {
        losses.prefix(most).map { "\(path):\($0.line): would be gone: \($0.what)".terminalSafe }
            + (losses.count > most ? ["and \(losses.count - most) more"] : [])
    }
}
