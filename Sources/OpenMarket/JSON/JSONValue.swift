/// A JSON document as a tree; objects keep the order of their members.
package enum JSONValue: Hashable, Sendable {
    /// ``parse(_:)`` never returns a repeated name.
    case object([Member])
    case array([JSONValue])
    case string(String)
    case number(ExactDecimal)
    /// A number that ``ExactDecimal`` cannot hold, in its original spelling: `1e400`.
    case unrepresentableNumber(String)
    case bool(Bool)
    case null

    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// Compares names by their bytes.
        package static func == (left: Member, right: Member) -> Bool {
            left.name.isExactly(right.name) && left.value == right.value
        }
    }

    /// Compares texts by their bytes.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.object(let left), .object(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.number(let left), .number(let right)): left == right
        case (.unrepresentableNumber(let left), .unrepresentableNumber(let right)): left.isExactly(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        default: false
        }
    }

    /// Reads a whole document; throws a ``JSONError`` unless the bytes are exactly one JSON value in UTF-8.
    ///
    /// A name that is repeated in an object, byte for byte, keeps its first position and its last value.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue { try parse(bytes, takesRepeats: true) }

    /// Reads a whole document and refuses repeated names in an object, because readers differ in the value that they
    /// take.
    package static func parse(unambiguous bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try parse(bytes, takesRepeats: false)
    }

    private static func parse(_ bytes: [UInt8], takesRepeats: Bool) throws(JSONError) -> JSONValue {
        try JSONReader.read(bytes) { reader throws(JSONError) in
            let value = try reader.readValue(takesRepeats: takesRepeats)
            try reader.finish()
            return value
        }
    }

    /// `nil` if the member is missing, or if this is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.isExactly(name) }?.value
    }

    package var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// In order; `nil` if this is not an object.
    package var members: [Member]? { if case .object(let value) = self { value } else { nil } }

    package var text: String? { if case .string(let value) = self { value } else { nil } }

    package var decimal: ExactDecimal? { if case .number(let value) = self { value } else { nil } }

    /// `nil` unless it is a whole number that fits.
    package var integer: Int64? { decimal?.wholeValue }

    package var truth: Bool? { if case .bool(let value) = self { value } else { nil } }

    package var isNull: Bool { self == .null }

    /// See ``JSONWriter``.
    package func bytes(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.value(self)
        return writer.bytes
    }
}

extension JSONReader {
    mutating func readValue() throws(JSONError) -> JSONValue { try readValue(takesRepeats: true) }

    fileprivate mutating func readValue(takesRepeats: Bool) throws(JSONError) -> JSONValue {
        switch try peek() {
        case .object:
            var members: [JSONValue.Member] = []
            var places: [ExactText: Int] = [:]
            try beginObject()
            while let name = try nextName() {
                let start = position
                let value = try readValue(takesRepeats: takesRepeats)
                // A search among few members is faster than a hash.
                let place =
                    members.count < 16
                    ? members.firstIndex { $0.name.isExactly(name) } : Self.place(of: name, members, &places)
                if let place {
                    guard takesRepeats else {
                        throw JSONError(.unexpected, at: start, "the member '\(name)' for the second time")
                    }
                    members[place].value = value
                } else {
                    members.append(JSONValue.Member(name, value))
                }
            }
            return .object(members)
        case .array:
            var elements: [JSONValue] = []
            try beginArray()
            while try nextElement() { elements.append(try readValue(takesRepeats: takesRepeats)) }
            return .array(elements)
        case .string:
            return .string(try readString())
        case .number:
            let (spelling, value) = try readPeekedNumber()
            return value.map(JSONValue.number) ?? .unrepresentableNumber(spelling.string)
        case .bool:
            return .bool(try readBool())
        case .null:
            try readNull()
            return .null
        }
    }

    private static func place(
        of name: String,
        _ members: [JSONValue.Member],
        _ places: inout [ExactText: Int]
    ) -> Int? {
        for index in places.count..<members.count { places[ExactText(members[index].name)] = index }
        return places[ExactText(name)]
    }
}
