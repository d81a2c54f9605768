/// Makes nodes of events, as many at a time as the caller wants.
///
/// A large list is entered, and its items are composed and dropped one by one, so that memory follows what the caller
/// makes of them. Anchored nodes are kept, for an alias may come. What is wrong but leaves the rest readable, such as
/// a key that stands twice, is collected in ``takeFaults()``; everything else is thrown and ends the reading.
///
/// The event held is always the last one of what was composed: the next is asked for only when it is wanted, so that an
/// error behind a node does not take the node away.
public struct YAMLComposer: ~Copyable {
    var reader: YAMLEventReader
    var anchors: [String: Anchor] = [:]
    var faults: [YAMLError] = []
    /// The mappings entered and not yet left, with the keys seen.
    private var entered: [[String: YAMLMark]] = []
    private var depth = 0
    /// Nodes composed, those behind aliases counted at each use.
    private var nodeCount = 0
    private var aliasExpansion = 0

    /// A node that aliases may name; `nil` while it is still being composed.
    struct Anchor {
        var node: YAMLNode?
        var size: Int
    }

    /// Composes what a reader reads; it must stand at its beginning.
    public init(_ reader: consuming YAMLEventReader) throws(YAMLError) {
        self.reader = reader
        try self.reader.next()
    }

    /// Moves to the document's root node.
    ///
    /// - Returns: false when the text holds no document.
    public mutating func start() throws(YAMLError) -> Bool {
        guard try reader.next() == .documentStart else { return false }
        try reader.next()
        return true
    }

    /// Checks that the text ends behind the root node.
    public mutating func finish() throws(YAMLError) {
        try reader.next()
        guard try reader.next() == .streamEnd else {
            throw YAMLError(
                .unsupported,
                "a second document starts here",
                at: reader.start,
                help: "one file holds one document"
            )
        }
    }

    /// What was wrong so far and did not end the reading, in the order found; forgets it.
    public mutating func takeFaults() -> [YAMLError] {
        guard !faults.isEmpty else { return [] }
        defer { faults = [] }
        return faults
    }

    /// Where the next node starts.
    public var position: YAMLMark { reader.start }

    /// The tag of the next node.
    public var tag: String? { reader.tag }

    /// Whether the next node is a list that can be entered.
    public var isAtSequence: Bool { reader.kind == .sequenceStart }

    /// Whether the next node is a mapping that can be entered.
    public var isAtMapping: Bool { reader.kind == .mappingStart }

    /// Enters the list that is the next node: ``hasNextItem()`` and ``compose()`` in turn take its items.
    public mutating func enterSequence() throws(YAMLError) {
        try descend()
        refuseLaterAliases()
    }

    /// Whether the list entered has one more item; leaves it otherwise.
    public mutating func hasNextItem() throws(YAMLError) -> Bool {
        guard try reader.next() == .sequenceEnd else { return true }
        depth -= 1
        return false
    }

    /// Enters the mapping that is the next node: ``nextKey()`` and ``compose()`` in turn take its entries.
    public mutating func enterMapping() throws(YAMLError) {
        try descend()
        refuseLaterAliases()
        entered.append([:])
    }

    /// The next key of the mapping entered, `nil` when it has no more; then it is left.
    ///
    /// A key that stands twice is a fault and is passed over with its value. `<<` is given like any other key.
    public mutating func nextKey() throws(YAMLError) -> YAMLNode.Key? {
        while try reader.next() != .mappingEnd {
            let key = try composeKey()
            try reader.next()
            guard let key else {
                _ = try compose()
                continue
            }
            if let first = entered[entered.count - 1][key.name] {
                reportDuplicate(key, first: first)
                _ = try compose()
                continue
            }
            entered[entered.count - 1][key.name] = key.start
            return key
        }
        entered.removeLast()
        depth -= 1
        return nil
    }

    /// Composes the node that comes next whole.
    public mutating func compose() throws(YAMLError) -> YAMLNode {
        nodeCount += 1
        switch reader.kind {
        case .scalar:
            return try composeScalar()
        case .alias:
            return try resolveAlias()
        case .sequenceStart, .mappingStart:
            return try composeCollection()
        default:
            throw YAMLError(.syntax, "a value was expected here", at: reader.start)
        }
    }

    private mutating func composeScalar() throws(YAMLError) -> YAMLNode {
        guard reader.scalarLength <= reader.limits.scalarLength else {
            throw YAMLError(
                .limit,
                "this value has \(reader.scalarLength) bytes, and \(reader.limits.scalarLength) is the most a value may have",
                at: reader.start
            )
        }
        let anchor = reader.anchor
        let node = YAMLNode(
            content: .scalar(reader.text, reader.style),
            tag: reader.tag,
            start: reader.start,
            end: reader.end
        )
        if let anchor { anchors[anchor] = Anchor(node: node, size: 1) }
        return node
    }

    private mutating func composeCollection() throws(YAMLError) -> YAMLNode {
        try descend()
        let start = reader.start
        let tag = reader.tag
        let anchor = reader.anchor
        let isMapping = isAtMapping
        let countBefore = nodeCount
        if let anchor { anchors[anchor] = Anchor(node: nil, size: 0) }
        let content: YAMLNode.Content = isMapping ? .mapping(try composePairs()) : .sequence(try composeItems())
        let node = YAMLNode(content: content, tag: tag, start: start, end: reader.end)
        if let anchor { anchors[anchor] = Anchor(node: node, size: nodeCount - countBefore + 1) }
        depth -= 1
        return node
    }

    private mutating func composeItems() throws(YAMLError) -> [YAMLNode] {
        var items: [YAMLNode] = []
        items.reserveCapacity(2)
        while try reader.next() != .sequenceEnd {
            items.append(try compose())
        }
        return items
    }

    /// The node that an alias names, shared with it.
    private mutating func resolveAlias() throws(YAMLError) -> YAMLNode {
        let name = reader.anchor ?? ""
        let start = reader.start
        let end = reader.end
        guard let anchor = anchors[name] else {
            let known = anchors.keys.sorted().prefix(5).map { "&" + $0 }
            faults.append(
                YAMLError(
                    .undefinedAlias,
                    "no anchor &\(name) stands above this alias",
                    at: start,
                    help: known.isEmpty ? nil : "the anchors are \(known.joined(separator: ", "))"
                )
            )
            return YAMLNode(content: .scalar(name, .singleQuoted), start: start, end: end)
        }
        guard let node = anchor.node else {
            throw YAMLError(.unsupported, "the alias *\(name) stands inside what it names", at: start)
        }
        let (sum, overflow) = aliasExpansion.addingReportingOverflow(anchor.size)
        guard !overflow, sum <= reader.limits.aliasExpansion else {
            throw YAMLError(
                .limit,
                "with the alias *\(name) the aliases stand for more than \(reader.limits.aliasExpansion) values",
                at: start
            )
        }
        aliasExpansion = sum
        nodeCount += anchor.size
        return node
    }

    private mutating func descend() throws(YAMLError) {
        depth += 1
        guard depth <= reader.limits.depth else {
            throw YAMLError(
                .limit,
                "lists and mappings nest more than \(reader.limits.depth) deep here",
                at: reader.start
            )
        }
    }

    /// A collection that is taken piece by piece is not kept, so no alias can name it.
    private mutating func refuseLaterAliases() {
        guard let anchor = reader.anchor else { return }
        anchors[anchor] = nil
        faults.append(YAMLError(.unsupported, "the anchor &\(anchor) cannot stand here", at: reader.start))
    }

    mutating func reportDuplicate(_ key: YAMLNode.Key, first: YAMLMark) {
        faults.append(
            YAMLError(
                .duplicateKey,
                "the key '\(key.name)' stands twice in this mapping",
                at: key.start,
                context: "it was given first here",
                contextMark: first
            )
        )
    }
}
