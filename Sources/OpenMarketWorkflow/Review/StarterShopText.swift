import OpenMarket
package import OpenMarketManifest

extension StarterShop {
    package func lines(_ manifest: StarterManifest, in environment: [String: String]) -> [String] {
        let unset = manifest.unsetVariables(in: environment)
        let named = path == ManifestSelection.standard ? "" : " \(path.terminalSafe)"
        let isVendor = manifest.profile.capabilities.credentials.contains(.identifier)
        let whose = isVendor ? "the vendor's, as the market gave them" : "the password of your items"
        var lines = [
            "Wrote \(path.terminalSafe), with one product and its picture \(picture.terminalSafe).", "Next:",
        ]
        if !unset.isEmpty { lines.append("  export \(unset.map { $0 + "=…" }.joined(separator: " "))   \(whose)") }
        lines.append("  openmarket plan\(named)    shows what would change")
        lines.append("  openmarket apply\(named)   asks, then does it")
        return lines
    }
}
