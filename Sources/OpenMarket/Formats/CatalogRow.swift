/// An exact value of an exported row.
package enum CatalogValue: Hashable, Sendable {
    case unset
    case number(ExactDecimal)
    /// Compared exactly, because texts that look alike can differ.
    case text(ExactText)
    case texts([ExactText])
}

/// A row of an exported catalog, read back.
package struct CatalogRow: Hashable, Sendable {
    package var id: MarketID
    /// The columns of the export, in order.
    let columns: [CatalogColumn]
    let values: [CatalogValue]

    /// There must be as many values as columns.
    package init(id: MarketID, columns: [CatalogColumn], values: [CatalogValue]) {
        precondition(columns.count == values.count, "a row has a value for each of its columns")
        self.id = id
        self.columns = columns
        self.values = values
    }

    /// Unset if the export lacks the column.
    package subscript(column: CatalogColumn) -> CatalogValue {
        columns.firstIndex(of: column).map { values[$0] } ?? .unset
    }

    package func text(_ column: CatalogColumn) -> String? {
        if case .text(let text) = self[column] { text.text } else { nil }
    }

    package func number(_ column: CatalogColumn) -> ExactDecimal? {
        if case .number(let number) = self[column] { number } else { nil }
    }
}

extension CatalogRow {
    init(_ record: some CatalogRecord, key: String?) {
        var values = CatalogValues()
        for column in CatalogColumn.allCases { column.put(record, key: key, into: &values) }
        self.init(id: record.id, columns: CatalogColumn.allCases, values: values.values)
    }
}

private struct CatalogValues: CatalogRecordWriter {
    private(set) var values: [CatalogValue] = []

    mutating func put(_ text: some CatalogText) { text.lendUTF8 { put(text: $0.text) } }
    mutating func put(_ number: Int64) { values.append(.number(ExactDecimal(number))) }
    mutating func put(_ number: ExactDecimal) { values.append(.number(number)) }
    mutating func put(_ texts: [String]) { values.append(.texts(texts.map { ExactText($0) })) }
    mutating func putUnset() { values.append(.unset) }

    private mutating func put(text: String) { values.append(.text(ExactText(text))) }
}

extension MarketID {
    /// `nil` if the value is not an ID of that kind.
    package init?(_ value: CatalogValue, of kind: Kind?) {
        switch value {
        case .number(let number):
            guard kind != .text, let whole = number.wholeValue else { return nil }
            self.init(whole)
        case .text(let text):
            guard kind != .number else { return nil }
            self.init(text: text.text)
        case .unset, .texts: return nil
        }
    }

    /// The message for a value that is not an ID of that kind.
    package static func refusal(of kind: Kind?) -> String {
        switch kind {
        case .number?: "'id' is not a whole number, as the market's ids are"
        case .text?: "'id' is not a text of at most \(longestText) bytes, as the market's ids are"
        case nil: "'id' is neither a whole number nor a text of at most \(longestText) bytes"
        }
    }
}

package struct CatalogLineReader {
    private let names = [MemberNames(CatalogColumn.allCases.map(\.rawValue), isLoose: false)]
    private var order = JSONNameOrder()
    private let ids: MarketID.Kind?

    /// `ids` is `nil` if the market's kind of IDs is unknown.
    package init(ids: MarketID.Kind?) {
        self.ids = ids
    }

    /// Reads whole lines and passes each product to `body`; throws a ``JSONError`` for other lines.
    package mutating func read(_ lines: [UInt8], _ body: (CatalogRow) throws -> Void) throws {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            // Remembered names are offsets into the previous line.
            order.forget()
            try body(JSONReader.read(line.span) { reader throws(JSONError) in try row(&reader) })
        }
    }

    private mutating func row(_ reader: inout JSONReader) throws(JSONError) -> CatalogRow {
        var columns: [CatalogColumn] = []
        var values: [CatalogValue] = []
        var id: MarketID?
        try reader.beginObject(in: &order)
        while let index = try reader.nextName(of: names, 0, in: &order) {
            guard CatalogColumn.allCases.indices.contains(index) else {
                try reader.skipValue()
                continue
            }
            let column = CatalogColumn.allCases[index]
            let offset = reader.offset
            let value = try Self.value(&reader)
            switch (column, value) {
            case (.id, _):
                id = MarketID(value, of: ids)
                if id == nil, value != .unset { throw JSONError(.typeMismatch, at: offset, MarketID.refusal(of: ids)) }
            case (_, .unset), (.images, .texts): break
            case (_, .number) where column.isNumber(ids: ids ?? .text): break
            case (_, .text) where column.kind(ids: ids ?? .text) == .text: break
            default: throw JSONError(.typeMismatch, at: offset, "'\(column.rawValue)' cannot have this value")
            }
            columns.append(column)
            values.append(value)
        }
        try reader.finish()
        guard let id else { throw JSONError(.typeMismatch, at: reader.offset, "'id' is missing") }
        return CatalogRow(id: id, columns: columns, values: values)
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> CatalogValue {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            return .unset
        case .number:
            let offset = reader.offset
            guard let number = try reader.readDecimal() else {
                throw JSONError(.typeMismatch, at: offset, "the number has too many digits")
            }
            return .number(number)
        case .array:
            var texts: [ExactText] = []
            try reader.beginArray()
            while try reader.nextElement() { texts.append(ExactText(try reader.readString())) }
            return .texts(texts)
        default: return .text(ExactText(try reader.readString()))
        }
    }
}
