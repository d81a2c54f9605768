import Synchronization

/// Finds secrets in texts, in every form that a market, a proxy or a document may use.
///
/// The forms are the secret itself, a UUID with or without dashes, and Base64 of it, alone or inside `user:secret`.
/// Each character may be escaped as in JSON, a URL or HTML, also repeatedly. The case of ASCII letters does not count.
package struct SecretMask: Sendable {
    package static let replacement = "•••"
    /// The fewest bytes of a secret that is found inside longer texts; shorter secrets occur there by chance.
    package static let leastContained = 8

    private struct Form {
        var scalars: [Unicode.Scalar]
        var isUUID = false
        /// Whether letters around the form are of the same Base64, and so perhaps of the same secret.
        var isBase64 = false
    }

    /// The positions of a possible truncated secret.
    private enum Cut {
        case nowhere
        /// Before an ellipsis, for at least six characters: fewer occur by chance.
        case ellipsis
        /// Before an ellipsis, and at the end of the text.
        case anywhere
    }

    /// The forms to find anywhere.
    private var forms: [Form] = []
    /// The same forms, by the first three bytes of each of their spellings.
    private var beginnings: [UInt32: [Form]] = [:]
    /// Flags for the hashes of such three bytes, which quickly exclude most positions of most texts.
    private var filter: [Bool] = []
    /// The forms that count only as a whole text.
    private var wholes: [[UInt8]: Form] = [:]
    private let least: Int

    /// Secrets of fewer than `least` bytes are found only as a whole text.
    package init(_ secrets: some Sequence<Secret>, from least: Int = leastContained) {
        self.least = least
        for secret in secrets { add(secret.revealed) }
    }

    package var isEmpty: Bool { forms.isEmpty && wholes.isEmpty }

    package func adding(_ texts: [String]) -> SecretMask {
        var mask = self
        for text in texts { mask.add(text) }
        return mask
    }

    package mutating func add(_ secret: String) {
        // Readers of a field often drop surrounding blanks, and keys are compared in composed form.
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let scalars = secret.unicodeScalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let trimmed = String(String.UnicodeScalarView(scalars))
        for text in Set([secret, trimmed, secret.composed].map { Array($0.utf8) }) where !text.isEmpty {
            let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.folded)
            guard text.count >= least, scalars.count > 2 else {
                wholes[text.map(\.folded)] = Form(scalars: scalars)
                continue
            }
            let uuid = Self.uuid(scalars)
            add(Form(scalars: uuid ?? scalars, isUUID: uuid != nil))
            guard text.count >= Self.leastContained else { continue }
            for encoded in Set((0..<3).map { Self.base64(text, after: $0) }) {
                for form in Set([encoded, encoded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }]) {
                    add(Form(scalars: form, isBase64: true))
                }
            }
        }
    }

    private mutating func add(_ form: Form) {
        guard !forms.contains(where: { $0.scalars == form.scalars }) else { return }
        forms.append(form)
        if filter.isEmpty { filter = Array(repeating: false, count: 1 << 16) }
        for bytes in Self.beginnings(of: form.scalars[...], Self.beginning) {
            let window = bytes.reduce(0) { $0 >> 8 | Self.lasts[Int($1)] }
            beginnings[window, default: []].append(form)
            filter[Self.hash(window)] = true
        }
    }

    /// The bytes that select candidates.
    private static let beginning = 3

    /// The first `count` bytes of all spellings of characters.
    private static func beginnings(of scalars: ArraySlice<Unicode.Scalar>, _ count: Int) -> Set<[UInt8]> {
        guard count > 0, let first = scalars.first else { return [[]] }
        return Escapes.beginnings(of: first).reduce(into: []) { result, bytes in
            let start = Array(bytes.prefix(count))
            for rest in beginnings(of: scalars.dropFirst(), count - start.count) { result.insert(start + rest) }
        }
    }

    /// Each byte in lower case, as the last of three; a plus is a blank.
    private static let lasts: [UInt32] = (0...255).map { (byte: UInt8) in
        UInt32(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte.folded) << 16
    }

    private static func hash(_ window: UInt32) -> Int { Int((window &* 0x9E37_79B1) >> 16) }

    /// The UUID with its dashes; `nil` for another text.
    private static func uuid(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let digits = scalars.filter { $0 != "-" }
        guard digits.count == 32, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0] }
        let uuid = Array(groups.joined(separator: ["-"]))
        return scalars == uuid || scalars == digits ? uuid : nil
    }

    /// The letters of Base64 that depend only on the secret, if `count` other bytes precede it.
    private static func base64(_ secret: [UInt8], after count: Int) -> [Unicode.Scalar] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)
        let bytes = Array(repeating: 0, count: count) + secret.map(Int.init)
        let places = (count * 8 + 5) / 6..<bytes.count * 8 / 6
        return places.map { place in
            let (byte, bit) = (place * 6).quotientAndRemainder(dividingBy: 8)
            let pair = bytes[byte] << 8 | (byte + 1 < bytes.count ? bytes[byte + 1] : 0)
            return letters[pair >> (10 - bit) & 63].folded
        }
    }

    // MARK: - In texts

    /// The text with ``replacement`` for every secret in it.
    ///
    /// With `isCut` the text is truncated, so its end may be part of a secret. So may be a text before an ellipsis.
    package func masked(_ text: some StringProtocol, isCut: Bool = false) -> String {
        let text = String(text)
        guard !isEmpty else { return text }
        return text.withUTF8Span { bytes in
            if isWhole(bytes) { return Self.replacement }
            return masked(bytes, cut: isCut ? .anywhere : .ellipsis, isJSON: false).map {
                String(decoding: $0, as: UTF8.self)
            } ?? text
        }
    }

    /// Masks secrets in the strings of JSON or JSON Lines.
    package func masked(json bytes: [UInt8]) -> [UInt8] {
        isEmpty ? bytes : masked(bytes.span, cut: .ellipsis, isJSON: true) ?? bytes
    }

    /// Whether a text is or contains a secret, or is the digest that replaces such a text.
    package func isHeld(by text: String) -> Bool { text.withUTF8Span { isHeld(by: $0) } }

    /// Whether a text is or contains a secret, or is the digest that replaces such a text.
    package func isHeld(by text: Span<UInt8>) -> Bool {
        ConcealedText.isOne(text) || !isEmpty && (isWhole(text) || first(in: text, from: 0, cut: .nowhere) != nil)
    }

    /// Whether a text is a secret, ignoring surrounding blanks.
    package func isOne(_ text: String) -> Bool {
        text.withUTF8Span { isWhole($0) || first(in: $0, from: 0, cut: .nowhere) == Self.core(of: $0) }
    }

    private func masked(_ text: Span<UInt8>, cut: Cut, isJSON: Bool) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        func replace(_ range: Range<Int>) {
            for index in copied..<range.lowerBound { result.append(text[index]) }
            result += Self.replacement.utf8
            copied = range.upperBound
        }
        var index = 0
        if isJSON, !wholes.isEmpty {
            while index < text.count {
                if let end = endOfWhole(inQuotesAt: index, of: text) { replace(index + 1..<end) }
                index = max(index + 1, copied)
            }
            guard copied == 0 else {
                for index in copied..<text.count { result.append(text[index]) }
                return masked(result.span, cut: cut, isJSON: false) ?? result
            }
        }
        while let found = first(in: text, from: copied, cut: cut) { replace(found) }
        guard copied > 0 else { return nil }
        for index in copied..<text.count { result.append(text[index]) }
        return result
    }

    /// The end of a short secret that is a whole JSON string, and no member name.
    private func endOfWhole(inQuotesAt index: Int, of text: Span<UInt8>) -> Int? {
        let quote = UInt8(ascii: "\"")
        guard text[index] == quote else { return nil }
        var end = index + 1
        while end < text.count, text[end] != quote, end - index < Self.longestWhole {
            end += text[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < text.count, text[end] == quote, isWhole(text.extracting(index + 1..<end)) else { return nil }
        let next = (end + 1..<text.count).first { text[$0] != UInt8(ascii: " ") }
        return next.map { text[$0] } == UInt8(ascii: ":") ? nil : end
    }

    /// More bytes than a short secret has in any form.
    private static let longestWhole = 100

    private func isWhole(_ text: Span<UInt8>) -> Bool {
        guard !wholes.isEmpty else { return false }
        let core = Self.core(of: text)
        guard (2..<Self.longestWhole).contains(core.count) else { return false }
        let bytes = core.map { text[$0].folded }
        if wholes[bytes] != nil { return true }
        guard bytes.contains(where: { $0.beginsEscape || $0 == UInt8(ascii: "+") }) else { return false }
        return wholes.values.contains { form in
            end(of: form, at: core.lowerBound, in: text, cut: .nowhere) == core.upperBound
        }
    }

    /// The range of a text without surrounding blanks.
    private static func core(of text: Span<UInt8>) -> Range<Int> {
        var core = text.indices
        while let first = core.first, text[first] <= 0x20 { core = core.dropFirst() }
        while let last = core.last, text[last] <= 0x20 { core = core.dropLast() }
        return core
    }

    /// The first secret at or after an offset; the longest of those that begin there.
    private func first(in text: Span<UInt8>, from start: Int, cut: Cut) -> Range<Int>? {
        guard !filter.isEmpty else { return nil }
        let (filter, lasts) = (filter.span, Self.lasts.span)
        let end = cut == .anywhere ? max(start, text.count - Self.longestEnd) : text.count
        var window: UInt32 = 0
        for next in start..<min(text.count, end + Self.beginning - 1) {
            // Hot: nearly all bytes of nearly all texts end here.
            window = window >> 8 | lasts[Int(text[next])]
            let index = next - Self.beginning + 1
            guard filter[Self.hash(window)], index >= start, let forms = beginnings[window] else { continue }
            if let found = longest(of: forms, at: index, in: text, from: start, cut: cut) { return found }
        }
        for index in end..<text.count {
            if let found = longest(of: forms, at: index, in: text, from: start, cut: cut) { return found }
        }
        return nil
    }

    /// More bytes than the first character of a truncated secret, and an escape that is truncated after it.
    private static let longestEnd = 16

    /// The longest of these forms that begins at an offset.
    private func longest(
        of forms: [Form],
        at index: Int,
        in text: Span<UInt8>,
        from start: Int,
        cut: Cut
    ) -> Range<Int>? {
        var longest: Range<Int>?
        for form in forms {
            guard let end = end(of: form, at: index, in: text, cut: cut), end > longest?.upperBound ?? index
            else { continue }
            longest = form.isBase64 ? Self.word(around: index..<end, in: text, from: start) : index..<end
        }
        return longest
    }

    /// A part of Base64 with all letters around it, except those before `start`.
    private static func word(around part: Range<Int>, in text: Span<UInt8>, from start: Int) -> Range<Int> {
        var (first, end) = (part.lowerBound, part.upperBound)
        while first > start, text[first - 1].isOfBase64 { first -= 1 }
        while end < text.count, text[end].isOfBase64 { end += 1 }
        return first..<end
    }

    /// The end of a form that begins at an offset; `nil` if none does.
    private func end(of form: Form, at start: Int, in text: Span<UInt8>, cut: Cut) -> Int? {
        // Hot: most candidates differ after a few plain characters.
        var plain = 0
        while plain < form.scalars.count, start + plain < text.count, case let byte = text[start + plain], byte < 0x80,
            !byte.beginsEscape, !form.isUUID || form.scalars[plain] != "-"
        {
            guard form.scalars[plain].isPlain(byte) else { return nil }
            plain += 1
        }
        var ends: Set<Int> = [start + plain]
        for (count, scalar) in form.scalars.enumerated().dropFirst(plain) {
            var next: Set<Int> = []
            for end in ends {
                if count > 0, cut == .anywhere, Self.isCut(at: end, in: text) { return text.count }
                if count > 5, cut != .nowhere, Self.ellipsis.isBeginning(of: text, at: end) { return end }
                if form.isUUID, scalar == "-" { next.insert(end) }
                next.formUnion(self.ends(of: scalar, at: end, in: text))
            }
            ends = next
            if ends.isEmpty { return nil }
        }
        return ends.max()
    }

    private static let ellipsis = Array("…".utf8)

    /// Whether a text ends at an offset, or inside an escape there.
    private static func isCut(at end: Int, in text: Span<UInt8>) -> Bool {
        end == text.count || text.count - end < 12 && text[end].beginsEscape
    }

    /// The ends of all spellings of a character at an offset of the text.
    private func ends(of scalar: Unicode.Scalar, at start: Int, in text: Span<UInt8>) -> [Int] {
        guard start < text.count else { return [] }
        let byte = text[start].folded
        if !byte.beginsEscape, scalar.isASCII { return scalar.isPlain(byte) ? [start + 1] : [] }
        var ends: [Int] = []
        let plain = Array(String(scalar).utf8)
        if plain.isBeginning(of: text, at: start) { ends.append(start + plain.count) }
        // Before a blank, the sign begins no escape.
        guard byte.beginsEscape, start + 1 < text.count, text[start + 1] > 0x20 else { return ends }
        for escape in Escapes.of(scalar, beginningWith: byte) where escape.isBeginning(of: text, at: start) {
            ends.append(start + escape.count)
        }
        return ends
    }
}

/// The escapes of a character in lower case, by their first byte.
private enum Escapes {
    private static let known = Mutex<[Unicode.Scalar: [UInt8: [[UInt8]]]]>([:])
    private static let knownBeginnings = Mutex<[Unicode.Scalar: Set<[UInt8]>]>([:])

    static func of(_ scalar: Unicode.Scalar, beginningWith byte: UInt8) -> [[UInt8]] {
        known.withLock { known in
            if let escapes = known[scalar] { return escapes[byte] ?? [] }
            let escapes = Dictionary(grouping: all(of: scalar).subtracting([Array(String(scalar).utf8)])) { $0[0] }
            known[scalar] = escapes
            return escapes[byte] ?? []
        }
    }

    /// The first bytes of the character and its escapes.
    static func beginnings(of scalar: Unicode.Scalar) -> Set<[UInt8]> {
        knownBeginnings.withLock { known in
            if let beginnings = known[scalar] { return beginnings }
            let beginnings = all(of: scalar, beginning: 3)
            known[scalar] = beginnings
            return beginnings
        }
    }

    /// The character and its escapes, or as many of their first characters: escaping goes from left to right.
    private static func all(of scalar: Unicode.Scalar, beginning count: Int = .max) -> Set<[UInt8]> {
        var texts: Set<String> = []
        func add(_ text: String) { texts.insert(String(text.prefix(count))) }
        for text in [String(scalar)] + simple(of: scalar) { add(text) }
        // JSON in JSON, in a URL, in a web page, and so on.
        for _ in 0..<2 {
            for text in texts {
                add(replacing("\\\"", in: text) { "\\\($0)" })
                add(replacing("\\\"%&#;{}+/'<> ", in: text) { percent($0) })
                for sign in "&\"<>'".unicodeScalars where text.unicodeScalars.contains(sign) {
                    for name in HTMLEntities.names(of: sign) + ["#\(sign.value)"] {
                        add(replacing(String(sign), in: text) { _ in "&\(name);" })
                    }
                }
            }
        }
        // Numbers may begin with zeros.
        for width in 2...7 {
            add("&#\(String(scalar.value, width: width));")
            add("&#x\(String(scalar.value, radix: 16, width: width));")
        }
        return Set(texts.map { $0.utf8.map(\.folded) })
    }

    private static func simple(of scalar: Unicode.Scalar) -> [String] {
        let digits = String(scalar.value, radix: 16)
        let units = String(scalar).utf16.map { "\\u" + String($0, radix: 16, width: 4) }.joined()
        var escapes = [
            units, "\\u{\(digits)}", "\\U" + String(scalar.value, radix: 16, width: 8),
            "\\x" + String(scalar.value, radix: 16, width: 2), percent(scalar),
            "&#\(scalar.value);", "&#x\(digits);",
        ]
        escapes += HTMLEntities.names(of: scalar).map { "&\($0);" }
        if let letter = letters[scalar] { escapes.append("\\\(letter)") }
        return escapes
    }

    private static let letters: [Unicode.Scalar: Character] = [
        "\u{8}": "b", "\u{C}": "f", "\n": "n", "\r": "r", "\t": "t", "\0": "0", "\"": "\"", "\\": "\\", "/": "/",
        "'": "'",
    ]

    private static func replacing(
        _ signs: String,
        in text: String,
        by escape: (Unicode.Scalar) -> String
    ) -> String {
        text.unicodeScalars.map { signs.unicodeScalars.contains($0) ? escape($0) : String($0) }.joined()
    }

    private static func percent(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { "%" + String($0, radix: 16, width: 2) }.joined()
    }
}

extension [UInt8] {
    /// Whether the text continues with these bytes, whose letters are in lower case.
    fileprivate func isBeginning(of text: Span<UInt8>, at start: Int) -> Bool {
        count <= text.count - start && indices.allSatisfy { self[$0] == text[start + $0].folded }
    }
}

extension Unicode.Scalar {
    /// Whether a byte is this character, whose letters are in lower case.
    fileprivate func isPlain(_ byte: UInt8) -> Bool {
        byte.folded == value || byte == UInt8(ascii: "+") && self == " "
    }

    fileprivate var folded: Unicode.Scalar { ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self }
}

extension UInt8 {
    fileprivate var folded: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    fileprivate var beginsEscape: Bool {
        self == UInt8(ascii: "\\") || self == UInt8(ascii: "%") || self == UInt8(ascii: "&")
    }

    fileprivate var isOfBase64: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
