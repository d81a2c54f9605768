/// Finds the credentials of URLs in any text, also of those that a mistake keeps from being one.
///
/// In doubt more is hidden: a password may hold `/`, `@` or a blank that was not escaped. A user by itself is one only in
/// an address of the web, where it may be a token.
package enum URLCredentials {
    /// Where they are, in ascending order.
    ///
    /// - Parameter scalars: The text; a URL ends with its line.
    /// - Returns: The places, of which none overlaps another.
    package static func ranges(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        guard scalars.contains("@") else { return [] }
        var ranges: [Range<Int>] = []
        for line in scalars.indices.split(whereSeparator: { scalars[$0].isLineEnd }) {
            var start = line.startIndex
            while let begin = line[start...].first(where: { !scalars[$0].properties.isWhitespace }) {
                let end = line[begin...].first { scalars[$0].properties.isWhitespace } ?? line.endIndex
                start = end
                let word = scalars[begin..<end]
                let urls = urls(in: word)
                for url in urls {
                    let rest = scalars[url.startIndex..<line.endIndex]
                    let isOfWeb = isOfWeb(scalars[begin..<url.startIndex])
                    let found = credentials(of: url, isOfWeb: isOfWeb) ?? credentials(of: url, withBlanksIn: rest)
                    guard let found else { continue }
                    ranges.append(found)
                    start = max(start, found.upperBound)
                    if found.upperBound > url.endIndex { break }
                }
                if urls.isEmpty, let found = credentials(withoutScheme: word) { ranges.append(found) }
            }
        }
        return ranges
    }

    /// The URLs in a text without blanks, each without its scheme.
    private static func urls(in word: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        let marks = word.indices.filter { word[$0...].starts(with: "://".unicodeScalars) }
        return zip(marks, marks.dropFirst() + [word.endIndex]).map { word[$0 + 3..<$1] }
    }

    /// Whether a text ends with a scheme of the web.
    private static func isOfWeb(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let scheme = String(String.UnicodeScalarView(text.suffix(8))).lowercased()
        return scheme.hasSuffix("http://") || scheme.hasSuffix("https://")
    }

    private static func credentials(of url: ArraySlice<Unicode.Scalar>, isOfWeb: Bool) -> Range<Int>? {
        guard let end = url.lastIndex(of: "@"), end > url.startIndex else { return nil }
        let before = url[..<end]
        let authority = before.prefix(while: isOfAuthority)
        let hasUser = authority.count == before.count || authority.contains("@")
        let hasPassword = before.indices.contains { before[$0] == ":" && !isPort(before[($0 + 1)...]) }
        // `https://host/lamp@2x.jpg` has neither.
        return hasPassword || hasUser && isOfWeb ? before.startIndex..<end : nil
    }

    /// `user:password@host`, and `http:/user:password@host`.
    private static func credentials(withoutScheme word: ArraySlice<Unicode.Scalar>) -> Range<Int>? {
        guard let end = word.lastIndex(of: "@") else { return nil }
        let before = word[..<end].drop { "\"'`([{<,=".unicodeScalars.contains($0) }
        let hasPassword = before.dropFirst().dropLast().contains(":")
        return hasPassword && !before.contains { "\"'".unicodeScalars.contains($0) } ? before.startIndex..<end : nil
    }

    /// Those of a URL that ends, as it seems, in the middle of a password.
    private static func credentials(
        of url: ArraySlice<Unicode.Scalar>,
        withBlanksIn line: ArraySlice<Unicode.Scalar>
    ) -> Range<Int>? {
        let authority = url.prefix(while: isOfAuthority)
        guard authority.count == url.count, authority.first != "[", let colon = authority.firstIndex(of: ":"),
            let first = authority[(colon + 1)...].first, first.properties.numericType == nil,
            let end = line.lastIndex(of: "@")
        else { return nil }
        return url.startIndex..<end
    }

    private static func isOfAuthority(_ scalar: Unicode.Scalar) -> Bool { !"/?#\\".unicodeScalars.contains(scalar) }

    /// Whether digits and a path follow a colon.
    private static func isPort(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let rest = text.drop { ("0"..."9").contains($0) }
        return rest.count < text.count && rest.first.map { "/?#".unicodeScalars.contains($0) } ?? false
    }
}

extension String {
    /// The text with ``SecretMask/replacement`` for the credentials of each URL in it.
    package var withoutURLCredentials: String {
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        var scalars = Array(unicodeScalars)
        for range in URLCredentials.ranges(in: scalars).reversed() {
            scalars.replaceSubrange(range, with: SecretMask.replacement.unicodeScalars)
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension Unicode.Scalar {
    fileprivate var isLineEnd: Bool { ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(self) }
}
