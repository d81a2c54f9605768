/// Finds a record by one of its texts, without storing the texts a second time.
///
/// Texts that people see as equal are equal, so the hash is ``Swift/String/composedHash``.
package struct TextIndex: Sendable {
    /// Positions by a part of the text's hash, or by the next number if another text has it; -1 where one was removed.
    private var positions: [UInt32: Int32] = [:]

    package init() {}

    mutating func reserveCapacity(_ capacity: Int) { positions.reserveCapacity(capacity) }

    /// The record that has a text of this hash.
    package func find(_ hash: Int, isEqual: (Int) -> Bool) -> Int? {
        var place = UInt32(truncatingIfNeeded: hash)
        while let position = positions[place] {
            if position >= 0, isEqual(Int(position)) { return Int(position) }
            place &+= 1
        }
        return nil
    }

    /// Adds a record whose text no other has.
    package mutating func insert(_ position: Int, _ hash: Int) {
        var place = UInt32(truncatingIfNeeded: hash)
        while positions[place, default: -1] >= 0 { place &+= 1 }
        positions[place] = Int32(truncatingIfNeeded: position)
    }

    /// Changes the position of a record that has a text of this hash; `nil` removes it.
    mutating func move(_ hash: Int, from old: Int, to new: Int?) {
        var place = UInt32(truncatingIfNeeded: hash)
        while let position = positions[place] {
            if position == old { return positions[place] = Int32(truncatingIfNeeded: new ?? -1) }
            place &+= 1
        }
    }
}
