package import OpenMarket
package import OpenMarketDescription
package import OpenMarketFiles
package import OpenMarketManifest

/// What a description of a market comes to: what is wrong with it, or what the market will be able to do.
package struct MarketCheck: Sendable {
    private let read: DescriptionFile

    /// Checks a description that was read.
    package init(_ read: DescriptionFile) { self.read = read }

    /// Checks a market of the program's, or a file; `-` is standard input.
    ///
    /// - Parameter name: `v2b`, or the path of a description.
    /// - Throws: ``FileError``.
    package init(named name: String) throws(FileError) {
        if let market = BuiltInMarket(name: name) {
            self.init(DescriptionFile(market.document, named: "\(market.rawValue).market.yaml"))
        } else {
            self.init(try DescriptionFile(name))
        }
    }

    /// The file as it was named; `<stdin>` for standard input.
    package var file: String { read.path }

    /// Its bytes.
    package var document: [UInt8] { read.document }

    /// What is wrong with it.
    package var diagnostics: [Diagnostic] { read.diagnostics }

    /// The description; `nil` where anything is wrong.
    package var market: MarketDescription? { read.description }

    /// The digest of its bytes, by which states and certificates know it.
    package var digest: ContentDigest { read.digest }
}
