import Crypto
package import OpenMarket
import YAML

package enum MarketDescriptionLoader {
    package struct Loaded: Equatable, Sendable {
        /// The description; `nil` if the document has a fault.
        package var description: MarketDescription?
        package var digest: ContentDigest
        /// All faults in the order of the text.
        package var faults: [Problem]
    }

    /// Limits beyond the depth of any description.
    private static let limits = YAMLLimits(
        depth: 16,
        aliasExpansion: MarketLanguage.longestDocument,
        scalarLength: MarketLanguage.longestDocument
    )

    /// Reads a whole document.
    ///
    /// With `isChecked`, it also reports contradictory parts, and scalars that other YAML readers read as another type.
    package static func load(_ bytes: [UInt8], isChecked: Bool = true) -> Loaded {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        let digest = ContentDigest(bytes: hash.finalize())
        guard bytes.count <= MarketLanguage.longestDocument else {
            let size = MarketLanguage.longestDocument >> 10
            let fault = Problem(.text, "a description has at most \(size) KiB, and this one is longer")
            return Loaded(description: nil, digest: digest, faults: [fault])
        }
        var reader = SchemaReader()
        let description = reader.document(MarketDescription.table, bytes, limits: limits, isStrict: isChecked)
        for fault in DescriptionUses.pointerFaults(reader.notes) { reader.add(fault) }
        if isChecked, let description {
            for finding in DescriptionChecker.findings(in: description, uses: DescriptionUses(reader.notes))
            where !finding.relies.contains(where: { reader.isSpoilt($0) }) {
                reader.add(reader.placed(finding.fault))
            }
        }
        let faults = reader.sortedFaults
        return Loaded(description: faults.isEmpty ? description : nil, digest: digest, faults: faults)
    }
}
