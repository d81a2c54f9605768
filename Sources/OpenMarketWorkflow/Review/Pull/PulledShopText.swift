import OpenMarket
package import OpenMarketManifest

/// Renders the result of a pull, and the data that it left out.
package struct PulledShopText {
    private static let most = 20

    package init() {}

    /// A line for each item that was left out of the manifest or dropped from the earlier one.
    package func remarks(_ shop: PulledShop) -> [String] {
        var lines = shop.omissions.prefix(Self.most).map { omission in
            "warning: '\(omission.key.terminalSafe)' (\(omission.id)): \(omission.field.rawValue) is not managed: "
                + omission.reason.terminalSafe
        }
        let omitted = shop.omissions.count - Self.most
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
