/// A character set that programs take a file in UTF-8 for, where nothing in the file says what it is.
///
/// What they then show is another text: `청자` becomes `ì²­ìž` or `泥?옄`. Saved, it is UTF-8 again and perfectly valid, so
/// that only the text that it was can show.
package enum MistakenCharacterSet: Hashable, Sendable, CaseIterable {
    /// Western Windows: Excel, where the file has no byte order mark.
    case windows1252
    /// ISO 8859-1.
    case latin1
    /// The old character set of Macs: Excel for Mac.
    case macRoman
    /// Korean Windows, code page 949: Excel, where the file has no byte order mark.
    case windows949
    /// Some other set: which one, the texts do not say.
    case unknown
    /// Not read in another set, but saved in one that lacks the text's letters, each of which became a question mark.
    case lossy

    /// Its name, as programs that import text call it.
    package var name: String {
        switch self {
        case .windows1252: "Windows-1252"
        case .latin1: "ISO-8859-1"
        case .macRoman: "Mac Roman"
        case .windows949: "Windows-949 (Korean)"
        case .unknown: "another character set"
        case .lossy: "a character set that lacks its letters"
        }
    }

    /// The set for which a text is another one in UTF-8, read so once or twice, or ``lossy``; `nil` where it is neither.
    ///
    /// Programs differ in what they show of bytes that stand for no character (nothing, `?`, a control character), and in
    /// what they do about blanks, so neither is compared.
    ///
    /// - Parameters:
    ///   - text: What may have been misread.
    ///   - original: The text that it may have been.
    /// - Returns: The set.
    static func misreading(_ text: String, of original: String) -> MistakenCharacterSet? {
        guard !original.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if LostLetters.areLost(in: text, of: original) { return .lossy }
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let sought = text.unicodeScalars.lazy.filter { !$0.isLoose }
        let readings = Reading.all(of: original)
        if let found = readings.first(where: { $0.elementsEqual(sought, by: Reading.areEqual) && $0.isTelling }) {
            return found.set
        }
        // Each reading makes the bytes more, so that most texts are too short to have been read twice.
        guard text.utf8.count >= 2 * original.utf8.count - original.utf8.count(where: { $0 < 0x80 }),
            original.utf8.count <= longestRead
        else { return nil }
        for first in readings where first.isTelling {
            let again = String(String.UnicodeScalarView(first.whole))
            if let second = Reading.all(of: again).first(where: {
                $0.elementsEqual(sought, by: Reading.areEqual)
            }) {
                return second.set
            }
        }
        return nil
    }

    /// Every text that a text may become, as far as it is compared, and the set it is taken for.
    static func readings(of original: String) -> [(text: String, set: MistakenCharacterSet)] {
        guard !original.utf8.allSatisfy({ $0 < 0x80 }), original.utf8.count <= longestRead else { return [] }
        return Reading.all(of: original).filter(\.isTelling).map { reading in
            (String(String.UnicodeScalarView(reading)), reading.set)
        }
    }

    /// What of a text is compared with ``readings(of:)``.
    static func compared(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isLoose }))
    }

    /// Whether a look at a text shows that it may be a misreading; most that are not show it, too.
    static func mayBeMisreading(_ text: String) -> Bool {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.utf8.contains(UInt8(ascii: "?")) }
        var isBehindLetter = false
        return text.unicodeScalars.contains { scalar in
            defer { isBehindLetter = scalar.isASCII && (0x61...0x7A).contains(scalar.value | 0x20) }
            return switch scalar.value {
            // What the first bytes of characters beyond ASCII are in the western sets, and `?` for what has none.
            case 0xC2...0xF4, 0xAC, 0x221A, 0x201A, 0x201E, 0x2030, 0x3F: true
            // In the Korean one these bytes begin ideographs.
            case 0x4E00...0x9FFF, 0xF900...0xFAFF: true
            // And `é` is a syllable.
            case 0xAC00...0xD7A3: isBehindLetter
            default: false
            }
        }
    }

    /// Longer texts than these are compared with one reading only.
    private static let longestRead = 1 << 16
}

/// What the bytes of texts in UTF-8 have become, if they were read in a set in which a byte is a character: always the
/// same one, whatever the set is called.
struct ByteCharacters {
    private var characters: [UInt8: Unicode.Scalar] = [:]
    private var bytes: [Unicode.Scalar: UInt8] = [:]
    /// How many bytes became what they had become before: no accident where there are some.
    private(set) var repeats = 0

    /// Takes a text, if every byte of the original is one character of it, and none another one than before.
    ///
    /// - Returns: whether it is so.
    mutating func take(_ text: String, of original: String) -> Bool {
        guard text.unicodeScalars.count == original.utf8.count else { return false }
        var taken = self
        for (scalar, byte) in zip(text.unicodeScalars, original.utf8) {
            guard byte >= 0x80 else {
                guard scalar.value == UInt32(byte) else { return false }
                continue
            }
            let (known, owner) = (taken.characters[byte], taken.bytes[scalar])
            guard scalar.value >= 0x80, known ?? scalar == scalar, owner ?? byte == byte else { return false }
            if known != nil { taken.repeats += 1 }
            (taken.characters[byte], taken.bytes[scalar]) = (scalar, byte)
        }
        self = taken
        return true
    }
}

/// The shape of a text that was read in a set in which two bytes are mostly a character: Chinese and Japanese ones, and
/// any other where bytes are lost.
enum MisreadShape {
    /// How many bytes of an original became characters of a text that has the shape; `nil` where it has not.
    ///
    /// What is ASCII stays, but for what a lost byte takes with it. Nothing else does: half as many characters as there were
    /// bytes, or more, and among them what programs put in the place of bytes that stand for none.
    static func bytes(of original: String, in text: String) -> Int? {
        let marks = original.unicodeScalars.count { $0 == "?" }
        var ascii = original.unicodeScalars.lazy.filter { $0.isASCII && $0 != "?" }.makeIterator()
        let beyond = Set(original.unicodeScalars.lazy.filter { !$0.isASCII })
        var (count, lost, swallowed) = (0, 0, 0)
        for scalar in text.unicodeScalars {
            if scalar.isASCII, scalar != "?" {
                var next = ascii.next()
                while next != nil, next != scalar {
                    swallowed += 1
                    next = ascii.next()
                }
                guard next != nil, swallowed <= beyond.count else { return nil }
                continue
            }
            if beyond.contains(scalar) { return nil }
            count += 1
            switch scalar.value {
            // Marks, bytes that Japanese sets have alone, and what no set has.
            case 0x3F, 0x30FB, 0xFF61...0xFF9F, 0xE000...0xF8FF, 0xFFFD, 0x80...0x9F: lost += 1
            default: break
            }
        }
        let bytes = original.utf8.count { $0 >= 0x80 }
        while ascii.next() != nil { swallowed += 1 }
        guard swallowed <= beyond.count, lost > marks, 20 * (count - marks) >= 9 * bytes, count - marks <= bytes
        else { return nil }
        return bytes
    }
}

/// A text in UTF-8 as it is read in another character set, without what is not compared.
private struct Reading: Sequence, IteratorProtocol {
    let set: MistakenCharacterSet
    private let bytes: [UInt8]
    /// How many bytes a pair takes that stands for no character.
    private let passed: Int
    private var index = 0

    private init(_ bytes: [UInt8], _ set: MistakenCharacterSet, passing passed: Int = 1) {
        self.bytes = bytes
        self.set = set
        self.passed = passed
    }

    /// What a text may become.
    static func all(of text: String) -> [Reading] {
        let bytes = Array(text.utf8)
        return MistakenCharacterSet.allCases.flatMap { set -> [Reading] in
            switch set {
            case .windows1252, .latin1, .macRoman: [Reading(bytes, set)]
            case .windows949: [Reading(bytes, set, passing: 2), Reading(bytes, set)]
            case .unknown, .lossy: []
            }
        }
    }

    /// Whether two characters are the same.
    ///
    /// The Korean set has ideographs that editors write as others, which are equal.
    static func areEqual(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        one == other || (0xF900...0xFAFF).contains(Swift.max(one, other).value) && String(one) == String(other)
    }

    /// Whether anything beyond ASCII is left to be compared.
    var isTelling: Bool { contains { $0.value >= 0x80 } }

    /// The characters, with the blanks and marks that are not compared.
    var whole: [Unicode.Scalar] {
        var reading = self
        var scalars: [Unicode.Scalar] = []
        while reading.index < reading.bytes.count { if let scalar = reading.read() { scalars.append(scalar) } }
        return scalars
    }

    mutating func next() -> Unicode.Scalar? {
        while index < bytes.count { if let scalar = read(), !scalar.isLoose { return scalar } }
        return nil
    }

    /// Reads one character; `nil` where the bytes stand for none.
    private mutating func read() -> Unicode.Scalar? {
        let byte = bytes[index]
        index += 1
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        switch set {
        case .latin1, .unknown, .lossy: return Unicode.Scalar(byte)
        case .windows1252: return byte < 0xA0 ? Self.windows[Int(byte - 0x80)] : Unicode.Scalar(byte)
        case .macRoman: return Self.mac[Int(byte - 0x80)]
        case .windows949:
            guard index < bytes.count else { return nil }
            let trail = bytes[index]
            if let scalar = KoreanCodePage.scalar(byte, trail) {
                index += 1
                return scalar
            }
            if trail >= 0x80 { index += passed - 1 }
            return nil
        }
    }

    /// 0x80 to 0x9F of Windows-1252; the bytes without a character are control characters, as most programs have it.
    fileprivate static let windows = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
    )

    /// 0x80 to 0xFF of Mac Roman.
    fileprivate static let mac = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
            + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars
    )
}

extension MistakenCharacterSet {
    /// The byte that a character is in a western set; `nil` where it has none.
    ///
    /// Whoever reads Windows-1252 or ISO-8859-1 takes the one for the other, so they are one here.
    func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 { return UInt8(scalar.value) }
        if self == .macRoman { return Self.macBytes[scalar] }
        return scalar.value <= 0xFF ? UInt8(scalar.value) : Self.windowsBytes[scalar]
    }

    private static let macBytes = bytes(of: Reading.mac)
    private static let windowsBytes = bytes(of: Reading.windows)

    /// The bytes from 0x80 by their characters.
    private static func bytes(of table: [Unicode.Scalar]) -> [Unicode.Scalar: UInt8] {
        Dictionary(zip(table, 0x80...0xFF)) { first, _ in first }
    }
}

extension Unicode.Scalar {
    /// Whether it is not compared: blanks, and what programs put in the place of bytes that stand for no character.
    fileprivate var isLoose: Bool {
        value <= 0x20 || (0x7F...0xA0).contains(value) || value == 0x3F || value == 0xFFFD || value == 0x30FB
            || (value > 0xA0 && properties.isWhitespace)
    }
}
