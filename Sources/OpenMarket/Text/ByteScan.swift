// Hot: every byte of every page passes here. The reference implementations are in `ByteScanTests`.

/// Eight bytes, examined at once.
struct ByteWord {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The bytes that match; bits after the first match may be wrong, so only the first counts.
    struct Hits {
        fileprivate let bits: UInt64

        var isHit: Bool { bits & ByteWord.highs != 0 }

        var first: Int { (bits & ByteWord.highs).trailingZeroBitCount / 8 }

        static func | (left: Hits, right: Hits) -> Hits { Hits(bits: left.bits | right.bits) }
    }

    init(_ bytes: UnsafePointer<UInt8>) {
        word = unsafe UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
    }

    /// Loads the eight bytes from `index` on, which must exist.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at index: Int) {
        precondition(index >= 0 && index + 8 <= bytes.count, "a word within the bytes")
        word = unsafe UInt64(
            littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
        )
    }

    var isASCII: Bool { word & Self.highs == 0 }

    // A byte's high bit is set if the byte is zero, or if a lower byte borrowed from it.

    func equal(to byte: UInt8) -> Hits {
        let difference = word ^ Self.ones &* UInt64(byte)
        return Hits(bits: (difference &- Self.ones) & ~difference)
    }

    func below(_ byte: UInt8) -> Hits {
        Hits(bits: (word &- Self.ones &* UInt64(byte)) & ~word)
    }
}

func haveSameBytes(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int) -> Bool {
    let (left, right) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
    func differ<Word: FixedWidthInteger & BitwiseCopyable>(at index: Int, _: Word.Type) -> Bool {
        unsafe left.loadUnaligned(fromByteOffset: index, as: Word.self)
            != right.loadUnaligned(fromByteOffset: index, as: Word.self)
    }
    var index = 0
    while index + 8 <= count {
        guard !differ(at: index, UInt64.self) else { return false }
        index += 8
    }
    while index < count {
        guard !differ(at: index, UInt8.self) else { return false }
        index += 1
    }
    return true
}

extension Span<UInt8> {
    /// The first occurrence of a byte from `start` on; the end if there is none.
    func firstIndex(of byte: UInt8, from start: Int) -> Int {
        var index = start
        while index + 8 <= count {
            let hits = ByteWord(self, at: index).equal(to: byte)
            if hits.isHit { return index + hits.first }
            index += 8
        }
        while index < count, self[index] != byte { index += 1 }
        return index
    }

    /// The first byte from `start` on that ends a cell of CSV without quotes, or needs quotes around it.
    func endOfPlainCell(_ delimiter: UInt8, from start: Int) -> Int {
        let (quote, lineFeed, carriageReturn) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var index = start
        while index + 8 <= count {
            let word = ByteWord(self, at: index)
            let hits =
                word.equal(to: delimiter) | word.equal(to: quote) | word.equal(to: lineFeed)
                | word.equal(to: carriageReturn)
            if hits.isHit { return index + hits.first }
            index += 8
        }
        while index < count {
            let byte = self[index]
            if byte == delimiter || byte == quote || byte == lineFeed || byte == carriageReturn { return index }
            index += 1
        }
        return index
    }

    var isUTF8: Bool { unsafe withUnsafeBufferPointer { unsafe OpenMarket.isUTF8($0) } }
}

/// Whether bytes are UTF-8 (Unicode, table 3-7): no overlong forms, no surrogates, no code points above U+10FFFF.
///
/// The standard library's check takes several times as long for Korean, which has three bytes per character.
func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let count = bytes.count
    var index = 0
    while index + 4 <= count {
        let word = unsafe UInt32(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self))
        if word & 0x80 == 0 {
            let others = word & 0x8080_8080
            index += others == 0 ? 4 : others.trailingZeroBitCount / 8
            while others == 0, index + 8 <= count, unsafe ByteWord(base + index).isASCII { index += 8 }
        } else if word & 0x00C0_C0F0 == 0x0080_80E0, word & 0x200F != 0, word & 0x200F != 0x200D {
            // One three-byte character, neither overlong (E0 with a second byte below A0) nor a surrogate (ED with one
            // above 9F).
            index += 3
        } else {
            guard let length = unsafe lengthOfCharacter(base + index, left: count - index) else { return false }
            index += length
        }
    }
    while index < count {
        guard let length = unsafe lengthOfCharacter(base + index, left: count - index) else { return false }
        index += length
    }
    return true
}

/// The length in bytes of the character here; `nil` if none begins here.
private func lengthOfCharacter(_ bytes: UnsafePointer<UInt8>, left: Int) -> Int? {
    func continues(_ index: Int) -> Bool { unsafe bytes[index] & 0xC0 == 0x80 }
    switch unsafe bytes[0] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: return left >= 2 && continues(1) ? 2 : nil
    case 0xE0...0xEF:
        guard left >= 3, continues(1), continues(2) else { return nil }
        if unsafe bytes[0] == 0xE0, unsafe bytes[1] < 0xA0 { return nil }
        return unsafe bytes[0] == 0xED && bytes[1] > 0x9F ? nil : 3
    case 0xF0...0xF4:
        guard left >= 4, continues(1), continues(2), continues(3) else { return nil }
        if unsafe bytes[0] == 0xF0, unsafe bytes[1] < 0x90 { return nil }
        return unsafe bytes[0] == 0xF4 && bytes[1] > 0x8F ? nil : 4
    default: return nil
    }
}
