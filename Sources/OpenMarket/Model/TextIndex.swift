/// Finds a record by a text of its own, without holding the texts a second time.
///
/// A hash table with linear probing: 8 bytes a slot, at most half full. Texts are equal as people see them, so the hash
/// is ``Swift/String/composedHash``.
package struct TextIndex: Sendable {
    private struct Slot: Sendable {
        /// -1 for a free slot.
        var position: Int32 = -1
        /// A part of the text's hash, so that texts are seldom looked up in vain, and never for growing.
        var hash: UInt32 = 0
    }

    private var slots = Array(repeating: Slot(), count: 64)
    private var count = 0

    package init() {}

    /// Makes room for so many records.
    mutating func reserveCapacity(_ capacity: Int) {
        while slots.count < capacity * 2 { grow() }
    }

    /// What a search came to.
    package enum Match {
        /// A record has the text.
        case found(Int)
        /// No record has it; where it belongs.
        case none(Vacancy)
    }

    /// A free slot, until something is added.
    package struct Vacancy {
        fileprivate let slot: Int
        fileprivate let hash: UInt32
    }

    /// Looks for a record; where there is none, a new one can be noted with ``insert(_:at:)``.
    ///
    /// Two steps, so that the index can be among the records that the search looks at: with one that also writes, each
    /// search would need references of its own to all of them.
    ///
    /// - Parameters:
    ///   - hash: the hash of the text that is looked for.
    ///   - isEqual: whether a record noted before has the text.
    /// - Returns: the record, or where it belongs.
    package func search(_ hash: Int, isEqual: (Int) -> Bool) -> Match {
        let hash = UInt32(truncatingIfNeeded: hash)
        let slot = slot(of: hash, isEqual: isEqual)
        let position = slots[slot].position
        return position < 0 ? .none(Vacancy(slot: slot, hash: hash)) : .found(Int(position))
    }

    /// Notes a new record.
    package mutating func insert(_ position: Int, at vacancy: Vacancy) {
        slots[vacancy.slot] = Slot(position: Int32(truncatingIfNeeded: position), hash: vacancy.hash)
        count += 1
        if count * 2 >= slots.count { grow() }
    }

    /// The record that has a text of this hash.
    package func find(_ hash: Int, isEqual: (Int) -> Bool) -> Int? {
        let slot = slot(of: UInt32(truncatingIfNeeded: hash), isEqual: isEqual)
        return slots[slot].position < 0 ? nil : Int(slots[slot].position)
    }

    /// Gives a record that has a text of this hash another position.
    mutating func move(_ hash: Int, from old: Int, to new: Int) {
        let slot = slot(of: UInt32(truncatingIfNeeded: hash)) { $0 == old }
        if slots[slot].position >= 0 { slots[slot].position = Int32(truncatingIfNeeded: new) }
    }

    /// Forgets a record that has a text of this hash.
    mutating func remove(_ hash: Int, at position: Int) {
        var free = slot(of: UInt32(truncatingIfNeeded: hash)) { $0 == position }
        guard slots[free].position >= 0 else { return }
        count -= 1
        // What follows it, because its own slot was taken, moves up.
        var next = (free + 1) & (slots.count - 1)
        while slots[next].position >= 0 {
            let home = Int(slots[next].hash) & (slots.count - 1)
            if (next - home) & (slots.count - 1) >= (next - free) & (slots.count - 1) {
                slots[free] = slots[next]
                free = next
            }
            next = (next + 1) & (slots.count - 1)
        }
        slots[free] = Slot()
    }

    /// The slot that holds a text, or the free one where it belongs.
    private func slot(of hash: UInt32, isEqual: (Int) -> Bool) -> Int {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot].position >= 0 {
            if slots[slot].hash == hash, isEqual(Int(slots[slot].position)) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for entry in old where entry.position >= 0 {
            var slot = Int(entry.hash) & (slots.count - 1)
            while slots[slot].position >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = entry
        }
    }
}
