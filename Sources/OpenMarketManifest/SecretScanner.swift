/// Finds the part of each manifest line that may be the value of a secret, whether or not the text is YAML.
///
/// It examines only letters and indentation, because diagnostics often show lines that no parser understands.
///
/// If unsure, it hides more: all text after a name close to `secret` or `identifier`, and the following lines. These
/// end before a line that is not indented deeper than the name, and that starts with another name.
struct SecretScanner {
    /// The examined part of a line, in bytes; the rest is hidden.
    static let longestLine = 1 << 20

    /// Whether the text is a market's description, which has a section with a name close to `identifier`.
    let isDescription: Bool
    /// The column of the name whose value the next lines may continue, from 0.
    private var column: Int?
    /// Results for names seen before: a manifest has many lines and few names.
    private var verdicts: [ArraySlice<UInt8>: Bool] = [:]

    init(isDescription: Bool = false) { self.isDescription = isDescription }

    /// Reads the next line, and returns how many of its scalars can be shown; `nil` for all.
    ///
    /// The line has no line end, and at most ``longestLine`` bytes.
    mutating func shownLength(of line: [UInt8]) -> Int? {
        let hidden = hiddenStart(of: line) ?? (line.count >= Self.longestLine ? line.count : nil)
        return hidden.map { end in line[..<end].count { $0 & 0xC0 != 0x80 } }
    }

    private mutating func hiddenStart(of line: [UInt8]) -> Int? {
        guard let indentation = line.firstIndex(where: { !Self.isBlank($0) }) else { return nil }
        if let column {
            let isItem = indentation == column && [UInt8(ascii: "-"), UInt8(ascii: ":")].contains(line[indentation])
            if indentation > column || isItem || !Self.beginsWithName(line[indentation...]) { return indentation }
            self.column = nil
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
            // A name at the start of its line needs no colon, which may have been forgotten.
            guard isFirst || separator != nil else { continue }
            isFirst = false
            guard isSecret(word) || isSecret(phrase[...]) else { continue }
            let end = separator.map { $0 + 1 } ?? index
            // A reference to a secret is not secret.
            if Self.isReference(line[end...]) { continue }
            column = start
            return line[end...].firstIndex { !Self.isBlank($0) } ?? end
        }
        return nil
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

    /// Whether a line starts like an entry of a mapping, with a short name and a colon.
    private static func beginsWithName(_ line: ArraySlice<UInt8>) -> Bool {
        let rest = line.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "{") || isBlank($0) || isQuote($0) }
        let name = rest.prefix { isWord($0) }
        let after = line[name.endIndex...].drop(while: isQuote)
        return !name.isEmpty && after.first == UInt8(ascii: ":")
            && (after.count == 1 || isBlank(after[after.startIndex + 1]))
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
