/// The hash FNV-1a, which distinguishes texts and rows at little cost; not cryptographic.
package struct FNVHash: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds a text and its length, so that bytes cannot move unnoticed to the next text.
    mutating func add(_ text: String) {
        add(word: UInt64(text.utf8.count))
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds eight bytes in one step, which is faster but gives another hash than single bytes.
    package mutating func add(word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }

    /// Adds bytes eight at a time, and the remaining ones one by one.
    ///
    /// Long inputs alternate between four hashes, because a processor computes four independent ones in the time of
    /// one.
    package mutating func add(words bytes: Span<UInt8>) {
        func word(_ place: Int) -> UInt64 {
            unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        var place = 0
        if bytes.count >= 256 {
            var (first, second, third, fourth) = (self, FNVHash(), FNVHash(), FNVHash())
            while place + 32 <= bytes.count {
                first.add(word: word(place))
                second.add(word: word(place + 8))
                third.add(word: word(place + 16))
                fourth.add(word: word(place + 24))
                place += 32
            }
            self = first
            add(word: second.value)
            add(word: third.value)
            add(word: fourth.value)
        }
        while place + 8 <= bytes.count {
            add(word: word(place))
            place += 8
        }
        for place in place..<bytes.count { add(word: UInt64(bytes[place])) }
    }
}
