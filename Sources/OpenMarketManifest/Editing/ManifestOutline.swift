import OpenMarket
import YAML

/// The products of a manifest file with the position of each value as written, without aliases and merges.
struct ManifestOutline {
    struct Value {
        /// The index among the file's events.
        var event: Int
        var kind: YAMLEventKind
        var style: YAMLScalarStyle
        var text: String
        var start: SourcePosition
        var end: SourcePosition
        var tag: String?
        var anchor: String?
    }

    struct Product {
        var start: SourcePosition
        var isFlow: Bool
        var anchor: String?
        var values: [String: Value] = [:]
        var merges = false
    }

    /// The parts of an event that an edit must not change.
    struct Event: Equatable {
        var kind: YAMLEventKind
        var text: [UInt8]
        var tag: String?
        var anchor: String?
    }

    private(set) var products: [SourcePosition: Product] = [:]
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
        while try next(&reader) != .mappingEnd {
            let isProducts = reader.kind == .scalar && reader.text == ManifestSchema.Section.products.rawValue
            try skipNode(&reader)
            try next(&reader)
            guard isProducts, reader.kind == .sequenceStart else {
                try skipNode(&reader)
                continue
            }
            while try next(&reader) != .sequenceEnd { try readProduct(&reader) }
        }
        try skipRest(&reader)
    }

    @discardableResult
    private mutating func next(_ reader: inout YAMLEventReader) throws(YAMLError) -> YAMLEventKind {
        try reader.next()
        events.append(Event(reader))
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

    private mutating func readProduct(_ reader: inout YAMLEventReader) throws(YAMLError) {
        guard reader.kind == .mappingStart else { return try skipNode(&reader) }
        var product = Product(start: reader.start, isFlow: reader.isFlow, anchor: reader.anchor)
        while try next(&reader) != .mappingEnd {
            let name = reader.kind == .scalar ? reader.text : ""
            try skipNode(&reader)
            try next(&reader)
            if name == "<<" { product.merges = true }
            let value = Value(
                event: events.count - 1,
                kind: reader.kind,
                style: reader.style,
                text: reader.text,
                start: reader.start,
                end: reader.end,
                tag: reader.tag,
                anchor: reader.anchor
            )
            try skipNode(&reader)
            product.values[name] = value
        }
        products[product.start] = product
    }
}

extension ManifestOutline.Event {
    init(_ reader: borrowing YAMLEventReader) {
        self.init(kind: reader.kind, text: Array(reader.text.utf8), tag: reader.tag, anchor: reader.anchor)
    }
}
