import OpenMarket

/// The market's own words in a reply that is not a success.
enum ErrorText {
    /// How much of a body is read for its words, in bytes.
    static let limit = 16 << 10

    /// At most 200 characters of them; `nil` where there are none.
    ///
    /// v1a says `{"error":true,"reason":"…"}`, v1b `{"message":"…"}`, v2 perhaps `{"code":…,"message":"…"}` or plain
    /// text (docs/profiles.md, "Errors").
    ///
    /// - Parameters:
    ///   - bytes: the reply's body, or as much of it as ``limit`` says.
    ///   - own: the words at the places that a market's description names.
    ///   - mask: takes secrets out, before anything is cut or trimmed: half a secret could not be found any more.
    /// - Returns: the words.
    static func read(
        _ bytes: [UInt8],
        saying own: String? = nil,
        masking mask: SecretMask = SecretMask([])
    ) -> String? {
        let text: String
        if let own {
            text = own
        } else if let json = try? JSONValue.parse(bytes) {
            let words = ["reason", "message", "error", "detail"].compactMap { json[$0]?.text }
            text = words.first ?? json.text ?? String(decoding: bytes, as: UTF8.self)
        } else {
            text = String(decoding: bytes, as: UTF8.self)
        }
        let masked = mask.masked(text, isCut: bytes.count >= limit)
        let shown = isHTML(masked) ? title(of: masked) : masked.trimmed
        guard !shown.isEmpty else { return nil }
        return shown.count > 200 ? shown.prefix(199) + "…" : shown
    }

    /// Whether a body is a web page.
    static func isHTML(_ text: String) -> Bool {
        let start = text.prefix(200).trimmed.lowercased()
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || start.hasPrefix("<head")
    }

    private static func title(of html: String) -> String {
        guard let open = html.firstRange(of: "<title>"), let close = html.firstRange(of: "</title>"),
            open.upperBound <= close.lowerBound
        else { return "a web page" }
        return "a web page, “\(html[open.upperBound..<close.lowerBound].trimmed)”"
    }
}
