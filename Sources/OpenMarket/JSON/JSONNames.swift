/// The member names of a reader of objects, in any spelling that the markets use.
///
/// `vendor_name`, `vendorName` and `VendorName` are the same name (docs/reference/open-market-versions.md, "Dirty
/// data"): underscores and the case of ASCII letters do not count. Names are compared as two machine words, so a name
/// has at most 16 letters and digits.
struct JSONNames: Sendable {
    private let words: [Word]

    struct Word: Equatable, Sendable {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count: UInt8 = 0

        /// `false` if the name is too long for a name of the reader.
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

    /// Names are identified by their index, and must be ASCII with at most 16 letters and digits.
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

    /// The index of a name between its quotes; `nil` if the name is unknown.
    func index(of name: Span<UInt8>) -> Int? {
        var word = Word()
        for index in name.indices {
            guard word.append(name[index]) else { return nil }
        }
        return words.firstIndex(of: word)
    }
}

/// The order of member names in the objects of a list, mostly the same for all.
///
/// A name that equals the one at the same position in the previous object is matched without a look-up. One value
/// serves one reader and one set of names.
package struct JSONNameOrder {
    private struct Seen {
        var start: Int
        var count: Int
        var index: Int
    }

    private var seen: [Seen] = []
    private var next = 0
    /// The number of remembered names; later names of an object are looked up.
    private static let most = 64

    package init() {}

    /// Forgets all names, because the following objects are in another text.
    package mutating func forget() { seen.removeAll(keepingCapacity: true) }

    mutating func restart() { next = 0 }

    /// The index and end of the name at `start`, if it equals the one at its position in the previous object.
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
