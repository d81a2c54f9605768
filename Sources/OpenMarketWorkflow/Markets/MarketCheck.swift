package import OpenMarket
package import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest

/// The result of checking a market's description: its faults, or the market's capabilities.
package struct MarketCheck: Sendable {
    private let read: DescriptionFile

    init(_ read: DescriptionFile) { self.read = read }

    /// Checks a built-in market such as `v2b`, or the description at a path; `-` is standard input.
    ///
    /// Throws ``CommandFailure`` for a name without a folder if no such file exists.
    package init(named name: String) throws {
        if let market = BuiltInMarket(name: name) {
            self.init(DescriptionFile(market.document, named: "\(market.rawValue).market.yaml"))
            return
        }
        do throws(FileError) {
            self.init(try DescriptionFile(name))
        } catch {
            guard case .missing(nearest: nil) = error.reason, !name.contains("/") else { throw error }
            let names = BuiltInMarket.allCases.map(\.rawValue)
            let help =
                Suggestion.nearest(to: name, in: names).map { "did you mean '\($0)'?" }
                ?? "the built-in markets are \(names.listed("and"))"
            throw CommandFailure(.invalidInput, error.description, help: help)
        }
    }

    package func profile(_ parameters: [String: String]) throws(MarketProfileError) -> MarketProfile {
        try MarketProfile(document: document, parameters: parameters)
    }

    /// The file as stated; `<stdin>` for standard input.
    package var file: String { read.path }

    package var document: [UInt8] { read.document }

    /// Faults of the description, including those that only prevent writing.
    package var diagnostics: [Diagnostic] {
        guard market?.leavesPutOpen == true else { return read.diagnostics }
        var fault = Problem(rule: Self.openPut, at: "operations.update", in: document)
        fault.help = Self.openPutHelp
        return [fault].diagnostics(of: document, file: file)
    }

    static let openPut = "'operations.update' is a PUT, and 'send' does not set whether it replaces the product"

    package static let openPutHelp =
        "write 'send: whole' or 'send: merged' if it does, and 'send: changed' if not: `openmarket market "
        + "probe --write` tries it"

    /// The description; `nil` if a fault prevents reading with it.
    package var market: MarketDescription? { read.description }

    /// The digest of the description's bytes, which identifies it in states and certificates.
    var digest: ContentDigest { read.digest }
}
