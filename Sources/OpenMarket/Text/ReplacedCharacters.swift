/// A text of which all that is beyond ASCII became other characters while the rest is the same to the letter: what reading
/// in a character set without a name here, or saving in one that lacks a mark, does to texts with few such characters.
///
/// `20 °C` becomes `20 ┬░C`, `Café` `Caf茅`, `don’t` `don窶冲`. No edit changes only such characters, all of them, and into as
/// many others as they have bytes.
enum ReplacedCharacters {
    /// What the characters became.
    enum Kind {
        /// As many characters as they have bytes in UTF-8, or East Asian ones, about half as many.
        case misread
        /// Question marks; a person may have asked a question, so that one text proves nothing.
        case lost
    }

    /// What became of a text; `nil` where more has changed, or less.
    static func kind(of text: String, from original: String) -> Kind? {
        let (old, new) = (pieces(of: original), pieces(of: text))
        guard old.count == new.count, old.count > 1 else { return nil }
        var (misread, lost, kept) = (0, 0, 0)
        var swallows = false
        for (old, new) in zip(old, new) {
            guard old.isBeyond else {
                guard old.scalars == new.scalars || swallows && old.scalars.dropFirst() == new.scalars[...] else {
                    return nil
                }
                continue
            }
            swallows = false
            if old.scalars == new.scalars {
                kept += 1
            } else if new.scalars.allSatisfy({ $0 == "?" }), old.widths.contains(new.scalars.count) {
                lost += 1
            } else if isMisread(new.scalars, of: old) {
                misread += 1
                swallows = new.scalars.contains(where: isEastAsian)
            } else {
                return nil
            }
        }
        if misread > 0 { return kept == 0 ? .misread : nil }
        return lost > 0 ? .lost : nil
    }

    /// What lies between ASCII characters, or those.
    private struct Piece {
        var isBeyond: Bool
        var scalars: [Unicode.Scalar] = []

        var byteCount: Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        /// How many marks programs write for it.
        var widths: [Int] { [scalars.count, scalars.reduce(0) { $0 + UTF16.width($1) }, byteCount] }
    }

    /// ASCII and what is beyond it in turn, ASCII first; question marks belong to what is beyond.
    private static func pieces(of text: String) -> [Piece] {
        var pieces = [Piece(isBeyond: false)]
        for scalar in text.unicodeScalars {
            let isBeyond = !scalar.isASCII || scalar == "?" || scalar.value == 0x7F
            if isBeyond != pieces[pieces.count - 1].isBeyond { pieces.append(Piece(isBeyond: isBeyond)) }
            pieces[pieces.count - 1].scalars.append(scalar)
        }
        if pieces[pieces.count - 1].isBeyond { pieces.append(Piece(isBeyond: false)) }
        return pieces
    }

    private static func isMisread(_ scalars: [Unicode.Scalar], of old: Piece) -> Bool {
        // Where whole words are beyond ASCII, another word of such a length is an edit.
        guard !old.scalars.contains(where: isEastAsian), old.scalars.contains(where: { !$0.isASCII }),
            let first = scalars.first, !old.scalars.contains(first)
        else { return false }
        let bytes = old.byteCount
        if scalars.contains(where: isEastAsian) { return (bytes + 1) / 2...bytes ~= scalars.count }
        // A byte that stands for nothing may be left out.
        return old.scalars.count <= 2 && (scalars.count == bytes || scalars.count == bytes - 1 && bytes > 2)
    }

    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11FF, 0x2E80...0x9FFF, 0xAC00...0xD7FF, 0xE000...0xFAFF, 0xFF00...0xFFEF, 0x20000...: true
        default: false
        }
    }
}
