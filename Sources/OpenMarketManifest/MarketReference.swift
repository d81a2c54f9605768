package import OpenMarket
import OpenMarketDescription

/// A market's API: a built-in market, or a description file.
package enum MarketReference: Hashable, Sendable {
    case builtIn(MarketProfile)
    /// The path of a description; in a manifest it is relative to the manifest.
    case file(String)

    /// Reads a name or a path; `nil` if the text is neither.
    ///
    /// A text with a `/` or the ending of a YAML file is a path, so `./v2b` is never a built-in market.
    package init?(_ text: String) {
        // A URL is neither, but would look like a path.
        guard !text.contains("://") else { return nil }
        let lower = text.lowercased()
        if text.utf8.contains(UInt8(ascii: "/")) || lower.hasSuffix(".yaml") || lower.hasSuffix(".yml") {
            self = .file(text)
        } else {
            guard let profile = MarketProfile(name: text) else { return nil }
            self = .builtIn(profile)
        }
    }

    /// The accepted values, as words that follow "must be".
    package static let words = "\(BuiltInMarket.names.listed("or")), or the path of a description"

    /// Advice about a text that is neither.
    static func help(for text: String) -> String {
        Suggestion.nearest(to: text, in: BuiltInMarket.names).map { "did you mean '\($0)'?" }
            ?? "a path holds a '/' or ends in '.yaml': ./shop.market.yaml"
    }
}
