// Hot: every byte of every page passes here. The slow twins are in `ByteScanTests`.

/// Eight bytes, looked at all at once.
struct ByteWord {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Which of the bytes were hit.
    ///
    /// Behind the first one there may be wrong ones, so only the first counts.
    struct Hits {
        fileprivate let bits: UInt64

        var isHit: Bool { bits & ByteWord.highs != 0 }

        /// The place of the first byte that was hit.
        var first: Int { (bits & ByteWord.highs).trailingZeroBitCount / 8 }

        static func | (left: Hits, right: Hits) -> Hits { Hits(bits: left.bits | right.bits) }
    }

    init(_ bytes: UnsafePointer<UInt8>) {
        word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// Whether all bytes are ASCII.
    var isASCII: Bool { word & Self.highs == 0 }

    // A byte's high bit is set where the byte is zero, or borrowed from for it.

    func equal(to byte: UInt8) -> Hits {
        let difference = word ^ Self.ones &* UInt64(byte)
        return Hits(bits: (difference &- Self.ones) & ~difference)
    }

    func below(_ byte: UInt8) -> Hits {
        Hits(bits: (word &- Self.ones &* UInt64(byte)) & ~word)
    }
}

/// Where a byte is first in a stretch of memory; `end` where it does not.
func firstPlace(of byte: UInt8, in base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index + 8 <= end {
        let hits = ByteWord(base + index).equal(to: byte)
        if hits.isHit { return index + hits.first }
        index += 8
    }
    while index < end, base[index] != byte { index += 1 }
    return index
}

/// Whether two stretches of memory hold the same bytes, a word at a time.
func haveSameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
    let (left, right) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
    func differ<Word: FixedWidthInteger & BitwiseCopyable>(at index: Int, _: Word.Type) -> Bool {
        left.loadUnaligned(fromByteOffset: index, as: Word.self)
            != right.loadUnaligned(fromByteOffset: index, as: Word.self)
    }
    guard count >= 8 else {
        var index = 0
        if count >= 4 {
            guard !differ(at: 0, UInt32.self) else { return false }
            index = 4
        }
        while index < count {
            guard !differ(at: index, UInt8.self) else { return false }
            index += 1
        }
        return true
    }
    var index = 0
    while index + 8 < count {
        guard !differ(at: index, UInt64.self) else { return false }
        index += 8
    }
    // The last word overlaps the one before it.
    return !differ(at: count - 8, UInt64.self)
}

/// Whether bytes are UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
///
/// The standard library's own check takes several times as long for Korean, three bytes a character.
func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var index = 0
    while index + 4 <= count {
        let word = UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
        if word & 0x80 == 0 {
            let others = word & 0x8080_8080
            index += others == 0 ? 4 : others.trailingZeroBitCount / 8
            while others == 0, index + 8 <= count, ByteWord(base + index).isASCII { index += 8 }
        } else if word & 0x00C0_C0F0 == 0x0080_80E0, word & 0x200F != 0, word & 0x200F != 0x200D {
            // Three bytes that belong together, neither overlong (E0 with a second byte below A0) nor a surrogate (ED with
            // one above 9F).
            index += 3
        } else {
            guard let length = lengthOfCharacter(base + index, left: count - index) else { return false }
            index += length
        }
    }
    while index < count {
        guard let length = lengthOfCharacter(base + index, left: count - index) else { return false }
        index += length
    }
    return true
}

/// How many bytes the character has that begins here; `nil` where none does.
private func lengthOfCharacter(_ bytes: UnsafePointer<UInt8>, left: Int) -> Int? {
    func continues(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }
    switch bytes[0] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return left >= 2 && continues(1) ? 2 : nil
    case 0xE0...0xEF:
        guard left >= 3, continues(1), continues(2) else { return nil }
        if bytes[0] == 0xE0, bytes[1] < 0xA0 { return nil }
        return bytes[0] == 0xED && bytes[1] > 0x9F ? nil : 3
    case 0xF0...0xF4:
        guard left >= 4, continues(1), continues(2), continues(3) else { return nil }
        if bytes[0] == 0xF0, bytes[1] < 0x90 { return nil }
        return bytes[0] == 0xF4 && bytes[1] > 0x8F ? nil : 4
    default: return nil
    }
}
