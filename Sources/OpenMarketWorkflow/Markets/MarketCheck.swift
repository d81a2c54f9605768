package import OpenMarket
package import OpenMarketDescription
package import OpenMarketFiles
import OpenMarketManifest

/// What a description of a market comes to: what is wrong with it, or what the market will be able to do.
package struct MarketCheck: Sendable {
    /// The file as it was named; `<stdin>` for standard input.
    package let file: String
    /// Its bytes.
    package let document: [UInt8]
    /// What is wrong with it.
    package let diagnostics: [Diagnostic]
    /// The description; `nil` where anything is wrong.
    package let market: MarketDescription?
    /// The digest of its bytes, by which states and certificates know it.
    package let digest: ContentDigest

    /// Checks a document.
    ///
    /// - Parameters:
    ///   - document: the bytes.
    ///   - file: what messages call it.
    package init(document: [UInt8], file: String) {
        let loaded = MarketDescriptionLoader.load(document)
        self.file = file
        self.document = document
        diagnostics = loaded.diagnostics(of: document, file: file)
        market = loaded.description
        digest = loaded.digest
    }

    /// Reads a file and checks it; `-` is standard input.
    package init(file: String) throws(FileError) {
        self.init(document: try InputFile.bytes(of: file), file: file == "-" ? "<stdin>" : file)
    }

    /// Checks a market of the program's, or a file.
    ///
    /// - Parameter name: `v2b`, or the path of a description.
    /// - Throws: ``FileError``.
    package init(named name: String) throws(FileError) {
        if let market = BuiltInMarket(name: name) {
            self.init(document: market.document, file: "\(market.rawValue).market.yaml")
        } else {
            try self.init(file: name)
        }
    }
}
