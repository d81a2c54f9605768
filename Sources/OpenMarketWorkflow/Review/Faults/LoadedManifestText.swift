import OpenMarket
package import OpenMarketManifest

extension LoadedManifest {
    /// The last line of a manifest's check, for people: its content, or the number of its faults.
    package func text(_ style: Style) -> String {
        guard !hasErrors, let manifest else {
            return "\n" + style(.boldRed, "✗ not valid: ") + diagnostics.counted + "\n"
        }
        let listings = manifest.listings
        let present = listings.present
        let pictures = Dictionary(
            listings.pictures(ofTombstones: false).joined().map { ($0.digest, $0.byteCount) }
        ) { first, _ in first }
        let bytes = pictures.values.reduce(0, +)
        var facts = [counted(present.count, "product")]
        if !pictures.isEmpty { facts.append("\(counted(pictures.count, "picture")) (\(byteCount(bytes)))") }
        let onSale = present.count { listings.sale(at: $0)?.salePrice != nil }
        if onSale > 0 { facts.append("\(onSale) on sale") }
        let protected = present.count { listings.isProtected(at: $0) }
        if protected > 0 { facts.append("\(protected) protected") }
        let absent = manifest.listings.count - present.count
        if absent > 0 { facts.append(counted(absent, "tombstone")) }
        let warnings =
            diagnostics.isEmpty ? "" : style(.yellow, ", \(diagnostics.counted)")
        let files = manifest.files.count == 1 ? manifest.files[0].terminalSafe : counted(manifest.files.count, "file")
        return style(.boldGreen, "✓ valid") + "  \(files): \(facts.joined(separator: ", "))\(warnings)\n"
    }
}
