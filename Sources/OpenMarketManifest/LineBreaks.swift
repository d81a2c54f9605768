/// Knows where lines end, as YAML does, in bytes that come one by one: LF, CR, CR LF, U+0085, U+2028 and U+2029.
struct LineBreaks {
    /// What a byte is for the lines.
    enum Step {
        /// A byte of a line.
        case inside
        /// The last byte of a line break of so many bytes, those before it among the line's until now.
        case end(length: Int)
        /// The LF of a CR LF: the line ended before it.
        case pastEnd
    }

    private var previous: UInt8 = 0
    private var beforePrevious: UInt8 = 0
    private var isFirstChunk = true

    /// The bytes of a file's next chunk, without the byte order mark that the first one may begin with.
    mutating func withoutMark<Chunk: Collection<UInt8>>(_ chunk: Chunk) -> Chunk.SubSequence {
        defer { isFirstChunk = false }
        return isFirstChunk && chunk.starts(with: [0xEF, 0xBB, 0xBF]) ? chunk.dropFirst(3) : chunk[...]
    }

    /// Takes in the next byte.
    mutating func step(_ byte: UInt8) -> Step {
        defer { (beforePrevious, previous) = (previous, byte) }
        if byte == 0x0A { return previous == 0x0D ? .pastEnd : .end(length: 1) }
        if byte == 0x0D { return .end(length: 1) }
        if previous == 0xC2, byte == 0x85 { return .end(length: 2) }
        if beforePrevious == 0xE2, previous == 0x80, byte == 0xA8 || byte == 0xA9 { return .end(length: 3) }
        return .inside
    }
}
