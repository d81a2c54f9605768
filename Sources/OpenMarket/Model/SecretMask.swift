/// Masks secrets in foreign texts, in any of their encodings.
///
/// A market, or a proxy before it, may quote a request. A secret may appear as in a header or a form, with escapes of
/// JSON (several times for JSON in JSON), percent-encoded, or with HTML entities. The case of ASCII letters does not
/// count.
package struct SecretMask: Sendable {
    package static let replacement = "•••"

    /// The secrets as folded scalars, by their first one.
    private var secrets: [Unicode.Scalar: [[Unicode.Scalar]]] = [:]

    /// Masks secrets of at least three characters.
    ///
    /// Masking a shorter one hides nothing: cutting every "1" out of a text shows what it was.
    package init(_ secrets: some Sequence<Secret>) {
        for secret in secrets { add(secret) }
    }

    /// A copy of the mask with further secrets.
    package func adding(_ further: some Sequence<Secret>) -> SecretMask {
        var mask = self
        for secret in further { mask.add(secret) }
        return mask
    }

    private mutating func add(_ secret: Secret) {
        let scalars = secret.revealed.unicodeScalars.map(Self.folded)
        // Readers of a field often drop the blanks around it.
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let trimmed = Array(scalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
        for spelling in Set([scalars, trimmed]) where spelling.count > 2 {
            guard let first = spelling.first, secrets[first]?.contains(spelling) != true else { continue }
            secrets[first, default: []].append(spelling)
        }
    }

    /// The text with ``replacement`` for every secret in it.
    ///
    /// With `isCut` the text is truncated, so that its end may be a part of a secret.
    package func masked(_ text: String, isCut: Bool = false) -> String {
        guard !secrets.isEmpty else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if let end = end(ofSecretAt: index, in: scalars, isCut: isCut) {
                result.append(contentsOf: Self.replacement.unicodeScalars)
                index = end
            } else {
                result.append(scalars[index])
                index += 1
            }
        }
        return String(result)
    }

    /// The end of the longest secret that begins at an index; `nil` if none begins.
    private func end(ofSecretAt start: Int, in scalars: [Unicode.Scalar], isCut: Bool) -> Int? {
        var longest: Int?
        for reading in SpelledScalars.readings(at: start, in: scalars) {
            for secret in secrets[Self.folded(reading.scalar)] ?? [] {
                var ends: Set<Int> = [reading.end]
                var reachesEnd = reading.end == scalars.count
                for scalar in secret.dropFirst() {
                    var next: Set<Int> = []
                    if isCut, ends.contains(where: { SpelledScalars.isCut(at: $0, in: scalars) }) { reachesEnd = true }
                    for end in ends where end < scalars.count {
                        for reading in SpelledScalars.readings(at: end, in: scalars)
                        where Self.folded(reading.scalar) == scalar {
                            next.insert(reading.end)
                        }
                    }
                    ends = next
                    if ends.isEmpty { break }
                    if ends.contains(scalars.count) { reachesEnd = true }
                }
                if isCut, reachesEnd { return scalars.count }
                if let end = ends.max() { longest = max(longest ?? end, end) }
            }
        }
        return longest
    }

    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar
    }
}

/// The possible readings of the characters of a text.
private enum SpelledScalars {
    /// An encoding of one character as several.
    private enum Escape {
        /// `\"`, `\/`, `\n`, `\u0022`, `\x22`, `\u{22}`.
        case backslash
        /// `%22`, `+` for a blank.
        case percent
        /// `&quot;`, `&#34;`, `&#x22;`.
        case entity
    }

    /// The nestings of encodings: JSON in JSON, JSON in a web page or a query.
    private static let layers: [[Escape]] = [
        [.backslash], [.backslash, .backslash], [.backslash, .backslash, .backslash],
        [.percent], [.percent, .percent], [.percent, .backslash], [.backslash, .percent],
        [.entity], [.entity, .backslash], [.backslash, .entity], [.entity, .percent], [.entity, .entity],
    ]

    /// Whether a text ends inside an escape that begins at an index.
    static func isCut(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard index < scalars.count, scalars.count - index < 12 else { return false }
        return scalars[index] == "\\" || scalars[index] == "%" || scalars[index] == "&"
    }

    /// Every possible character at an index, with the end of its spelling.
    static func readings(at index: Int, in scalars: [Unicode.Scalar]) -> [(scalar: Unicode.Scalar, end: Int)] {
        let first = scalars[index]
        var result = [(scalar: first, end: index + 1)]
        guard first == "\\" || first == "%" || first == "&" || first == "+" else { return result }
        for layer in layers {
            guard let reading = read(index, scalars, layer[...]), reading.end > index + 1 || reading.scalar != first
            else { continue }
            if !result.contains(where: { $0 == reading }) { result.append(reading) }
        }
        return result
    }

    /// The character at an index under layers of escapes, innermost first; an unescaped character is itself.
    private static func read(
        _ index: Int,
        _ scalars: [Unicode.Scalar],
        _ layers: ArraySlice<Escape>
    ) -> (scalar: Unicode.Scalar, end: Int)? {
        guard let layer = layers.last else {
            return scalars.indices.contains(index) ? (scalars[index], index + 1) : nil
        }
        let rest = layers.dropLast()
        guard let first = read(index, scalars, rest) else { return nil }
        var cursor = Cursor(index: first.end, next: { read($0, scalars, rest) })
        let meant: Unicode.Scalar? =
            switch (layer, first.scalar) {
            case (.backslash, "\\"): cursor.backslashEscape()
            case (.percent, "%"): cursor.percentEscape()
            case (.percent, "+"): " "
            case (.entity, "&"): cursor.entity()
            default: nil
            }
        return meant.map { ($0, cursor.index) } ?? first
    }

    /// Reads on after the character that begins an escape.
    private struct Cursor {
        var index: Int
        let next: (Int) -> (scalar: Unicode.Scalar, end: Int)?

        private mutating func take() -> Unicode.Scalar? {
            guard let (scalar, end) = next(index) else { return nil }
            index = end
            return scalar
        }

        private mutating func take(_ expected: Unicode.Scalar) -> Bool {
            guard let (scalar, end) = next(index), scalar == expected else { return false }
            index = end
            return true
        }

        private mutating func hexadecimal(_ digits: Int) -> UInt32? {
            var value: UInt32 = 0
            for _ in 0..<digits {
                guard let digit = take().flatMap({ Character($0).hexDigitValue }) else { return nil }
                value = value << 4 | UInt32(digit)
            }
            return value
        }

        mutating func backslashEscape() -> Unicode.Scalar? {
            switch take() {
            case "b": "\u{8}"
            case "f": "\u{C}"
            case "n": "\n"
            case "r": "\r"
            case "t": "\t"
            case "0": "\0"
            case "x": hexadecimal(2).flatMap(Unicode.Scalar.init)
            case "U": hexadecimal(8).flatMap(Unicode.Scalar.init)
            case "u": take("{") ? number(radix: 16, until: "}") : sixteenBits()
            case let scalar? where "\"\\/'".unicodeScalars.contains(scalar): scalar
            default: nil
            }
        }

        /// `\u0041`, or two of them for a character beyond U+FFFF.
        private mutating func sixteenBits() -> Unicode.Scalar? {
            guard let unit = hexadecimal(4) else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
            guard take("\\"), take("u"), let low = hexadecimal(4), (0xDC00..<0xE000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        }

        mutating func percentEscape() -> Unicode.Scalar? {
            guard let lead = hexadecimal(2) else { return nil }
            let count = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
            var bytes = [UInt8(lead)]
            for _ in 1..<count {
                guard take("%"), let byte = hexadecimal(2) else { return nil }
                bytes.append(UInt8(byte))
            }
            return String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
        }

        mutating func entity() -> Unicode.Scalar? {
            if take("#") {
                return take("x") || take("X") ? number(radix: 16, until: ";") : number(radix: 10, until: ";")
            }
            var name = ""
            while name.utf8.count < 5, let scalar = take() {
                guard scalar != ";" else {
                    return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " "][name]
                }
                name.unicodeScalars.append(scalar)
            }
            return nil
        }

        private mutating func number(radix: UInt32, until end: Unicode.Scalar) -> Unicode.Scalar? {
            var value: UInt32 = 0
            for _ in 0..<8 {
                guard let scalar = take() else { return nil }
                if scalar == end { return Unicode.Scalar(value) }
                guard let digit = Character(scalar).hexDigitValue, digit < radix else { return nil }
                value = value * radix + UInt32(digit)
            }
            return nil
        }
    }
}
