/// Composed nodes side by side: a cell for each node, and the bytes of all their texts in one block.
///
/// A tree of Swift values would cost an allocation for every list, mapping and longer text of a file, which is more
/// than libyaml needs to read it. Here a node is the number of its cell, what it contains follows it, and a text
/// becomes a `String` when it is asked for. Never changes once it is made, so that one task can compose while
/// another reads.
final class YAMLTape: Sendable {
    /// A node, or the key before one.
    struct Cell: Sendable {
        enum Kind: UInt8 {
            case scalar
            case sequence
            case mapping
            /// A node of another tape, in ``YAMLTape/shared``: what an alias names, or a merged key or value.
            case shared
        }

        var kind: Kind
        var style = YAMLScalarStyle.plain
        /// Whether a key is written bare, without anchor or tag.
        var isBare = false
        /// The number of its tag in ``YAMLTape/tags``, from 1; 0 for none.
        var tag: UInt32 = 0
        var start: YAMLPosition
        var end: YAMLPosition
        /// Where a scalar's text begins in ``YAMLTape/bytes``, a shared node's number; else the number of the first
        /// cell behind the node.
        var position: UInt32 = 0
        /// How many bytes a scalar has, items a list, entries a mapping.
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

    /// The node of a cell, on whichever tape it is.
    func node(_ index: Int) -> YAMLNode {
        let cell = cells[index]
        return cell.kind == .shared ? shared[Int(cell.position)] : YAMLNode(tape: self, index: index)
    }

    /// The first cell behind a node.
    func end(of index: Int) -> Int {
        switch cells[index].kind {
        case .scalar, .shared: index + 1
        case .sequence, .mapping: Int(cells[index].position)
        }
    }

    /// The bytes of a scalar's text.
    func withText<Result>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = Int(cells[index].position)
        let count = Int(cells[index].count)
        return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
    }
}

extension YAMLTape {
    /// A tape in the making.
    struct Draft {
        /// How long each part is, so that what turns out not to count can be taken back.
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

        /// How long each part is.
        var length: Length { Length(cells: cells.count, bytes: bytes.count, shared: shared.count) }

        /// Takes back what was added since then.
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

        /// Adds a node of another tape.
        mutating func append(_ node: YAMLNode) {
            let position = UInt32(truncatingIfNeeded: shared.count)
            cells.append(Cell(kind: .shared, start: node.start, end: node.end, position: position))
            shared.append(node)
        }

        /// The number of a tag; mostly the same for the same tag, because a tape has few of them.
        mutating func number(of tag: String) -> UInt32 {
            if let known = tags.suffix(8).lastIndex(of: tag) { return UInt32(known + 1) }
            tags.append(tag)
            return UInt32(tags.count)
        }

        /// The text of a scalar, on whichever tape it is; `nil` where the node is not one.
        func text(of index: Int) -> String? {
            let cell = cells[index]
            return switch cell.kind {
            case .scalar: String(decoding: bytes[Int(cell.position)..<Int(cell.position + cell.count)], as: UTF8.self)
            case .shared: shared[Int(cell.position)].text
            case .sequence, .mapping: nil
            }
        }

        /// The bytes of a scalar on this tape.
        func withText<Result>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            let start = Int(cells[index].position)
            let count = Int(cells[index].count)
            return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
        }

        /// Whether a cell's numbers can hold no more.
        var isFull: Bool { bytes.count > Int(UInt32.max) >> 1 || cells.count > Int(UInt32.max) >> 1 }

        /// The tape; what follows begins a new one.
        mutating func finish() -> YAMLTape {
            defer { self = Draft() }
            return YAMLTape(cells: cells, bytes: bytes, tags: tags, shared: shared)
        }
    }
}
