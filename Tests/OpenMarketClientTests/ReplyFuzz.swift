@testable import OpenMarketClient

/// What must hold for the readers of small replies: words of errors, delete keys, `Retry-After`.
enum ReplyFuzz {
    /// What is wrong with the readers; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        if let words = ErrorText.read(bytes) {
            if words.isEmpty { return "empty words" }
            // A page's title is in words of our own.
            if words.count > 220 { return "words of \(words.count) characters" }
        }
        if let key = DeleteKey.read(bytes, base: "http://market"), !DeleteKey.isSafe(key) { return "an unsafe key" }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 1)
        guard let first = lines.first else { return nil }
        if let wait = RetryAfter.wait(String(first), date: lines.count > 1 ? String(lines[1]) : nil) {
            guard (.zero ... .seconds(86_400)).contains(wait) else { return "a wait of \(wait)" }
        }
        return nil
    }
}
