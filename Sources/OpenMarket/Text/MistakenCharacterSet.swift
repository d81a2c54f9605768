/// A character set that programs assume for a UTF-8 file without a stated encoding.
///
/// They show another text: `청자` becomes `ì²­ìž` or `泥?옄`. Saved, it is valid UTF-8 again, so only a comparison with the
/// original reveals it.
package enum MistakenCharacterSet: Hashable, Sendable, CaseIterable {
    /// Western Windows: Excel, if the file lacks a byte order mark.
    case windows1252
    case latin1
    /// The old character set of Macs: Excel for Mac.
    case macRoman
    /// Korean Windows, code page 949: Excel, if the file lacks a byte order mark.
    case windows949
    /// Saved in a set without the text's letters, so each became a question mark.
    case lossy

    /// The name in import dialogs.
    package var name: String {
        switch self {
        case .windows1252: "Windows-1252"
        case .latin1: "ISO-8859-1"
        case .macRoman: "Mac Roman"
        case .windows949: "Windows-949 (Korean)"
        case .lossy: "a character set that lacks its letters"
        }
    }

    /// How a text became wrong, as a phrase that follows it.
    package var fault: String {
        self == .lossy ? "was saved in \(name)" : "was read as \(name) and saved as UTF-8"
    }

    /// The set that turns the original's UTF-8 into the text, read once or twice, or ``lossy``; `nil` if neither
    /// applies.
    ///
    /// Neither invalid bytes nor blanks are compared: programs omit invalid bytes or show `?` or a control character,
    /// and differ in blanks.
    static func misreading(_ text: String, of original: String) -> MistakenCharacterSet? {
        guard !original.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if LostLetters.areLost(in: text, of: original) { return .lossy }
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let sought = text.unicodeScalars.lazy.filter { !$0.isLoose }
        let readings = Reading.all(of: original)
        if let found = readings.first(where: { $0.elementsEqual(sought, by: Reading.areEqual) && $0.isTelling }) {
            return found.set
        }
        // Each reading adds bytes, so most texts are too short to have been read twice.
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

    /// Every misreading of a text in the form of ``compared(_:)``, with its set.
    static func readings(of original: String) -> [(text: String, set: MistakenCharacterSet)] {
        guard !original.utf8.allSatisfy({ $0 < 0x80 }), original.utf8.count <= longestRead else { return [] }
        return Reading.all(of: original).filter(\.isTelling).map { reading in
            (String(String.UnicodeScalarView(reading)), reading.set)
        }
    }

    /// The part of a text that is compared with ``readings(of:)``.
    static func compared(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isLoose }))
    }

    /// Fast path: whether a text may be misread; also `true` for most correct texts.
    static func mayBeMisreading(_ text: String) -> Bool {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.utf8.contains(UInt8(ascii: "?")) }
        var isBehindLetter = false
        return text.unicodeScalars.contains { scalar in
            defer { isBehindLetter = scalar.isASCII && (0x61...0x7A).contains(scalar.value | 0x20) }
            return switch scalar.value {
            // The first bytes of non-ASCII characters in the Western sets, and `?` for bytes without a character.
            case 0xC2...0xF4, 0xAC, 0x221A, 0x201A, 0x201E, 0x2030, 0x3F: true
            // In the Korean set these bytes begin ideographs.
            case 0x4E00...0x9FFF, 0xF900...0xFAFF: true
            // `é` becomes a syllable.
            case 0xAC00...0xD7A3: isBehindLetter
            default: false
            }
        }
    }

    /// Texts with more bytes are compared with one reading only.
    private static let longestRead = 1 << 16
}

/// A UTF-8 text as read in another character set, without the characters that are not compared.
private struct Reading: Sequence, IteratorProtocol {
    let set: MistakenCharacterSet
    private let bytes: [UInt8]
    /// The number of bytes that an invalid pair consumes.
    private let passed: Int
    private var index = 0

    private init(_ bytes: [UInt8], _ set: MistakenCharacterSet, passing passed: Int = 1) {
        self.bytes = bytes
        self.set = set
        self.passed = passed
    }

    static func all(of text: String) -> [Reading] {
        let bytes = Array(text.utf8)
        return MistakenCharacterSet.allCases.flatMap { set -> [Reading] in
            switch set {
            case .windows1252, .latin1, .macRoman: [Reading(bytes, set)]
            case .windows949: [Reading(bytes, set, passing: 2), Reading(bytes, set)]
            case .lossy: []
            }
        }
    }

    /// Compares canonically equal ideographs as equal.
    ///
    /// The Korean set has compatibility ideographs, which some editors replace with their equal counterparts.
    static func areEqual(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        one == other || (0xF900...0xFAFF).contains(Swift.max(one, other).value) && String(one) == String(other)
    }

    var isTelling: Bool { contains { $0.value >= 0x80 } }

    /// With the blanks and marks that are not compared.
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

    /// `nil` if the bytes are invalid.
    private mutating func read() -> Unicode.Scalar? {
        let byte = bytes[index]
        index += 1
        guard byte >= 0x80 else { return Unicode.Scalar(byte) }
        switch set {
        case .latin1, .lossy: return Unicode.Scalar(byte)
        case .windows1252: return byte < 0xA0 ? HTMLEntities.windows[Int(byte - 0x80)] : Unicode.Scalar(byte)
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

    /// 0x80 to 0xFF of Mac Roman.
    fileprivate static let mac = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
            + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars
    )
}

extension MistakenCharacterSet {
    /// The byte of a character in a Western set; `nil` if it is missing there.
    ///
    /// Programs treat Windows-1252 and ISO-8859-1 alike, so they are one set here.
    func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 { return UInt8(scalar.value) }
        if self == .macRoman { return Self.macBytes[scalar] }
        return scalar.value <= 0xFF ? UInt8(scalar.value) : Self.windowsBytes[scalar]
    }

    private static let macBytes = bytes(of: Reading.mac)
    private static let windowsBytes = bytes(of: HTMLEntities.windows)

    private static func bytes(of table: [Unicode.Scalar]) -> [Unicode.Scalar: UInt8] {
        Dictionary(zip(table, 0x80...0xFF)) { first, _ in first }
    }
}

extension Unicode.Scalar {
    /// Whether the character is not compared: a blank, or a mark that programs write for invalid bytes.
    fileprivate var isLoose: Bool {
        value <= 0x20 || (0x7F...0xA0).contains(value) || value == 0x3F || value == 0xFFFD || value == 0x30FB
            || (value > 0xA0 && properties.isWhitespace)
    }
}
