import OpenMarket
import YAML

/// The products of a manifest file with the position of each value as written, without aliases and merges.
struct ManifestOutline {
    struct Value {
        /// The indices of the key's event and of the value's events among the file's events.
        var keyEvent: Int
        var events: Range<Int>
        var keyStart: SourcePosition
        var keyEnd: SourcePosition
        var isFlow: Bool
        var kind: YAMLEventKind
        var style: YAMLScalarStyle
        var text: String
        var start: SourcePosition
        /// The end of the first event.
        var end: SourcePosition
        /// The end of the last scalar, alias or bracket.
        var lastEnd: SourcePosition
        var tag: String?
        var anchor: String?
    }

    struct Product {
        var item: Item
        var isFlow: Bool
        var anchor: String?
        var values: [String: Value] = [:]
        /// The keys as written.
        var order: [String] = []

        var merges: Bool { values["<<"] != nil }
        /// The number of blanks before the keys.
        var indent: Int { order.first.flatMap { values[$0] }.map { Int($0.keyStart.column) - 1 } ?? 0 }
    }

    /// An item of the list of products, perhaps an alias.
    struct Item {
        var start: SourcePosition
        /// The end of the last scalar, alias or bracket.
        var end: SourcePosition
        var events: Range<Int>
    }

    /// The parts of an event that an edit must not change.
    struct Event: Equatable {
        var kind: YAMLEventKind
        var text: [UInt8]
        var tag: String?
        var anchor: String?
    }

    private(set) var products: [SourcePosition: Product] = [:]
    private(set) var items: [Item] = []
    /// The section `products`; `nil` if there is none.
    private(set) var section: Value?
    /// The section `market`; `nil` if there is none.
    private(set) var market: Value?
    /// The index of the event that ends the file's mapping; `nil` for one in braces.
    private(set) var end: Int?
    private var lastEnd = SourcePosition(line: 1, column: 1)
    private(set) var events: [Event] = []
    private(set) var aliased: Set<String> = []

    /// Throws `YAMLError` if the file is not YAML.
    init(_ bytes: [UInt8]) throws(YAMLError) {
        var reader = YAMLEventReader(bytes)
        while try next(&reader) != .documentStart { if reader.kind == .streamEnd { return } }
        guard try next(&reader) == .mappingStart else {
            try skipRest(&reader)
            return
        }
        let isFlow = reader.isFlow
        while try next(&reader) != .mappingEnd {
            let name = reader.kind == .scalar ? reader.text : ""
            let isProducts = name == ManifestSchema.Section.products.rawValue
            var value = try readKey(&reader)
            if isProducts, reader.kind == .sequenceStart {
                while try next(&reader) != .sequenceEnd {
                    let (start, first) = (reader.start, events.count - 1)
                    let product = try readProduct(&reader)
                    let item = Item(start: start, end: lastEnd, events: first..<events.count)
                    items.append(item)
                    if var product {
                        product.item = item
                        products[start] = product
                    }
                }
            } else {
                try skipNode(&reader)
            }
            finish(&value)
            if isProducts { section = value }
            if name == ManifestSchema.Section.market.rawValue { market = value }
        }
        if !isFlow { end = events.count - 1 }
        try skipRest(&reader)
    }

    @discardableResult
    private mutating func next(_ reader: inout YAMLEventReader) throws(YAMLError) -> YAMLEventKind {
        try reader.next()
        events.append(Event(reader))
        switch reader.kind {
        case .scalar, .alias: lastEnd = reader.end
        // The end of a block is empty.
        case .sequenceEnd, .mappingEnd: if reader.start < reader.end { lastEnd = reader.end }
        default: break
        }
        if reader.kind == .alias, let anchor = reader.anchor { aliased.insert(anchor) }
        return reader.kind
    }

    /// Moves to the last event of the node whose first event is the reader's current one.
    private mutating func skipNode(_ reader: inout YAMLEventReader) throws(YAMLError) {
        var depth = 0
        while true {
            switch reader.kind {
            case .sequenceStart, .mappingStart: depth += 1
            case .sequenceEnd, .mappingEnd: depth -= 1
            default: break
            }
            guard depth > 0 else { return }
            try next(&reader)
        }
    }

    private mutating func skipRest(_ reader: inout YAMLEventReader) throws(YAMLError) {
        while try next(&reader) != .streamEnd {}
    }

    /// Reads a key and the first event of its value.
    private mutating func readKey(_ reader: inout YAMLEventReader) throws(YAMLError) -> Value {
        let (keyEvent, keyStart) = (events.count - 1, reader.start)
        try skipNode(&reader)
        let keyEnd = lastEnd
        try next(&reader)
        return Value(
            keyEvent: keyEvent,
            events: events.count - 1..<events.count,
            keyStart: keyStart,
            keyEnd: keyEnd,
            isFlow: reader.isFlow,
            kind: reader.kind,
            style: reader.style,
            text: reader.text,
            start: reader.start,
            end: reader.end,
            lastEnd: lastEnd,
            tag: reader.tag,
            anchor: reader.anchor
        )
    }

    /// Extends a value to the events that were read since ``readKey(_:)``.
    private func finish(_ value: inout Value) {
        value.events = value.events.lowerBound..<events.count
        value.lastEnd = lastEnd
    }

    /// Reads an item of the list; `nil` for another one than a mapping.
    private mutating func readProduct(_ reader: inout YAMLEventReader) throws(YAMLError) -> Product? {
        let item = Item(start: reader.start, end: reader.end, events: events.count - 1..<events.count)
        guard reader.kind == .mappingStart else {
            try skipNode(&reader)
            return nil
        }
        var product = Product(item: item, isFlow: reader.isFlow, anchor: reader.anchor)
        while try next(&reader) != .mappingEnd {
            let name = reader.kind == .scalar ? reader.text : ""
            var value = try readKey(&reader)
            try skipNode(&reader)
            finish(&value)
            product.values[name] = value
            product.order.append(name)
        }
        return product
    }
}

extension ManifestOutline.Event {
    init(_ reader: borrowing YAMLEventReader) {
        self.init(kind: reader.kind, text: Array(reader.text.utf8), tag: reader.tag, anchor: reader.anchor)
    }
}
