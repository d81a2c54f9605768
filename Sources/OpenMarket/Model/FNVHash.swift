/// The hash FNV-1a, which distinguishes texts and rows at little cost; not a cryptographic hash.
package struct FNVHash: Hashable, Sendable {
    /// The hash of all that was added.
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of nothing.
    package init() {}

    /// The hash of some bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds a text, with its length: bytes do not move from one text to the next unnoticed.
    package mutating func add(_ text: String) {
        add(word: UInt64(text.utf8.count))
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds eight bytes in one step, which is faster; another hash than that of the bytes one by one.
    package mutating func add(word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }

    /// Adds bytes eight by eight, and those that remain one by one.
    package mutating func add(words bytes: UnsafeRawBufferPointer) {
        let whole = bytes.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            add(word: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        for place in whole..<bytes.count { add(word: UInt64(bytes[place])) }
    }
}
