import OpenMarket

/// A JSON value of any kind, as a request may hold it.
enum WireValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(ExactDecimal)
    case string(String)
    case array([WireValue])
    case object([String: WireValue])

    /// Reads any value; `nil` for what is no JSON, or holds a number that cannot be kept exactly.
    init?(json bytes: [UInt8]) {
        guard
            let value = try? JSONReader.read(
                bytes,
                { reader throws(JSONError) in
                    let value = try WireValue(&reader)
                    try reader.finish()
                    return value
                }
            )
        else { return nil }
        self = value
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .null:
            try reader.readNull()
            self = .null
        case .bool:
            self = .bool(try reader.readBool())
        case .number:
            guard let number = try reader.readDecimal() else {
                throw JSONError(.unexpected, at: reader.offset, "a number out of range")
            }
            self = .number(number)
        case .string:
            self = .string(try reader.readString())
        case .array:
            var elements: [WireValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try WireValue(&reader)) }
            self = .array(elements)
        case .object:
            var members: [String: WireValue] = [:]
            try reader.beginObject()
            while let name = try reader.nextName() {
                // Of a name that stands twice the first counts.
                if members[name] == nil { members[name] = try WireValue(&reader) } else { try reader.skipValue() }
            }
            self = .object(members)
        }
    }

    /// Reads an object; `nil` for anything else, or what is no JSON.
    static func object(in bytes: [UInt8]) -> [String: WireValue]? {
        guard case .object(let members) = WireValue(json: bytes) else { return nil }
        return members
    }
}

extension String {
    /// Whether the text holds U+0000, where SQLite would end it silently.
    var holdsNull: Bool { utf8.contains(0) }
}
