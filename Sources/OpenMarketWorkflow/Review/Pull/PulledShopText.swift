import OpenMarket
import OpenMarketManifest

extension PulledShop {
    /// A line for each item that was left out of the manifest.
    package var remarks: [String] {
        // A reason that all products share is stated once.
        let kinds = Dictionary(grouping: omissions.indices) { index in
            [omissions[index].field, omissions[index].reason]
        }.values.sorted { $0[0] < $1[0] }
        var lines = kinds.firstLines { indices in
            let omission = omissions[indices[0]]
            let more = indices.count == 1 ? "" : " and \(counted(indices.count - 1, "product")) more"
            return
                "warning: '\(omission.key.terminalSafe)' (\(omission.id))\(more): \(omission.field) is not managed: "
                + omission.reason.terminalSafe
        } rest: {
            "warning: and \($0) more, each named in \(path.terminalSafe)"
        }
        if elsewhere > 0 {
            lines.append("Left out \(counted(elsewhere, "product")) that the other files list")
        }
        if takenOut > 0 {
            lines.append("Left out \(counted(takenOut, "product")) that the manifest does not list any more")
        }
        return lines + LeftOutProduct.lines(otherKinds)
    }

    package var text: String {
        "Pulled \(counted(products, "product")) and \(counted(pictures, "picture")) into \(path.terminalSafe)\n"
    }
}
