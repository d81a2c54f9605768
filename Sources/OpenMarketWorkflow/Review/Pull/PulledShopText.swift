import OpenMarket
package import OpenMarketManifest

/// What a pull made and what it left out, for people.
package struct PulledShopText {
    /// Most things of one kind that are named one by one.
    private static let most = 20

    /// A renderer.
    package init() {}

    /// What was left out of the manifest and what was dropped of the one before, a line each.
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
        return lines
    }

    /// What was made.
    package func result(_ shop: PulledShop) -> String {
        let (products, pictures) = (counted(shop.products, "product"), counted(shop.pictures, "picture"))
        return "Pulled \(products) and \(pictures) into \(shop.path.terminalSafe)\n"
    }

    /// What a pull would have dropped of a manifest, a line each.
    package func losses(_ losses: [EarlierManifest.Loss], in path: String) -> [String] {
        losses.prefix(Self.most).map { "\(path):\($0.line): would be gone: \($0.what)".terminalSafe }
            + (losses.count > Self.most ? ["and \(losses.count - Self.most) more"] : [])
    }
}
