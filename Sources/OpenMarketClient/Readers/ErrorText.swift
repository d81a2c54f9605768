import OpenMarket

/// The market's own message in an unsuccessful reply.
enum ErrorText {
    /// The number of bytes of a body that are searched for the message.
    static let limit = 16 << 10

    /// The message, at most 200 characters; `nil` if there is none.
    ///
    /// v1a sends `{"error":true,"reason":"…"}`, v1b `{"message":"…"}`, v2 perhaps `{"code":…,"message":"…"}` or plain
    /// text (docs/reference/open-market-versions.md, "Errors"). `own` is the message at the positions that a market's
    /// description names.
    ///
    /// `mask` removes secrets before any truncation or trimming, because half a secret could no longer be found.
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
