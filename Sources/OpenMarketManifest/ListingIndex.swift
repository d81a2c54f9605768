/// Finds a listing by a text of its own, without holding the texts a second time.
///
/// A hash table with linear probing: 8 bytes a slot, at most half full.
struct ListingIndex {
    private struct Slot {
        /// -1 for a free slot.
        var position: Int32 = -1
        /// A part of the text's hash, so that texts are seldom looked up in vain, and never for growing.
        var hash: UInt32 = 0
    }

    private var slots = Array(repeating: Slot(), count: 64)
    private var count = 0

    /// Looks for a listing and notes a new one where there is none.
    ///
    /// - Parameters:
    ///   - text: what is looked for.
    ///   - position: the new listing's position.
    ///   - textAt: the text of a listing noted before.
    /// - Returns: the listing that has this text; `nil` when none had.
    mutating func find(_ text: String, orInsert position: Int, textAt: (Int) -> String) -> Int? {
        if count * 2 >= slots.count { grow() }
        let hash = UInt32(truncatingIfNeeded: text.hashValue)
        let slot = slot(of: text, hash: hash, textAt: textAt)
        guard slots[slot].position < 0 else { return Int(slots[slot].position) }
        slots[slot] = Slot(position: Int32(truncatingIfNeeded: position), hash: hash)
        count += 1
        return nil
    }

    /// The listing that has this text.
    func find(_ text: String, textAt: (Int) -> String) -> Int? {
        let slot = slot(of: text, hash: UInt32(truncatingIfNeeded: text.hashValue), textAt: textAt)
        return slots[slot].position < 0 ? nil : Int(slots[slot].position)
    }

    /// The slot that holds a text, or the free one where it belongs.
    private func slot(of text: String, hash: UInt32, textAt: (Int) -> String) -> Int {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot].position >= 0 {
            if slots[slot].hash == hash, textAt(Int(slots[slot].position)) == text { return slot }
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
