import OpenMarket

/// A JSON value of a request, limited to the kinds that members may have.
enum WireValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(ExactDecimal)
    /// A number that ``ExactDecimal`` cannot hold, as written.
    case unrepresentableNumber(String)
    case string(String)
    /// An array or an object, which no member accepts, so its content is dropped.
    case nested

    /// Reads any value; `nil` if it is not JSON, or nested too deep.
    init?(json bytes: [UInt8]) {
        let value = try? Self.read(bytes) { reader throws(JSONError) in try WireValue(&reader) }
        guard let value else { return nil }
        self = value
    }

    /// Reads the members of an object that `Name` has; `nil` for other values, malformed JSON, and too deep nesting.
    ///
    /// Members with other names are skipped. If a name appears twice, the last value counts, as in Jackson.
    static func members<Name: RawRepresentable<String> & Hashable>(
        _ names: Name.Type,
        in bytes: [UInt8]
    ) -> [Name: WireValue]? {
        try? read(bytes) { reader throws(JSONError) in
            var members: [Name: WireValue] = [:]
            try reader.beginObject()
            while let name = try reader.nextName() {
                if let name = Name(rawValue: name) {
                    members[name] = try WireValue(&reader)
                } else {
                    try reader.skipValue()
                }
            }
            return members
        }
    }

    private static func read<Result>(
        _ bytes: [UInt8],
        _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        // Jackson skips a byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        return try JSONReader.read(bytes) { reader throws(JSONError) in
            let result = try body(&reader)
            try reader.finish()
            return result
        }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            self = .null
        case .bool:
            self = .bool(try reader.readBool())
        case .number:
            let (spelling, value) = try reader.readNumber()
            self = value.map(WireValue.number) ?? .unrepresentableNumber(spelling.string)
        case .string:
            self = .string(try reader.readString())
        case .array, .object:
            try reader.skipValue()
            self = .nested
        }
    }
}
