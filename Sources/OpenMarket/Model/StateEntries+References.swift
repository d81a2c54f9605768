extension Span<UInt8> {
    /// Whether these are `count` distinct references of a product's pictures, one per line.
    ///
    /// Numbers must have their canonical form.
    func areReferences(ofPictures count: Int) -> Bool {
        var lines: [Range<Int>] = []
        var start = 0
        for end in indices where self[end] == UInt8(ascii: "\n") {
            let line = extracting(start..<end)
            guard line.isPlainReference, !lines.contains(where: { extracting($0).isExactly(line) }) else {
                return false
            }
            lines.append(start..<end)
            start = end + 1
        }
        return start == self.count && lines.count == count
    }

    /// Whether this clearly is not a number, or is one in canonical form.
    private var isPlainReference: Bool {
        guard let first else { return false }
        switch first {
        case UInt8(ascii: "1")...UInt8(ascii: "9"):
            return count <= 18 && allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        case UInt8(ascii: "0"), UInt8(ascii: "+"), UInt8(ascii: "-"): return false
        default: return true
        }
    }
}
