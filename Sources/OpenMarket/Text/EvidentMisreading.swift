/// A text that was evidently read in the wrong character set: `NAVIDEÃ‘A`, `ì²­ìž`, `泥?옄 ?붾퀝`, `?? ???`.
///
/// In the Western sets each non-ASCII character is a byte. Together the bytes are valid UTF-8, which real words are not
/// by accident. In the Korean set they are syllables that no word has, between marks for lost ones.
package struct EvidentMisreading: Hashable, Sendable {
    package let set: MistakenCharacterSet
    /// `nil` if the original cannot be recovered.
    let original: String?

    /// `nil` for nearly all texts.
    package init?(_ text: String) {
        guard text.withUTF8Span({ $0.mayHaveBeenMisread }) else { return nil }
        if LostLetters.areEvidentlyLost(in: text) {
            (set, original) = (.lossy, nil)
        } else if Self.hasUnknownSyllables(text) {
            (set, original) = (.windows949, nil)
        } else if let found = [MistakenCharacterSet.windows1252, .macRoman].lazy.compactMap({ Decoded(text, $0) })
            .first(where: \.isCertain)
        {
            (set, original) = (found.set, found.text)
        } else {
            return nil
        }
    }

    /// Whether replacement marks are next to syllables that exist in Unicode but in no word.
    private static func hasUnknownSyllables(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "?")) else { return false }
        return text.unicodeScalars.lazy.filter { (0xAC00...0xD7A3).contains($0.value) && !KoreanCodePage.isUsual($0) }
            .prefix(2).count == 2
    }

    /// A text whose characters are bytes of a Western set, decoded as UTF-8.
    private struct Decoded {
        let set: MistakenCharacterSet
        private(set) var text = ""
        /// The number of characters that are unlikely to be there by accident, and of others.
        private var strong = 0
        private var weak = 0
        /// The number of characters that lost some of their bytes.
        private var torn = 0

        /// `nil` if a character is not part of valid UTF-8.
        init?(_ text: String, _ set: MistakenCharacterSet) {
            self.set = set
            var scalars = text.unicodeScalars[...]
            while let first = scalars.popFirst() {
                guard !first.isASCII else {
                    self.text.unicodeScalars.append(first)
                    continue
                }
                guard let lead = set.byte(of: first), (0xC2...0xF4).contains(lead) else { return nil }
                let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
                var value = UInt32(lead) & (0xFF >> (UInt32(length) + 1))
                var count = 1
                var isTorn = false
                while count < length, let next = scalars.first {
                    if next == "?" {
                        isTorn = true
                    } else if !next.isASCII, let byte = set.byte(of: next), (0x80...0xBF).contains(byte) {
                        value = value << 6 | UInt32(byte & 0x3F)
                    } else {
                        break
                    }
                    count += 1
                    scalars.removeFirst()
                }
                if isTorn || count < length {
                    guard isTorn || Self.mayBeTorn(length: length, count: count, before: scalars.first) else {
                        return nil
                    }
                    torn += 1
                    self.text += "\u{FFFD}"
                } else {
                    guard take(value, lead, length: length) else { return nil }
                }
            }
        }

        /// Whether a program may have dropped or replaced the remaining bytes of a character.
        private static func mayBeTorn(length: Int, count: Int, before next: Unicode.Scalar?) -> Bool {
            guard let next, next != " ", next != "\u{FFFD}" else { return true }
            return count == 2 && length == 3 || count == 1 && length == 2 && !next.isASCII
        }

        /// Counts a character; `false` means that it is unlikely.
        private mutating func take(_ value: UInt32, _ lead: UInt8, length: Int) -> Bool {
            guard let scalar = Unicode.Scalar(value) else { return false }
            switch length {
            case 2:
                // Letters of the Western sets; other Latin ones, Greek and Cyrillic.
                switch lead {
                case 0xC2, 0xC3: strong += 1
                case 0xC4, 0xC5, 0xCE...0xD1: weak += 1
                default: return false
                }
            case 3:
                // Symbols, kana, ideographs, syllables.
                switch value {
                case 0xE00...0xE7F, 0x1E00...0x1EFF, 0x2000...0x2BFF, 0x3000...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                    0xFE00...0xFFEF:
                    strong += 1
                default: return false
                }
            default:
                guard value >= 0x10000 else { return false }
                strong += 1
            }
            text.unicodeScalars.append(scalar)
            return true
        }

        var isCertain: Bool { (strong > 0 || weak > 2) && torn <= strong + weak }
    }
}

extension Span<UInt8> {
    /// Whether a UTF-8 text has a byte that occurs in misread texts.
    ///
    /// Such a byte belongs to a character that is a lead byte in a Western set, or is a question mark.
    ///
    /// Hot: every text of a product to create passes here. The loop is without branches and has one sum, so the
    /// compiler can process many bytes at once.
    var mayHaveBeenMisread: Bool {
        var hits: UInt8 = 0
        for index in indices {
            let byte = self[index]
            hits |= (byte == 0xC2 ? 1 : 0) | (byte == 0xC3 ? 1 : 0) | (byte == 0xE2 ? 1 : 0) | (byte == 0x3F ? 1 : 0)
        }
        return hits != 0
    }
}
