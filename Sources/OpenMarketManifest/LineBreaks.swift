import OpenMarket

/// Finds line ends as YAML counts them, byte by byte: LF, CR, CR LF, U+0085, U+2028 and U+2029.
struct LineBreaks {
    /// The role of a byte in a line.
    enum Step {
        case inside
        /// The last byte of a line break of `length` bytes; the earlier ones were reported as part of the line.
        case end(length: Int)
        /// The LF of a CR LF; the line ended before it.
        case pastEnd
    }

    private var previous: UInt8 = 0
    private var beforePrevious: UInt8 = 0
    private var isFirstChunk = true

    /// The next chunk of a file, without a byte order mark at the start of the first chunk.
    mutating func withoutMark<Chunk: Collection<UInt8>>(_ chunk: Chunk) -> Chunk.SubSequence {
        defer { isFirstChunk = false }
        return isFirstChunk ? chunk.withoutUTF8Mark : chunk[...]
    }

    mutating func step(_ byte: UInt8) -> Step {
        defer { (beforePrevious, previous) = (previous, byte) }
        if byte == 0x0A { return previous == 0x0D ? .pastEnd : .end(length: 1) }
        if byte == 0x0D { return .end(length: 1) }
        if previous == 0xC2, byte == 0x85 { return .end(length: 2) }
        if beforePrevious == 0xE2, previous == 0x80, byte == 0xA8 || byte == 0xA9 { return .end(length: 3) }
        return .inside
    }
}
