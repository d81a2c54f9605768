import OpenMarket

/// Composes nodes from events, as many at a time as the caller wants.
///
/// This runs for every line of a catalog, and libyaml alone takes most of the acceptable reading time. So nodes are
/// cells of a ``YAMLTape``, without an allocation for each.
///
/// A large list is entered, and its items are composed and discarded one by one, so memory depends on what the caller
/// keeps. Anchored nodes are kept for later aliases. Faults that leave the rest readable, such as a duplicate key, are
/// collected in ``takeFaults()``. All others are thrown and end the reading.
///
/// The current event is always the last one of the composed node. The next one is only read on demand, so that an error
/// after a node does not lose the node.
package struct YAMLComposer: ~Copyable {
    var reader: YAMLEventReader
    var anchors: [String: Anchor] = [:]
    var faults: [YAMLError] = []
    var tape = YAMLTape.Draft()
    /// The keys of the mappings being composed, by their cell numbers; those of the innermost mapping come last.
    var keys: [Int] = []
    /// The open mappings, with the keys seen.
    private var entered: [[String: SourcePosition]] = []
    private var depth = 0
    /// The number of composed nodes; an aliased node counts at each use.
    private var nodeCount = 0
    private var aliasExpansion = 0

    /// A node that aliases may refer to; `nil` while it is still being composed.
    struct Anchor {
        var node: YAMLNode?
        var size: Int
    }

    /// The reader must be at its beginning.
    package init(_ reader: consuming YAMLEventReader) {
        self.reader = reader
    }

    /// Moves to the document's root node; returns false if the text is without a document.
    package mutating func start() throws(YAMLError) -> Bool {
        try reader.next()
        guard try reader.next() == .documentStart else { return false }
        try reader.next()
        return true
    }

    /// Checks that the text ends after the root node.
    package mutating func finish() throws(YAMLError) {
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

    /// Returns the collected faults in the order found, and clears them.
    package mutating func takeFaults() -> [YAMLError] {
        guard !faults.isEmpty else { return [] }
        defer { faults = [] }
        return faults
    }

    package var isAtSequence: Bool { reader.kind == .sequenceStart }

    package var isAtMapping: Bool { reader.kind == .mappingStart }

    /// Enters the list that is the next node: alternate calls of ``hasNextItem()`` and ``compose()`` read its items.
    package mutating func enterSequence() throws(YAMLError) {
        try descend()
        refuseLaterAliases()
    }

    /// Whether the entered list has another item; leaves the list if not.
    package mutating func hasNextItem() throws(YAMLError) -> Bool {
        guard try reader.next() == .sequenceEnd else { return true }
        depth -= 1
        return false
    }

    /// Enters the mapping that is the next node: alternate calls of ``nextKey()`` and ``compose()`` read its entries.
    package mutating func enterMapping() throws(YAMLError) {
        try descend()
        refuseLaterAliases()
        entered.append([:])
    }

    /// The next key of the entered mapping; `nil` at its end, which also leaves it.
    ///
    /// A duplicate key is a fault and is skipped with its value. `<<` is returned as a normal key.
    package mutating func nextKey() throws(YAMLError) -> YAMLNode.Key? {
        while try reader.next() != .mappingEnd {
            var isKey = false
            let tape = try apart { composer throws(YAMLError) in isKey = try composer.composeKey() }
            try reader.next()
            guard isKey else {
                _ = try compose()
                continue
            }
            let key = YAMLNode.Key(tape: tape)
            let name = key.name
            if let first = entered[entered.count - 1][name] {
                reportDuplicate(name, at: key.start, first: first)
                _ = try compose()
                continue
            }
            entered[entered.count - 1][name] = key.start
            return key
        }
        entered.removeLast()
        depth -= 1
        return nil
    }

    package mutating func compose() throws(YAMLError) -> YAMLNode {
        try composeApart()
    }

    /// Composes the next node and adds it to those that ``takeItems()`` returns.
    ///
    /// If it throws, the incomplete node is removed, and the others are kept.
    package mutating func composeItem() throws(YAMLError) {
        let length = tape.length
        do throws(YAMLError) { try composeCells() } catch {
            tape.truncate(to: length)
            throw error
        }
    }

    /// The approximate size in bytes of the result of ``takeItems()``; 0 if it is empty.
    package var itemSize: Int { tape.bytes.count + tape.cells.count * MemoryLayout<YAMLTape.Cell>.stride }

    /// The nodes of ``composeItem()`` since the last call.
    package mutating func takeItems() -> YAMLItems {
        let length = (cells: tape.cells.count, bytes: tape.bytes.count)
        let items = YAMLItems(tape: tape.finish())
        // The next items need about as much.
        tape.reserveCapacity(cells: length.cells + length.cells / 8, bytes: length.bytes + length.bytes / 8)
        return items
    }

    /// Composes the next node on its own tape, so that aliases can find it and merge keys can split it.
    mutating func composeApart() throws(YAMLError) -> YAMLNode {
        try apart { composer throws(YAMLError) in try composer.composeCells() }.node(0)
    }

    private mutating func apart(
        _ compose: (inout YAMLComposer) throws(YAMLError) -> Void
    ) throws(YAMLError) -> YAMLTape {
        var outer = YAMLTape.Draft()
        swap(&outer, &tape)
        do throws(YAMLError) { try compose(&self) } catch {
            tape = outer
            throw error
        }
        let made = tape.finish()
        tape = outer
        return made
    }

    mutating func composeCells() throws(YAMLError) {
        nodeCount += 1
        switch reader.kind {
        case .scalar, .sequenceStart, .mappingStart:
            guard let anchor = reader.anchor else { return try composeNode() }
            let countBefore = nodeCount
            if reader.kind != .scalar { anchors[anchor] = Anchor(node: nil, size: 0) }
            let node = try apart { composer throws(YAMLError) in try composer.composeNode() }.node(0)
            anchors[anchor] = Anchor(node: node, size: nodeCount - countBefore + 1)
            tape.append(node)
        case .alias: try resolveAlias()
        default: throw YAMLError(.syntax, "a value was expected here", at: reader.start)
        }
    }

    private mutating func composeNode() throws(YAMLError) {
        guard !tape.isFull else {
            throw YAMLError(.limit, "there is more in one list or mapping than can be read at once", at: reader.start)
        }
        if reader.kind == .scalar { try composeScalar() } else { try composeCollection() }
    }

    private mutating func composeScalar() throws(YAMLError) {
        guard reader.scalarLength <= reader.limits.scalarLength else {
            throw YAMLError(
                .limit,
                "this value has \(reader.scalarLength) bytes, and \(reader.limits.scalarLength) is the most a value may have",
                at: reader.start
            )
        }
        var cell = YAMLTape.Cell(kind: .scalar, style: reader.style, start: reader.start, end: reader.end)
        if let tag = reader.tag { cell.tag = tape.number(of: tag) }
        tape.append(reader.textBytes, cell)
    }

    private mutating func composeCollection() throws(YAMLError) {
        try descend()
        let isMapping = isAtMapping
        let index = tape.cells.count
        var cell = YAMLTape.Cell(kind: isMapping ? .mapping : .sequence, start: reader.start, end: reader.end)
        if let tag = reader.tag { cell.tag = tape.number(of: tag) }
        tape.cells.append(cell)
        let count = isMapping ? try composePairs() : try composeItems()
        tape.cells[index].count = UInt32(truncatingIfNeeded: count)
        tape.cells[index].position = UInt32(truncatingIfNeeded: tape.cells.count)
        tape.cells[index].end = reader.end
        depth -= 1
    }

    private mutating func composeItems() throws(YAMLError) -> Int {
        var count = 0
        while try reader.next() != .sequenceEnd {
            try composeCells()
            count += 1
        }
        return count
    }

    /// Adds the node that an alias refers to, without copying it.
    private mutating func resolveAlias() throws(YAMLError) {
        let name = reader.anchor ?? ""
        let start = reader.start
        let end = reader.end
        guard let anchor = anchors[name] else {
            let known = anchors.keys.sorted().prefix(5).map { "&" + $0 }
            faults.append(
                YAMLError(
                    .undefinedAlias,
                    "no anchor &\(name) is above this alias",
                    at: start,
                    help: (known.isEmpty ? "" : "the anchors are \(known.joined(separator: ", ")); ")
                        + "put a text that begins with '*' in quotes"
                )
            )
            var text = name
            text.withUTF8 { bytes in
                tape.append(bytes, YAMLTape.Cell(kind: .scalar, style: .singleQuoted, start: start, end: end))
            }
            return
        }
        guard let node = anchor.node else {
            throw YAMLError(.unsupported, "the alias *\(name) is inside the value that it names", at: start)
        }
        let (sum, overflow) = aliasExpansion.addingReportingOverflow(anchor.size)
        guard !overflow, sum <= reader.limits.aliasExpansion else {
            throw YAMLError(
                .limit,
                "with the alias *\(name) the aliases expand to more than \(reader.limits.aliasExpansion) values",
                at: start
            )
        }
        aliasExpansion = sum
        nodeCount += anchor.size
        tape.append(node)
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

    /// A collection that is read piece by piece is not kept, so no alias can refer to it.
    private mutating func refuseLaterAliases() {
        guard let anchor = reader.anchor else { return }
        anchors[anchor] = nil
        faults.append(YAMLError(.unsupported, "the anchor &\(anchor) is not allowed here", at: reader.start))
    }

    mutating func reportDuplicate(_ name: String, at mark: SourcePosition, first: SourcePosition) {
        faults.append(
            YAMLError(
                .duplicateKey,
                "the key '\(name)' appears twice in this mapping",
                at: mark,
                context: "it was given first here",
                contextPosition: first
            )
        )
    }
}
