/// Finds the credentials of URLs in any text, even in malformed URLs.
///
/// If unsure, it hides more: a password may contain an unescaped `/`, `@` or blank. A user without a password counts
/// only in a web address, because it may be a token.
package enum URLCredentials {
    /// Ascending ranges without overlaps; a URL ends at the end of its line.
    package static func ranges(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        let named = passwords(in: scalars)
        guard scalars.contains("@") else { return named }
        let ranges = authorities(in: scalars)
        let rest = named.compactMap { range in
            let start = ranges.reduce(range.lowerBound) { $1.overlaps(range) ? max($0, $1.upperBound) : $0 }
            return start < range.upperBound ? start..<range.upperBound : nil
        }
        return (ranges + rest).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The values of `password=`, a parameter of database URLs, whose name may have percent escapes.
    private static func passwords(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
        scalars.indices.compactMap { sign in
            guard scalars[sign] == "=" else { return nil }
            let name = String(String.UnicodeScalarView(scalars[..<sign].suffix(24))).percentDecoded
            guard name.lowercased().hasSuffix("password") else { return nil }
            let start = sign + 1
            let isQuoted = start < scalars.count && scalars[start] == "'"
            let end = scalars[start...].dropFirst(isQuoted ? 1 : 0).firstIndex { scalar in
                scalar == "'" || !isQuoted && (scalar.properties.isWhitespace || "&\"`".unicodeScalars.contains(scalar))
            }
            let range = start..<(end ?? scalars.count)
            return range.isEmpty ? nil : range
        }
    }

    private static func authorities(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
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

    private static func urls(in word: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        let marks = word.indices.filter { word[$0...].starts(with: "://".unicodeScalars) }
        return zip(marks, marks.dropFirst() + [word.endIndex]).map { word[$0 + 3..<$1] }
    }

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

    private static func credentials(withoutScheme word: ArraySlice<Unicode.Scalar>) -> Range<Int>? {
        guard let end = word.lastIndex(of: "@") else { return nil }
        let before = word[..<end].drop { "\"'`([{<,=".unicodeScalars.contains($0) }
        let hasPassword = before.dropFirst().dropLast().contains(":")
        return hasPassword && !before.contains { "\"'".unicodeScalars.contains($0) } ? before.startIndex..<end : nil
    }

    /// The credentials of a URL that seems to end inside a password.
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

    private static func isPort(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let rest = text.drop { ("0"..."9").contains($0) }
        return rest.count < text.count && rest.first.map { "/?#".unicodeScalars.contains($0) } ?? false
    }
}

extension String {
    package var withoutURLCredentials: String {
        guard utf8.contains(UInt8(ascii: "@")) || utf8.contains(UInt8(ascii: "=")) else { return self }
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
