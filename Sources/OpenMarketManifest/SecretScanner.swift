/// Finds the part of each manifest line that may be the value of a secret, whether or not the text is YAML.
///
/// It looks only at letters and indentation, because diagnostics often show lines that no parser understands. In doubt
/// it hides more: all text after a name close to `secret` or `identifier`, and the lines below that belong to it.
struct SecretScanner {
    /// Lines that continue a value from further up.
    private enum Continuation {
        /// Lines indented deeper than the name, and lists at its own depth.
        ///
        /// If the line ends after the name, the next line also belongs to it, unless that begins with another name.
        case indented(Int, expectsValue: Bool)
        case quoted(UInt8)
        /// Until this many brackets close.
        case bracketed(Int)
    }

    /// The part of a line that is examined, in bytes; the rest is hidden.
    static let longestLine = 1 << 20

    /// Whether the text is a market's description, which has a section with a name close to `identifier`.
    let isDescription: Bool
    private var continuation: Continuation?
    /// Names seen before: a manifest has many lines and few names.
    private var verdicts: [ArraySlice<UInt8>: Bool] = [:]

    init(isDescription: Bool = false) { self.isDescription = isDescription }

    /// Reads the next line, and gives how many of its scalars can be shown; `nil` for all.
    ///
    /// The line is without its end, and has hardly more than ``longestLine`` bytes.
    mutating func shownLength(of line: [UInt8]) -> Int? {
        let hidden = hiddenStart(of: line) ?? (line.count >= Self.longestLine ? line.count : nil)
        return hidden.map { end in line[..<end].count { $0 & 0xC0 != 0x80 } }
    }

    private mutating func hiddenStart(of line: [UInt8]) -> Int? {
        guard let indentation = line.firstIndex(where: { !Self.isBlank($0) }) else { return nil }
        switch continuation {
        case .quoted(let quote):
            if Self.closes(quote, line[...]) != nil { continuation = nil }
            return indentation
        case .bracketed(let depth):
            let rest = Self.depth(after: line[...], from: depth)
            continuation = rest > 0 ? .bracketed(rest) : nil
            return indentation
        case .indented(let column, let expectsValue):
            let isItem = indentation == column && [UInt8(ascii: "-"), UInt8(ascii: ":")].contains(line[indentation])
            if indentation > column || isItem || expectsValue && !Self.beginsWithName(line[indentation...]) {
                continuation = .indented(column, expectsValue: false)
                return indentation
            }
            continuation = nil
        case nil: break
        }
        return firstValue(in: line)
    }

    /// The start of the value of the first name that is close to a secret's.
    private mutating func firstValue(in line: [UInt8]) -> Int? {
        var isFirst = true
        var phrase: [UInt8] = []
        var index = 0
        while index < line.count {
            guard Self.isWord(line[index]) else {
                if !Self.isBlank(line[index]), !Self.isQuote(line[index]) { phrase.removeAll(keepingCapacity: true) }
                index += 1
                continue
            }
            let start = index
            while index < line.count, Self.isWord(line[index]) { index += 1 }
            let word = line[start..<index]
            if phrase.count < 64 { phrase += word.prefix(64) }
            let next = line[index...].firstIndex { !Self.isBlank($0) && !Self.isQuote($0) }
            let separator = next.flatMap { [UInt8(ascii: ":"), UInt8(ascii: "=")].contains(line[$0]) ? $0 : nil }
            // The colon after a name at the start of its line is optional: it may have been forgotten.
            guard isFirst || separator != nil else { continue }
            isFirst = false
            guard isSecret(word) || isSecret(phrase[...]) else { continue }
            let end = separator.map { $0 + 1 } ?? index
            // A reference to a secret is not secret.
            if Self.isReference(line[end...]) { continue }
            continuation = Self.continuation(of: line[end...], name: start)
            return line[end...].firstIndex { !Self.isBlank($0) } ?? end
        }
        return nil
    }

    /// Decides which lines below belong to a value, from the part that follows its name.
    private static func continuation(of value: ArraySlice<UInt8>, name: Int) -> Continuation {
        var rest = value.drop(while: isBlank)
        // A tag or an anchor precedes the value.
        while let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "&") {
            rest = rest.drop { !isBlank($0) }.drop(while: isBlank)
        }
        switch rest.first {
        case nil, UInt8(ascii: "#"): return .indented(name, expectsValue: true)
        case let quote? where isQuote(quote):
            return closes(quote, rest.dropFirst()) == nil ? .quoted(quote) : .indented(name, expectsValue: false)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let depth = depth(after: rest, from: 0)
            return depth > 0 ? .bracketed(depth) : .indented(name, expectsValue: false)
        default: return .indented(name, expectsValue: false)
        }
    }

    private mutating func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        let isSection = isDescription && name.elementsEqual("identity".utf8)
        guard (3...64).contains(name.count), !isSection else { return false }
        if let verdict = verdicts[name] { return verdict }
        let verdict = SecretKey.isClose(String(decoding: name, as: UTF8.self))
        if verdicts.count < 4096 { verdicts[ArraySlice(Array(name))] = verdict }
        return verdict
    }

    private static func isReference(_ value: ArraySlice<UInt8>) -> Bool {
        let value = value.drop(while: isBlank)
        return value.starts(with: Array("!env ".utf8)) || value.starts(with: Array("!file ".utf8))
    }

    /// Whether a line begins like an entry of a mapping, with a short name and a colon.
    private static func beginsWithName(_ line: ArraySlice<UInt8>) -> Bool {
        let rest = line.drop { $0 == UInt8(ascii: "-") || isBlank($0) || isQuote($0) }
        let name = rest.prefix { isWord($0) }
        let after = line[name.endIndex...].drop(while: isQuote)
        return !name.isEmpty && after.first == UInt8(ascii: ":")
            && (after.count == 1 || isBlank(after[after.startIndex + 1]))
    }

    /// The position of the closing quote.
    private static func closes(_ quote: UInt8, _ text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 1
            } else if text[index] == quote {
                return index
            }
            index += 1
        }
        return nil
    }

    /// How many brackets are open after a text, not counting those in quotes.
    private static func depth(after text: ArraySlice<UInt8>, from start: Int) -> Int {
        var depth = start
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case let quote where isQuote(quote): index = closes(quote, text[(index + 1)...]) ?? index
            default: break
            }
            index += 1
        }
        return depth
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }
}
