/// Searches bytes in texts, skipping by the distance that a byte of the text allows (Horspool).
package struct BytePattern: Sendable {
    private let bytes: [UInt8]
    private let skips: [Int]

    /// The pattern must have at least one byte.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var skips = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { skips[Int(byte)] = bytes.count - 1 - index }
        self.skips = skips
    }

    package func isFound(in text: Span<UInt8>) -> Bool { first(in: text, from: 0) != nil }

    /// The first occurrence at or after an offset.
    func first(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        var end = start + bytes.count
        while end <= text.count {
            let last = text[end - 1]
            if last == bytes[bytes.count - 1] {
                let range = end - bytes.count..<end
                if bytes.isExactly(text.extracting(range)) { return range }
            }
            end += skips[Int(last)]
        }
        return nil
    }
}
