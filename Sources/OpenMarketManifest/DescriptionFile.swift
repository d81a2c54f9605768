package import OpenMarket
package import OpenMarketDescription
package import OpenMarketFiles

/// A market description in a file, with its faults and their positions.
package struct DescriptionFile: Sendable {
    /// A folder of manifests can contain a description, because these endings distinguish it.
    static let endings = [".market.yaml", ".market.yml"]

    /// The path as messages name it.
    package let path: String
    /// The description; `nil` if it has any fault.
    package let description: MarketDescription?
    package let diagnostics: [Diagnostic]
    package let document: [UInt8]
    /// The digest that states and certificates identify the market by.
    package let digest: ContentDigest

    /// Reads a file; `-` is standard input.
    ///
    /// Throws `FileError` if the file cannot be read. Faults of the description are in ``diagnostics``.
    package init(_ path: String) throws(FileError) {
        self.init(try InputFile.bytes(of: path, as: .marketDescription), named: path == "-" ? "<stdin>" : path)
    }

    /// Reads a document in memory; `path` is its name in messages.
    package init(_ bytes: [UInt8], named path: String) {
        let loaded = MarketDescriptionLoader.load(bytes)
        self.path = path
        document = bytes
        digest = loaded.digest
        description = loaded.description
        diagnostics = loaded.faults.diagnostics(of: bytes, file: path)
    }
}
