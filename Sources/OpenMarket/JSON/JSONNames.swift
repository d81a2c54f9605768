/// The member names that a reader of objects knows, in any of the spellings that the markets use.
///
/// `vendor_name`, `vendorName` and `VendorName` are the same name here (docs/profiles.md, "Dirty data"): underscores and
/// the case of ASCII letters do not count. Names are compared as two machine words, so a name has at most 16
/// letters and digits.
struct JSONNames: Sendable {
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
    init(_ names: [String]) {
        words = names.map { name in
            var word = Word()
            for byte in name.utf8 {
                let fits = word.append(byte)
                precondition(fits && byte < 0x80, "a name that cannot be looked up: \(name)")
            }
            return word
        }
    }

    /// The index of a name as it is between its quotes; `nil` when it is not one of these.
    func index(of name: Span<UInt8>) -> Int? {
        var word = Word()
        for index in name.indices {
            guard word.append(name[index]) else { return nil }
        }
        return words.firstIndex(of: word)
    }
}

/// In which order the objects of a list name their members: mostly all in the same.
///
/// A name that is spelled as the one at its place in the object before needs no look-up. For the objects that one reader
/// reads with one set of names.
package struct JSONNameOrder {
    /// A name with its closing quote, as it is in the reader's text.
    private struct Seen {
        var start: Int
        var count: Int
        var index: Int
    }

    private var seen: [Seen] = []
    private var next = 0
    /// Names of longer objects are looked up.
    private static let most = 64

    /// No object was read yet.
    package init() {}

    /// Forgets the names of all objects: those that follow are in another text.
    package mutating func forget() { seen.removeAll(keepingCapacity: true) }

    /// Begins another object.
    mutating func restart() { next = 0 }

    /// The name that begins at `start`, if it is the same as at its place in the object before: its index, and where it
    /// ends.
    mutating func expected(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> (index: Int, end: Int)? {
        guard next < seen.count, let base = text.baseAddress else { return nil }
        let name = seen[next]
        guard name.count <= text.count - start, unsafe haveSameBytes(base + start, base + name.start, count: name.count)
        else {
            return nil
        }
        next += 1
        return (name.index, start + name.count)
    }

    /// Remembers a name that had to be looked up.
    mutating func note(_ index: Int, from start: Int, to end: Int) {
        let name = Seen(start: start, count: end - start, index: index)
        if next < seen.count {
            seen[next] = name
        } else if next < Self.most {
            seen.append(name)
        }
        next += 1
    }
}
