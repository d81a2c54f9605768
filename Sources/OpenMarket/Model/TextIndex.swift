/// Finds a record by one of its texts, without a second copy of the texts.
///
/// Texts are equal if they look the same. So the hash is ``Swift/String/composedHash``, of which 32 bits are kept. A
/// record whose hash is taken gets the next free number.
package struct TextIndex: Sendable {
    private var positions: [UInt32: Int32] = [:]
    /// The position of a removed record, after which others with its hash may follow.
    private static let removed: Int32 = -1

    package init() {}

    mutating func reserveCapacity(_ capacity: Int) { positions.reserveCapacity(capacity) }

    package enum Match {
        case found(Int)
        /// No record has the text; the vacancy is for a new record.
        case none(Vacancy)
    }

    /// A free number, valid until something is added.
    package struct Vacancy {
        fileprivate let hash: UInt32
    }

    /// Looks for a record with a text of this hash; without one, a new record can be added with ``insert(_:at:)``.
    ///
    /// Search and insertion are two steps, so that the index can be stored among the records that the search reads. A
    /// search that also wrote would need its own references to all of them.
    package func search(_ hash: Int, isEqual: (Int) -> Bool) -> Match {
        var hash = UInt32(truncatingIfNeeded: hash)
        while let position = positions[hash] {
            if position != Self.removed, isEqual(Int(position)) { return .found(Int(position)) }
            hash &+= 1
        }
        return .none(Vacancy(hash: hash))
    }

    package mutating func insert(_ position: Int, at vacancy: Vacancy) {
        positions[vacancy.hash] = Int32(truncatingIfNeeded: position)
    }

    package func find(_ hash: Int, isEqual: (Int) -> Bool) -> Int? {
        if case .found(let position) = search(hash, isEqual: isEqual) { position } else { nil }
    }

    /// Changes the position of a record with a text of this hash.
    mutating func move(_ hash: Int, from old: Int, to new: Int) {
        replace(hash, old, by: Int32(truncatingIfNeeded: new))
    }

    /// Removes a record with a text of this hash.
    mutating func remove(_ hash: Int, at position: Int) { replace(hash, position, by: Self.removed) }

    private mutating func replace(_ hash: Int, _ old: Int, by new: Int32) {
        var hash = UInt32(truncatingIfNeeded: hash)
        while let position = positions[hash], position != old { hash &+= 1 }
        if positions[hash] != nil { positions[hash] = new }
    }
}
