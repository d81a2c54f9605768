package import OpenMarket

/// A value of a YAML text, with its position; aliases are resolved and merge keys merged.
///
/// It is a small view of composed nodes, and creates texts on demand.
package struct YAMLNode: Sendable {
    package struct Pair: Sendable {
        package let key: Key
        package let value: YAMLNode
    }

    package struct Key: Sendable {
        fileprivate let node: YAMLNode

        package var name: String { node.text ?? "" }
        package var start: SourcePosition { node.start }
        package var end: SourcePosition { node.end }
        package var isPlain: Bool { node.cell.isBare }
    }

    private let tape: YAMLTape
    private let index: Int

    init(tape: YAMLTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    private var cell: YAMLTape.Cell { tape.cells[index] }

    package enum Kind: Sendable {
        /// A text: the caller interprets YAML's own types, because it has the expected one.
        case scalar
        case sequence
        /// A mapping in the order of the text; its keys are distinct.
        case mapping
    }

    package var kind: Kind {
        switch cell.kind {
        case .scalar, .shared: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    package var style: YAMLScalarStyle { cell.style }

    /// The written tag: `!env`; `nil` if there is none.
    package var tag: String? {
        let number = Int(cell.tag)
        return number == 0 ? nil : tape.tags[number - 1]
    }

    package var hasTag: Bool { cell.tag != 0 }

    /// The start of the node; for an aliased node, at the anchor.
    package var start: SourcePosition { cell.start }

    package var end: SourcePosition { cell.end }

    package var text: String? { withText { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a scalar's text; `nil` if the node is not a scalar.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        kind == .scalar ? tape.withText(of: index, body) : nil
    }

    package var items: [YAMLNode]? {
        guard kind == .sequence else { return nil }
        var items: [YAMLNode] = []
        items.reserveCapacity(Int(cell.count))
        var next = index + 1
        for _ in 0..<cell.count {
            items.append(tape.node(next))
            next = tape.end(of: next)
        }
        return items
    }

    package var pairs: [Pair]? { entries.map { Array($0) } }

    /// The entries of a mapping in the order of the text, without an array.
    package var entries: Entries? {
        kind == .mapping ? Entries(tape: tape, key: index + 1, rest: Int(cell.count)) : nil
    }

    package struct Entries: Sequence, IteratorProtocol {
        fileprivate let tape: YAMLTape
        fileprivate var key: Int
        fileprivate var rest: Int

        /// The number of remaining entries.
        package var underestimatedCount: Int { rest }

        package mutating func next() -> Pair? {
            guard rest > 0 else { return nil }
            rest -= 1
            let value = key + 1
            defer { key = tape.end(of: value) }
            return Pair(key: Key(node: tape.node(key)), value: tape.node(value))
        }
    }

    /// Whether YAML reads it as null: empty, `~` or `null`, plain and without a tag.
    package var isNull: Bool {
        let cell = cell
        guard cell.kind == .scalar, cell.style == .plain else { return false }
        if cell.tag != 0 { return tag == "tag:yaml.org,2002:null" }
        guard cell.count <= 4 else { return false }
        return tape.withText(of: index) { bytes in
            switch bytes.count {
            case 0: true
            case 1: bytes[0] == UInt8(ascii: "~")
            case 4:
                bytes.elementsEqual("null".utf8) || bytes.elementsEqual("Null".utf8) || bytes.elementsEqual("NULL".utf8)
            default: false
            }
        }
    }

    /// The value of a key; `nil` if the node is not a mapping or lacks the key.
    package subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key.name == key }?.value
    }

    /// Reads a small text completely, in UTF-8, or UTF-16 with a byte order mark.
    ///
    /// Returns the only document, or `nil` if there is none; throws the first fault.
    package static func parse(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode? {
        var composer = YAMLComposer(YAMLEventReader(bytes, limits: limits))
        guard try composer.start() else { return nil }
        let node = try composer.compose()
        try composer.finish()
        if let fault = composer.takeFaults().first { throw fault }
        return node
    }
}

extension YAMLNode.Key {
    /// A key in its own cell.
    init(tape: YAMLTape) { self.init(node: YAMLNode(tape: tape, index: 0)) }

    /// The key as a node, for merging into another mapping.
    var asNode: YAMLNode { node }
}

/// Several nodes that were composed one after another.
package struct YAMLItems: Sendable, Sequence {
    private let tape: YAMLTape

    init(tape: YAMLTape) { self.tape = tape }

    package struct Iterator: IteratorProtocol {
        fileprivate let tape: YAMLTape
        fileprivate var index = 0

        package mutating func next() -> YAMLNode? {
            guard index < tape.cells.count else { return nil }
            defer { index = tape.end(of: index) }
            return tape.node(index)
        }
    }

    package func makeIterator() -> Iterator { Iterator(tape: tape) }
}
