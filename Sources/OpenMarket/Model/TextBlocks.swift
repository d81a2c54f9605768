/// Texts one after another in a few large blocks of memory.
///
/// A `String` of more than 15 bytes is a separate allocation, with 32 bytes before the text. Manifests and states of
/// 100 000 products hold half a million texts, and a plan reads a few of them.
struct TextBlocks: Sendable {
    struct Place: Equatable, Sendable {
        fileprivate var block: UInt32 = 0
        fileprivate var offset: UInt32 = 0
    }

    private var blocks: [[UInt8]] = []
    private static let blockSize = 1 << 20

    /// The position of the next texts, which are adjacent and have `count` bytes together.
    mutating func begin(_ count: Int) -> Place {
        if blocks.last.map({ $0.capacity - $0.count < count }) ?? true {
            var block: [UInt8] = []
            block.reserveCapacity(max(count, Self.blockSize))
            blocks.append(block)
        }
        return Place(block: UInt32(blocks.count - 1), offset: UInt32(blocks[blocks.count - 1].count))
    }

    /// Adds a text; returns its length in bytes, -1 for none.
    ///
    /// See ``begin(_:)``.
    mutating func add(_ text: String?) -> Int32 { text?.withUTF8Span { add($0) } ?? -1 }

    /// Adds the bytes of a text; returns their number, -1 for none.
    mutating func add(_ text: Span<UInt8>?) -> Int32 {
        guard let text else { return -1 }
        if !text.isEmpty { blocks[blocks.count - 1].append(text) }
        return Int32(text.count)
    }

    func with<Result>(_ place: Place, _ range: Range<Int>, _ body: (Span<UInt8>) -> Result) -> Result {
        guard !range.isEmpty else { return body(Span()) }
        let start = Int(place.offset)
        let bytes = start + range.lowerBound..<start + range.upperBound
        let block = blocks[Int(place.block)]
        return body(block.span.extracting(bytes))
    }
}
