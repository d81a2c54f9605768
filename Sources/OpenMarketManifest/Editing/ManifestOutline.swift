import OpenMarket
import YAML

/// The products of a manifest file with the position of each value as written, without aliases and merges.
struct ManifestOutline {
    struct Event: Equatable {
        var kind: YAMLEventKind
        var text = ""
        var tag: String?
        var anchor: String?
        var style = YAMLScalarStyle.plain
        var isFlow = false
        var start = SourcePosition(line: 1, column: 1)
        var end = SourcePosition(line: 1, column: 1)

        /// Compares the parts that an edit must not change.
        static func == (left: Event, right: Event) -> Bool {
            left.kind == right.kind && left.text.isExactly(right.text) && left.tag == right.tag
                && left.anchor == right.anchor
        }
    }

    /// The value of a key, with the members of its first event.
    @dynamicMemberLookup
    struct Value {
        var name: String
        /// The indices of the key's event and of the value's events among the file's events.
        var keyEvent: Int
        var events: Range<Int>
        var keyStart: SourcePosition
        var keyEnd: SourcePosition
        var first: Event
        /// The end of the last scalar, alias or bracket.
        var lastEnd: SourcePosition

        subscript<Member>(dynamicMember member: KeyPath<Event, Member>) -> Member { first[keyPath: member] }
    }

    struct Product {
        var item: Item
        var isFlow: Bool
        /// In the file's order.
        var entries: [Value]

        subscript(key: ProductKey) -> Value? { entries.last { $0.name == key.rawValue } }

        var merges: Bool { entries.contains { $0.name == "<<" } }
        /// The number of blanks before the keys.
        var indent: Int { entries.first.map { Int($0.keyStart.column) - 1 } ?? 0 }
    }

    /// An item of the list of products, perhaps an alias.
    struct Item {
        var start: SourcePosition
        /// The end of the last scalar, alias or bracket.
        var end: SourcePosition
        var events: Range<Int>
    }

    private(set) var products: [SourcePosition: Product] = [:]
    private(set) var items: [Item] = []
    /// The section `products`; `nil` if there is none.
    private(set) var section: Value?
    /// The index of the event that ends the file's mapping; `nil` for one in braces.
    private(set) var end: Int?
    private(set) var events: [Event] = []
    private(set) var aliased: Set<String> = []

    /// Throws `YAMLError` if the file is not YAML.
    init(_ bytes: [UInt8]) throws(YAMLError) {
        var reader = YAMLEventReader(bytes)
        while reader.kind != .streamEnd {
            try reader.next()
            events.append(Event(reader))
            if reader.kind == .alias, let anchor = reader.anchor { aliased.insert(anchor) }
        }
        guard let root = events.firstIndex(where: { $0.kind == .documentStart }).map({ $0 + 1 }),
            events[root].kind == .mappingStart
        else { return }
        if !events[root].isFlow { end = self.end(of: root) - 1 }
        section = entries(of: root).last { $0.name == ManifestSchema.Section.products.rawValue }
        guard let section, section.kind == .sequenceStart else { return }
        var next = section.events.lowerBound + 1
        while next < section.events.upperBound - 1 {
            let (first, item) = (events[next], next..<self.end(of: next))
            items.append(Item(start: first.start, end: lastEnd(of: item), events: item))
            if first.kind == .mappingStart, let item = items.last {
                products[first.start] = Product(item: item, isFlow: first.isFlow, entries: entries(of: next))
            }
            next = item.upperBound
        }
    }

    private func entries(of mapping: Int) -> [Value] {
        var entries: [Value] = []
        var key = mapping + 1
        while events[key].kind != .mappingEnd {
            let value = end(of: key)
            let end = end(of: value)
            entries.append(
                Value(
                    name: events[key].text,
                    keyEvent: key,
                    events: value..<end,
                    keyStart: events[key].start,
                    keyEnd: lastEnd(of: key..<value),
                    first: events[value],
                    lastEnd: lastEnd(of: value..<end)
                )
            )
            key = end
        }
        return entries
    }

    /// The index behind the node that an event begins.
    private func end(of node: Int) -> Int {
        var (depth, end) = (0, node)
        repeat {
            switch events[end].kind {
            case .sequenceStart, .mappingStart: depth += 1
            case .sequenceEnd, .mappingEnd: depth -= 1
            default: break
            }
            end += 1
        } while depth > 0
        return end
    }

    /// The end of a node's last scalar, alias or bracket: the end of a block is empty.
    private func lastEnd(of node: Range<Int>) -> SourcePosition {
        let last = events[node].last { $0.kind == .scalar || $0.start < $0.end }
        return last?.end ?? events[node.lowerBound].end
    }
}

extension ManifestOutline.Event {
    init(_ reader: borrowing YAMLEventReader) {
        self.init(
            kind: reader.kind,
            text: reader.text,
            tag: reader.tag,
            anchor: reader.anchor,
            style: reader.style,
            isFlow: reader.isFlow,
            start: reader.start,
            end: reader.end
        )
    }
}
