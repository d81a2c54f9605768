/// The member names that a reader of objects knows, in any of the spellings that the markets use.
///
/// `vendor_name`, `vendorName` and `VendorName` are the same name here (docs/profiles.md, "Dirty data"): underscores and
/// the case of ASCII letters do not count. Names are compared as two machine words, so a name has at most 16
/// letters and digits.
public struct JSONNames: Sendable {
    private let words: [Word]

    struct Word: Equatable, Sendable {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count: UInt8 = 0

        /// Takes in one byte of a name; `false` when the name is too long to be one of ours.
        mutating func append(_ byte: UInt8) -> Bool {
            guard byte != UInt8(ascii: "_") else { return true }
            guard count < 16 else { return false }
            let isUpper = byte &- UInt8(ascii: "A") < 26
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(isUpper ? byte | 0x20 : byte)
            count += 1
            return true
        }
    }

    /// Names, found again by their index.
    ///
    /// - Precondition: every name is ASCII with at most 16 letters and digits.
    public init(_ names: [String]) {
        words = names.map { name in
            var word = Word()
            for byte in name.utf8 {
                let fits = word.append(byte)
                precondition(fits && byte < 0x80, "a name that cannot be looked up: \(name)")
            }
            return word
        }
    }

    /// The index of a name as it stands between its quotes; `nil` when it is none of these.
    func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        var word = Word()
        for byte in name {
            guard word.append(byte) else { return nil }
        }
        return words.firstIndex(of: word)
    }
}
