import HTTPTypes
import Hummingbird

extension Request {
    /// The path without delete keys: v2 has the key in the path, and clients send it with any method to any address.
    ///
    /// After `products`, a segment is logged only if it is a number or the name of a step. Elsewhere a segment as long
    /// as a key is masked, unless it names a picture.
    var loggablePath: String {
        var isBehindProducts = false
        var isPicture = false
        let segments = uri.path.split(separator: "/", omittingEmptySubsequences: false).enumerated().map {
            index,
            segment in
            let word = (String(segment).percentDecoded ?? String(segment)).lowercased()
            if index == 1 { isPicture = PictureRoutes.folders.contains(word) }
            let isNumber = word.utf8.count < 20 && word.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let isShown =
                isBehindProducts
                ? isNumber || Self.loggableSteps.contains(word) : isPicture || word.utf8.count < Self.shortestKey
            // An escaped slash ends a word, too.
            guard isBehindProducts || !word.contains("products") else {
                isBehindProducts = true
                return word == "products" ? segment : "•••"
            }
            return isShown ? segment : "•••"
        }
        return segments.joined(separator: "/")
    }

    private static let loggableSteps: Set = ["secret", "archived"]
    /// The number of digits of a UUID without dashes.
    private static let shortestKey = 32

    /// The query's documented members, unchanged; others may be anything, even a key.
    var loggableQuery: String? {
        let members = (uri.query ?? "").split(separator: "&").filter { member in
            Self.loggableNames.contains(String(member.prefix { $0 != "=" }))
        }
        return members.isEmpty ? nil : String(members.joined(separator: "&").prefix(Self.longestLoggedQuery))
    }

    private static let loggableNames: Set = ["page_no", "items_per_page", "search_value"]
    private static let longestLoggedQuery = 200

    /// A parameter of the query, decoded like a form: `+` is a space.
    func queryValue(_ name: String) -> String? {
        for pair in uri.query?.split(separator: "&") ?? [] {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves[0] == name else { continue }
            let text = String((halves.count > 1 ? halves[1] : "").map { $0 == "+" ? " " : $0 })
            return text.percentDecoded ?? text
        }
        return nil
    }
}

extension String {
    /// The text without percent escapes; `nil` if one is malformed, or if the result is not UTF-8.
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var iterator = utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }),
                let low = iterator.next().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
