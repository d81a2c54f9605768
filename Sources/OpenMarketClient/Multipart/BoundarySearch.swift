/// Looks for a boundary in content that passes by in pieces (Horspool's search: most bytes are never looked at).
struct BoundarySearch {
    private let needle: [UInt8]
    private let shifts: [Int]
    /// The end of what passed by, where an occurrence may have begun.
    private var tail: [UInt8] = []
    /// Whether the boundary occurred.
    private(set) var found = false

    /// Looks for the line that a boundary makes, without the line break before it.
    init(boundary: String) {
        needle = Array("--\(boundary)".utf8)
        var shifts = [Int](repeating: needle.count, count: 256)
        for (index, byte) in needle.dropLast().enumerated() { shifts[Int(byte)] = needle.count - 1 - index }
        self.shifts = shifts
    }

    /// Takes in the next piece.
    mutating func update(_ piece: UnsafeRawBufferPointer) {
        guard !found else { return }
        // What spans two pieces lies within the needle's length around the seam.
        let seam = tail + piece.prefix(needle.count - 1)
        found = seam.withUnsafeBytes(occurs) || occurs(piece)
        tail = Array(
            (piece.count < needle.count ? seam : Array(piece.suffix(needle.count - 1))).suffix(needle.count - 1)
        )
    }

    private func occurs(_ haystack: UnsafeRawBufferPointer) -> Bool {
        let last = needle.count - 1
        var end = last
        while end < haystack.count {
            let byte = haystack[end]
            if byte == needle[last] {
                var index = 0
                while index < last, haystack[end - last + index] == needle[index] { index += 1 }
                if index == last { return true }
            }
            end += shifts[Int(byte)]
        }
        return false
    }
}
