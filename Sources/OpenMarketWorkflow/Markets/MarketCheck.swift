package import OpenMarket
package import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest

/// What a description of a market comes to: what is wrong with it, or what the market will be able to do.
package struct MarketCheck: Sendable {
    private let read: DescriptionFile

    /// A name that is neither a built-in market's nor like that of a file.
    package struct Unknown: Error, Hashable, Sendable, CustomStringConvertible {
        /// The name.
        let name: String

        package let description: String

        /// Which built-in market was probably meant, or which there are.
        package var help: String {
            let names = BuiltInMarket.allCases.map(\.rawValue)
            return Suggestion.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
                ?? "the built-in markets are \(names.listed("and"))"
        }
    }

    /// Checks a description that was read.
    init(_ read: DescriptionFile) { self.read = read }

    /// Checks a market of the program's, or a file; `-` is standard input.
    ///
    /// - Parameter name: `v2b`, or the path of a description.
    /// - Throws: ``Unknown`` where there is no file that a name without a folder could mean, and `FileError`.
    package init(named name: String) throws {
        if let market = BuiltInMarket(name: name) {
            self.init(DescriptionFile(market.document, named: "\(market.rawValue).market.yaml"))
            return
        }
        do throws(FileError) {
            self.init(try DescriptionFile(name))
        } catch {
            guard case .missing(nearest: nil) = error.reason, !name.contains("/") else { throw error }
            throw Unknown(name: name, description: error.description)
        }
    }

    /// The market that the description and the values of its parameters make.
    ///
    /// - Throws: `MarketProfileError`.
    package func profile(_ parameters: [String: String]) throws(MarketProfileError) -> MarketProfile {
        try MarketProfile(document: document, parameters: parameters)
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
    var digest: ContentDigest { read.digest }
}
