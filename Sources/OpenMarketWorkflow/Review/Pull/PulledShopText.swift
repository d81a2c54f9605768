import OpenMarket
package import OpenMarketManifest

/// Renders the result of a pull, and the data that it left out.
package struct PulledShopText {
    private static let most = 20

    package init() {}

    /// A line for each item that was left out of the manifest or dropped from the earlier one.
    package func remarks(_ shop: PulledShop) -> [String] {
        // A reason that all products share is said once.
        let kinds = Dictionary(grouping: shop.omissions.indices) { index in
            [shop.omissions[index].field.rawValue, shop.omissions[index].reason]
        }.values.sorted { $0[0] < $1[0] }
        var lines = kinds.prefix(Self.most).map { indices in
            let omission = shop.omissions[indices[0]]
            let more = indices.count == 1 ? "" : " and \(counted(indices.count - 1, "product")) more"
            return
                "warning: '\(omission.key.terminalSafe)' (\(omission.id))\(more): \(omission.field.rawValue) is not managed: "
                + omission.reason.terminalSafe
        }
        let omitted = kinds.count - Self.most
        if omitted > 0 { lines.append("warning: and \(omitted) more, each named in \(shop.path.terminalSafe)") }
        lines += shop.secrets.prefix(Self.most).map { secret in
            "warning: '\(secret.key.terminalSafe)' (\(secret.id)): its own secret is not written: \(secret.reason.terminalSafe)"
        }
        let unsaid = shop.secrets.count - Self.most
        if unsaid > 0 { lines.append("warning: and \(unsaid) more secrets, each named in \(shop.path.terminalSafe)") }
        lines += shop.losses.prefix(Self.most).map { "dropped: \($0.what)".terminalSafe }
        if shop.losses.count > Self.most { lines.append("dropped: and \(shop.losses.count - Self.most) more") }
        if shop.elsewhere > 0 {
            lines.append("Left out \(counted(shop.elsewhere, "product")) that the other files list")
        }
        return lines + LeftOutProduct.lines(shop.otherKinds)
    }

    package func result(_ shop: PulledShop) -> String {
        let (products, pictures) = (counted(shop.products, "product"), counted(shop.pictures, "picture"))
        return "Pulled \(products) and \(pictures) into \(shop.path.terminalSafe)\n"
    }

    /// A line for each item of a manifest that the pull would have dropped.
    package func losses(_ losses: [EarlierManifest.Loss], in path: String) -> [String] {
        losses.prefix(Self.most).map { "\(path):\($0.line): would be gone: \($0.what)".terminalSafe }
            + (losses.count > Self.most ? ["and \(losses.count - Self.most) more"] : [])
    }
}
