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
    static let limits = YAMLLimits(
        depth: 16,
        aliasExpansion: MarketLanguage.longestDocument,
        scalarLength: MarketLanguage.longestDocument
    )

    /// Reads a whole document.
    ///
    /// With `isChecked`, it also reports contradictory parts.
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
        let description = reader.document(MarketDescription.table, bytes, limits: limits)
        // The rules hold for a description that could be read whole.
        if isChecked, reader.faults.isEmpty, let description {
            let faults = DescriptionChecker.faults(in: description, uses: DescriptionUses(reader.notes))
            for fault in faults { reader.add(reader.placed(fault)) }
        }
        let faults = reader.sortedFaults
        return Loaded(description: faults.isEmpty ? description : nil, digest: digest, faults: faults)
    }
}
