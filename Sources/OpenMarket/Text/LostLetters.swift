/// Letters that became question marks when a text was saved in a character set without them.
///
/// Excel writes `?? ???` for `청자 화병` if a table is saved as *CSV* outside Korea. The result is valid text, so only a
/// comparison with the original reveals it. A text of almost only question marks reveals it without one.
enum LostLetters {
    /// Whether letters of the original became question marks: one for each character, or for each unit of UTF-16 or
    /// UTF-8.
    ///
    /// A sentence that became a question does not count. If letters of the same script remain, the mark must be before
    /// another letter.
    static func areLost(in text: String, of original: String) -> Bool {
        guard text.utf8.contains(mark) else { return false }
        return widths.contains { width in areLost(in: text, of: original, width: width) }
    }

    /// All texts that the original may become by losing its letters.
    static func losses(of original: String) -> Set<String> {
        // All non-ASCII characters, those that Western sets lack, and those that the Korean set lacks.
        let lacks: [(Unicode.Scalar) -> Bool] = [
            { _ in true }, { $0.value > 0xFF },
            { !(0xAC00...0xD7A3).contains($0.value) && !KoreanCodePage.isUsual($0) },
        ]
        return Set(
            lacks.map { isLacked in
                String(String.UnicodeScalarView(original.unicodeScalars.map { $0.isASCII || !isLacked($0) ? $0 : "?" }))
            }
        ).subtracting([original])
    }

    /// Whether a text consists of question marks, except for a few other ASCII characters.
    static func areEvidentlyLost(in text: String) -> Bool {
        var (marks, others) = (0, 0)
        for byte in text.utf8 where byte > 0x20 {
            guard byte < 0x80 else { return false }
            if byte == mark { marks += 1 } else { others += 1 }
        }
        return marks >= 4 && marks > others
    }

    private static let mark = UInt8(ascii: "?")
    private static let widths: [@Sendable (Unicode.Scalar) -> Int] = [
        { _ in 1 }, { $0.value > 0xFFFF ? 2 : 1 }, { String($0).utf8.count },
    ]

    private static func areLost(in text: String, of original: String, width: (Unicode.Scalar) -> Int) -> Bool {
        var rest = text.unicodeScalars[...]
        var lost: Set<Script> = []
        var kept: Set<Script> = []
        var isCertain = false
        for scalar in original.unicodeScalars {
            if rest.first == scalar {
                rest.removeFirst()
                if let script = Script(scalar) { kept.insert(script) }
                continue
            }
            let count = width(scalar)
            guard !scalar.isASCII, rest.prefix(count).elementsEqual(repeatElement("?", count: count)) else {
                return false
            }
            rest.removeFirst(count)
            guard let script = Script(scalar) else { continue }
            lost.insert(script)
            if let next = rest.first, next != "?", next.properties.isAlphabetic || next.properties.numericType != nil {
                isCertain = true
            }
        }
        return rest.isEmpty && !lost.isEmpty && (isCertain || !lost.isSubset(of: kept))
    }

    /// A group of characters that a character set usually has as a whole or not at all; marks between words belong to
    /// none.
    private enum Script {
        case western, otherLatin, hangul, ideographs, kana, others, symbols

        init?(_ scalar: Unicode.Scalar) {
            let properties = scalar.properties
            guard properties.isAlphabetic else {
                switch properties.generalCategory {
                case .currencySymbol, .mathSymbol, .modifierSymbol, .otherSymbol: self = .symbols
                default: return nil
                }
                return
            }
            switch scalar.value {
            case ..<0x80: return nil
            case ..<0x100: self = .western
            case ..<0x250: self = .otherLatin
            case 0x3041...0x30FF: self = .kana
            case 0x3400...0x9FFF, 0xF900...0xFAFF: self = .ideographs
            case 0xAC00...0xD7A3: self = .hangul
            default: self = .others
            }
        }
    }
}
