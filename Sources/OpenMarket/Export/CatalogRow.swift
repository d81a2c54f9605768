/// A value of an exported row, exactly.
public enum CatalogValue: Hashable, Sendable {
    /// The market did not show it.
    case unset
    /// A number.
    case number(ExactDecimal)
    /// A text; two that look alike are not the same.
    case text(ExactText)
    /// The URLs of the pictures.
    case texts([ExactText])

    /// Adds what the value says, to the byte, to a hash.
    fileprivate func hash(exactlyInto hasher: inout Hasher) {
        switch self {
        case .unset: hasher.combine(0)
        case .number(let number): hasher.combine(number)
        case .text(let text): Self.hash(text, into: &hasher)
        case .texts(let texts):
            hasher.combine(texts.count)
            for text in texts { Self.hash(text, into: &hasher) }
        }
    }

    /// A hash of a text itself is the same for all texts that look alike.
    private static func hash(_ text: ExactText, into hasher: inout Hasher) {
        var text = text.text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}

/// A row of an exported catalog, read back.
public struct CatalogRow: Hashable, Sendable {
    /// The market's number.
    public var id: ProductID
    /// The columns that the export has, in order.
    public let columns: [CatalogColumn]
    /// Their values.
    public let values: [CatalogValue]

    /// A row; as many values as columns.
    public init(id: ProductID, columns: [CatalogColumn], values: [CatalogValue]) {
        precondition(columns.count == values.count, "a row has a value for each of its columns")
        self.id = id
        self.columns = columns
        self.values = values
    }

    /// The value of a column; unset where the export has no such column.
    public subscript(column: CatalogColumn) -> CatalogValue {
        columns.firstIndex(of: column).map { values[$0] } ?? .unset
    }

    /// The text of a column, where it is one.
    public func text(_ column: CatalogColumn) -> String? {
        if case .text(let text) = self[column] { text.text } else { nil }
    }

    /// The number of a column, where it is one.
    public func number(_ column: CatalogColumn) -> ExactDecimal? {
        if case .number(let number) = self[column] { number } else { nil }
    }

    /// A hash of some columns' values, to the byte, the same for as long as the process runs.
    func digest(of columns: [CatalogColumn]) -> Int {
        var hasher = Hasher()
        for column in columns { self[column].hash(exactlyInto: &hasher) }
        return hasher.finalize()
    }
}

extension CatalogColumn {
    /// Whether its values are numbers.
    public var isNumber: Bool {
        switch self {
        case .id, .price, .salePrice, .discount, .stock, .vendorID: true
        case .key, .name, .description, .currency, .vendor, .thumbnail, .images, .createdAt, .issuedAt: false
        }
    }
}

/// Reads lines of ``CatalogJSONLines`` back.
public struct CatalogLineReader {
    private let names = JSONNames(CatalogColumn.allCases.map(\.rawValue))
    private var order = JSONNameOrder()

    /// A reader.
    public init() {}

    /// Reads whole lines, and hands on the product of each.
    ///
    /// - Throws: ``JSONError`` where a line is no product, and what `body` throws.
    public mutating func read(_ lines: [UInt8], _ body: (CatalogRow) throws -> Void) throws {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            try body(
                line.withUnsafeBytes { (bytes) throws(JSONError) -> CatalogRow in
                    try JSONReader.read(bytes) { reader throws(JSONError) in try row(&reader) }
                }
            )
        }
    }

    private mutating func row(_ reader: inout JSONReader) throws(JSONError) -> CatalogRow {
        var columns: [CatalogColumn] = []
        var values: [CatalogValue] = []
        var id: ProductID?
        try reader.beginObject(in: &order)
        while let index = try reader.nextName(of: names, in: &order) {
            guard CatalogColumn.allCases.indices.contains(index) else {
                try reader.skipValue()
                continue
            }
            let column = CatalogColumn.allCases[index]
            let offset = reader.offset
            let value = try Self.value(&reader)
            switch (column, value) {
            case (.id, .number(let number)): id = number.wholeValue.map { ProductID($0) }
            case (_, .unset), (.images, .texts): break
            case (_, .number) where column.isNumber: break
            case (_, .text) where !column.isNumber && column != .images: break
            default: throw JSONError(.typeMismatch, at: offset, "'\(column.rawValue)' has no such value")
            }
            columns.append(column)
            values.append(value)
        }
        try reader.finish()
        guard let id else { throw JSONError(.typeMismatch, at: reader.offset, "there is no 'id'") }
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
