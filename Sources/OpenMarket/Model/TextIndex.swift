/// Finds a record by one of its texts, without storing the texts a second time.
///
/// A hash table with linear probing: 8 bytes a slot, at most half full. Texts that people see as equal are equal, so
/// the hash is ``Swift/String/composedHash``.
package struct TextIndex: Sendable {
    private struct Slot: Sendable {
        /// -1 for a free slot.
        var position: Int32 = -1
        /// A part of the text's hash: it avoids most needless comparisons, and all when the table grows.
        var hash: UInt32 = 0
    }

    private var slots = Array(repeating: Slot(), count: 64)
    private var count = 0

    package init() {}

    mutating func reserveCapacity(_ capacity: Int) {
        while slots.count < capacity * 2 { grow() }
    }

    package enum Match {
        case found(Int)
        /// No record has the text; the vacancy is its slot.
        case none(Vacancy)
    }

    /// A free slot, valid until something is added.
    package struct Vacancy {
        fileprivate let slot: Int
        fileprivate let hash: UInt32
    }

    /// Looks for a record with a text of this hash; if there is none, a new one can be added with ``insert(_:at:)``.
    ///
    /// Search and insertion are two steps, so that the index can be stored among the records that the search reads. If
    /// a search also wrote, each search would need its own references to all of them.
    package func search(_ hash: Int, isEqual: (Int) -> Bool) -> Match {
        let hash = UInt32(truncatingIfNeeded: hash)
        let slot = slot(of: hash, isEqual: isEqual)
        let position = slots[slot].position
        return position < 0 ? .none(Vacancy(slot: slot, hash: hash)) : .found(Int(position))
    }

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

    /// Changes the position of a record that has a text of this hash.
    mutating func move(_ hash: Int, from old: Int, to new: Int) {
        let slot = slot(of: UInt32(truncatingIfNeeded: hash)) { $0 == old }
        if slots[slot].position >= 0 { slots[slot].position = Int32(truncatingIfNeeded: new) }
    }

    /// Removes a record that has a text of this hash.
    mutating func remove(_ hash: Int, at position: Int) {
        var free = slot(of: UInt32(truncatingIfNeeded: hash)) { $0 == position }
        guard slots[free].position >= 0 else { return }
        count -= 1
        // Entries that were displaced by the removed one move up.
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

    /// The slot that holds a text, or the free one for it.
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
