import OpenMarket

/// Searches for a boundary in content, whole or in pieces (Horspool's search: most bytes are never read).
struct BoundarySearch {
    let boundary: String
    private let needle: [UInt8]
    private let shifts: [Int]
    /// The end of the previous pieces, in which an occurrence may begin.
    private var tail: [UInt8] = []
    private(set) var found = false

    /// Searches for the delimiter line of a boundary, without the line break before it.
    init(boundary: String) {
        self.boundary = boundary
        needle = Array("--\(boundary)".utf8)
        var shifts = [Int](repeating: needle.count, count: 256)
        for (index, byte) in needle.dropLast().enumerated() { shifts[Int(byte)] = needle.count - 1 - index }
        self.shifts = shifts
    }

    mutating func update(_ piece: Span<UInt8>) {
        guard !found else { return }
        // An occurrence that spans two pieces lies within the needle's length around the seam.
        let seam = tail + Array(piece.extracting(first: min(piece.count, needle.count - 1)))
        found = occurs(in: seam.span) || occurs(in: piece)
        tail =
            piece.count < needle.count
            ? seam.suffix(needle.count - 1) : Array(piece.extracting(last: needle.count - 1))
    }

    /// Whether the boundary occurs in content that is in memory as a whole.
    func occurs(in haystack: Span<UInt8>) -> Bool {
        let (needle, shifts) = (needle.span, shifts.span)
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
