/// A value of a YAML text, with its position; aliases are resolved and merge keys merged.
///
/// A view of composed nodes: small, and the texts are made when they are asked for.
package struct YAMLNode: Sendable {
    /// What a node is.
    package enum Content: Sendable {
        /// A text: YAML's own types are left to whoever knows what is expected.
        case scalar(String, YAMLScalarStyle)
        /// A list.
        case sequence([YAMLNode])
        /// A mapping in the order of the text; its keys differ.
        case mapping([Pair])
    }

    /// An entry of a mapping.
    package struct Pair: Sendable {
        /// The key.
        package let key: Key
        /// The value.
        package let value: YAMLNode
    }

    /// The key of an entry.
    package struct Key: Sendable {
        fileprivate let node: YAMLNode

        /// The key.
        package var name: String { node.text ?? "" }
        /// Where it starts.
        package var start: YAMLPosition { node.start }
        /// Where it ends.
        package var end: YAMLPosition { node.end }
        /// Whether it is written bare.
        package var isPlain: Bool { node.cell.isBare }
    }

    private let tape: YAMLTape
    private let index: Int

    init(tape: YAMLTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    private var cell: YAMLTape.Cell { tape.cells[index] }

    /// The kinds of nodes.
    package enum Kind: Sendable {
        /// A text.
        case scalar
        /// A list.
        case sequence
        /// A mapping.
        case mapping
    }

    /// Which kind of node it is.
    package var kind: Kind {
        switch cell.kind {
        case .scalar, .shared: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// What the node is, with all that it contains.
    package var content: Content {
        switch kind {
        case .scalar: .scalar(text ?? "", style)
        case .sequence: .sequence(items ?? [])
        case .mapping: .mapping(pairs ?? [])
        }
    }

    /// How a scalar is written.
    package var style: YAMLScalarStyle { cell.style }

    /// The tag, if one is written: `!env`.
    package var tag: String? {
        let number = Int(cell.tag)
        return number == 0 ? nil : tape.tags[number - 1]
    }

    /// Whether a tag is written.
    package var hasTag: Bool { cell.tag != 0 }

    /// Where it starts: at the anchor, for what came through an alias.
    package var start: YAMLPosition { cell.start }

    /// Where it ends.
    package var end: YAMLPosition { cell.end }

    /// The text of a scalar.
    package var text: String? { withText { String(decoding: $0, as: UTF8.self) } }

    /// The bytes of a scalar's text; `nil` where the node is not one.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        kind == .scalar ? tape.withText(of: index, body) : nil
    }

    /// The items of a list.
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

    /// The entries of a mapping.
    package var pairs: [Pair]? { entries.map { Array($0) } }

    /// The entries of a mapping one by one, without an array of them.
    package var entries: Entries? {
        kind == .mapping ? Entries(tape: tape, key: index + 1, rest: Int(cell.count)) : nil
    }

    /// The entries of a mapping, in the order of the text.
    package struct Entries: Sequence, IteratorProtocol {
        fileprivate let tape: YAMLTape
        fileprivate var key: Int
        fileprivate var rest: Int

        /// How many are still to come.
        package var underestimatedCount: Int { rest }

        /// The next entry.
        package mutating func next() -> Pair? {
            guard rest > 0 else { return nil }
            rest -= 1
            let value = key + 1
            defer { key = tape.end(of: value) }
            return Pair(key: Key(node: tape.node(key)), value: tape.node(value))
        }
    }

    /// Whether it is what YAML reads as null: nothing, `~` or `null`, bare and without a tag.
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

    /// The value of a key, `nil` where the node is not a mapping or has no such key.
    package subscript(key: String) -> YAMLNode? {
        entries?.first { $0.key.name == key }?.value
    }

    /// Reads a small text whole.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, or UTF-16 with a byte order mark.
    ///   - limits: what to refuse.
    /// - Returns: the only document, `nil` when there is none.
    /// - Throws: the first thing that is wrong with it.
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
    /// The bytes of the key.
    package func withName<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? { node.withText(body) }

    /// A key that is in a cell of its own.
    init(tape: YAMLTape) { self.init(node: YAMLNode(tape: tape, index: 0)) }

    /// The key as a node, to be merged elsewhere.
    var asNode: YAMLNode { node }
}

/// Several nodes that were composed one after another.
package struct YAMLItems: Sendable, Sequence {
    private let tape: YAMLTape

    init(tape: YAMLTape) { self.tape = tape }

    /// Gives the nodes in their order.
    package struct Iterator: IteratorProtocol {
        fileprivate let tape: YAMLTape
        fileprivate var index = 0

        /// The next node.
        package mutating func next() -> YAMLNode? {
            guard index < tape.cells.count else { return nil }
            defer { index = tape.end(of: index) }
            return tape.node(index)
        }
    }

    /// Gives the nodes in their order.
    package func makeIterator() -> Iterator { Iterator(tape: tape) }
}
