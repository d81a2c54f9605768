import OpenMarket

/// Composed nodes in contiguous memory: a cell for each node, and the bytes of all their texts in one block.
///
/// A tree of Swift values would allocate for every list, mapping and longer text. That costs more than libyaml needs to
/// read the file. Here a node is the number of its cell, its content follows it, and a text becomes a `String` on
/// demand.
///
/// A tape never changes after it is created, so that one task can compose while another reads.
final class YAMLTape: Sendable {
    /// A node, or the key before one.
    struct Cell: Sendable {
        enum Kind: UInt8 {
            case scalar
            case sequence
            case mapping
            /// A node of another tape, in ``YAMLTape/shared``: an alias's node, or a merged key or value.
            case shared
        }

        var kind: Kind
        var style = YAMLScalarStyle.plain
        /// Whether a key is plain, without quotes, anchor or tag.
        var isBare = false
        /// The number of its tag in ``YAMLTape/tags``, from 1; 0 for none.
        var tag: UInt32 = 0
        var start: SourcePosition
        var end: SourcePosition
        /// The start of a scalar's text in ``YAMLTape/bytes``, the number of a shared node, else the first cell after
        /// the node.
        var position: UInt32 = 0
        /// The number of bytes of a scalar, of items of a list, or of entries of a mapping.
        var count: UInt32 = 0
    }

    let cells: [Cell]
    let bytes: [UInt8]
    let tags: [String]
    let shared: [YAMLNode]

    init(cells: [Cell], bytes: [UInt8], tags: [String], shared: [YAMLNode]) {
        self.cells = cells
        self.bytes = bytes
        self.tags = tags
        self.shared = shared
    }

    /// The node of a cell, on this or a shared tape.
    func node(_ index: Int) -> YAMLNode {
        let cell = cells[index]
        return cell.kind == .shared ? shared[Int(cell.position)] : YAMLNode(tape: self, index: index)
    }

    /// The first cell after a node.
    func end(of index: Int) -> Int {
        switch cells[index].kind {
        case .scalar, .shared: index + 1
        case .sequence, .mapping: Int(cells[index].position)
        }
    }

    func withText<Result>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = Int(cells[index].position)
        let count = Int(cells[index].count)
        return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
    }
}

extension YAMLTape {
    /// A tape being composed.
    struct Draft {
        /// The length of each part, so that additions can be removed again.
        struct Length {
            fileprivate var cells: Int
            fileprivate var bytes: Int
            fileprivate var shared: Int
        }

        var cells: [Cell] = []
        private(set) var bytes: [UInt8] = []
        private var tags: [String] = []
        private var shared: [YAMLNode] = []

        mutating func reserveCapacity(cells cellCount: Int, bytes byteCount: Int) {
            cells.reserveCapacity(cellCount)
            bytes.reserveCapacity(byteCount)
        }

        var length: Length { Length(cells: cells.count, bytes: bytes.count, shared: shared.count) }

        /// Removes all additions since that length.
        mutating func truncate(to length: Length) {
            cells.removeLast(cells.count - length.cells)
            bytes.removeLast(bytes.count - length.bytes)
            shared.removeLast(shared.count - length.shared)
        }

        mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ cell: consuming Cell) {
            cell.position = UInt32(truncatingIfNeeded: bytes.count)
            cell.count = UInt32(truncatingIfNeeded: text.count)
            bytes.append(contentsOf: text)
            cells.append(cell)
        }

        mutating func append(_ node: YAMLNode) {
            let position = UInt32(truncatingIfNeeded: shared.count)
            cells.append(Cell(kind: .shared, start: node.start, end: node.end, position: position))
            shared.append(node)
        }

        /// The number of a tag; equal tags mostly share one, because a tape has few of them.
        mutating func number(of tag: String) -> UInt32 {
            if let known = tags.suffix(8).lastIndex(of: tag) { return UInt32(known + 1) }
            tags.append(tag)
            return UInt32(tags.count)
        }

        /// The text of a scalar, on this or a shared tape; `nil` if the node is not a scalar.
        func text(of index: Int) -> String? {
            let cell = cells[index]
            return switch cell.kind {
            case .scalar: withText(of: index) { String(decoding: $0, as: UTF8.self) }
            case .shared: shared[Int(cell.position)].text
            case .sequence, .mapping: nil
            }
        }

        func withText<Result>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            let start = Int(cells[index].position)
            let count = Int(cells[index].count)
            return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
        }

        /// Whether the numbers in cells are exhausted.
        var isFull: Bool { bytes.count > Int(UInt32.max) >> 1 || cells.count > Int(UInt32.max) >> 1 }

        /// The finished tape; later additions begin a new one.
        mutating func finish() -> YAMLTape {
            defer { self = Draft() }
            return YAMLTape(cells: cells, bytes: bytes, tags: tags, shared: shared)
        }
    }
}
