/// A text in which all non-ASCII characters became others while the rest is unchanged.
///
/// An unnamed character set, or one that lacks a mark, does this to texts with few such characters. `20 °C` becomes `20
/// ┬░C`, `Café` `Caf茅`, `don’t` `don窶冲`. No edit changes all such characters, only them, and into as many others as
/// they have bytes.
enum ReplacedCharacters {
    enum Kind {
        /// As many characters as the originals have bytes in UTF-8, or about half as many East Asian ones.
        case misread
        /// Question marks; a person may have typed one, so one text proves nothing.
        case lost
    }

    /// How a text was damaged; `nil` if more or less than that has changed.
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

    private struct Piece {
        var isBeyond: Bool
        var scalars: [Unicode.Scalar] = []

        var byteCount: Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        /// How many marks programs may write for the run.
        var widths: [Int] { [scalars.count, scalars.reduce(0) { $0 + UTF16.width($1) }, byteCount] }
    }

    /// Splits a text into alternating runs, ASCII first; question marks count as non-ASCII.
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
        // If whole words are non-ASCII, another word of such a length is an edit.
        guard !old.scalars.contains(where: isEastAsian), old.scalars.contains(where: { !$0.isASCII }),
            let first = scalars.first, !old.scalars.contains(first)
        else { return false }
        let bytes = old.byteCount
        if scalars.contains(where: isEastAsian) { return (bytes + 1) / 2...bytes ~= scalars.count }
        // An invalid byte may be left out.
        return old.scalars.count <= 2 && (scalars.count == bytes || scalars.count == bytes - 1 && bytes > 2)
    }

    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11FF, 0x2E80...0x9FFF, 0xAC00...0xD7FF, 0xE000...0xFAFF, 0xFF00...0xFFEF, 0x20000...: true
        default: false
        }
    }
}
