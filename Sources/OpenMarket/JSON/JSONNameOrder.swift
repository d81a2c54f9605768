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
