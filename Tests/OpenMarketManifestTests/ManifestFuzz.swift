@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest

/// What must hold for the manifest decoder, whatever the bytes.
enum ManifestFuzz {
    /// What is wrong with the decoder; `nil` when nothing is.
    ///
    /// The folder has the pictures that the texts may name.
    static func fault(_ bytes: [UInt8], folder: String) -> String? {
        let options = ManifestOptions(
            environment: ["SECRET": "s3cret"],
            marketOverride: bytes.count % 2 == 0 ? .builtIn(.v2b) : nil
        )
        let loaded = ManifestLoader(options: options).decode(bytes, name: "m.yaml", folder: folder)
        for diagnostic in loaded.diagnostics {
            if diagnostic.message.isEmpty { return "a diagnostic without a message" }
            let places = [diagnostic.location] + diagnostic.notes.map(\.location)
            for position in places.compactMap({ $0?.position }) {
                // No line has less than its end, no column less than a byte.
                let isInside = (1...bytes.count + 1).contains(Int(position.line)) && position.column >= 1
                guard isInside, position.column <= bytes.count + 1 else {
                    return "a place outside of the text: \(position)"
                }
            }
        }
        guard let manifest = loaded.manifest else { return "bytes in memory that cannot be opened" }
        var keys: Set<String> = []
        for listing in manifest.listings where !keys.insert(listing.key).inserted {
            return "the key '\(listing.key)' appears twice"
        }
        return nil
    }
}
