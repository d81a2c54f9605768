/// Why a document of ours cannot be read.
package struct DocumentError: Error, Hashable {
    /// Where in the document: `operations[2].changes[0].kind`.
    package var place: String
    /// What is wrong there, as a clause.
    package var message: String

    /// The place and what is wrong there.
    package init(_ message: String, at place: String) {
        self.place = place
        self.message = message
    }
}

/// A value of a document of ours, with its place for messages.
package struct DocumentValue {
    package let value: JSONValue
    package let place: String

    package init(_ value: JSONValue, at place: String) {
        self.value = value
        self.place = place
    }

    /// The value as another type.
    ///
    /// - Parameters:
    ///   - what: What it has to be, for the message: "a number".
    ///   - read: Makes the value; `nil` where it is none.
    /// - Returns: The value.
    /// - Throws: ``DocumentError``.
    package func read<Value>(_ what: String, _ read: (JSONValue) -> Value?) throws(DocumentError) -> Value {
        guard let result = read(value) else { throw DocumentError("is not \(what)", at: place) }
        return result
    }

    /// The elements of an array, each read.
    package func list<Value>(
        _ read: (DocumentValue) throws(DocumentError) -> Value
    ) throws(DocumentError) -> [Value] {
        let elements = try self.read("a list", \.elements)
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            values.append(try read(DocumentValue(element, at: "\(place)[\(index)]")))
        }
        return values
    }

    /// The members of an object; refuses those that `read` does not take.
    package func object<Value>(
        _ read: (inout DocumentObject) throws(DocumentError) -> Value
    ) throws(DocumentError) -> Value {
        var object = DocumentObject(try self.read("an object", \.members), at: place)
        let value = try read(&object)
        try object.finish()
        return value
    }
}

/// An object of a document, whose members are taken one by one.
package struct DocumentObject {
    package let place: String
    private var members: [JSONValue.Member]

    fileprivate init(_ members: [JSONValue.Member], at place: String) {
        self.place = place
        self.members = members
    }

    /// A member that may be missing.
    package mutating func optional<Value>(
        _ name: String,
        _ read: (DocumentValue) throws(DocumentError) -> Value
    ) throws(DocumentError) -> Value? {
        guard let index = members.firstIndex(where: { $0.name.isExactly(name) }) else { return nil }
        let member = members.remove(at: index)
        return try read(DocumentValue(member.value, at: path(to: name)))
    }

    /// A member that has to be there.
    package mutating func required<Value>(
        _ name: String,
        _ read: (DocumentValue) throws(DocumentError) -> Value
    ) throws(DocumentError) -> Value {
        guard let value = try optional(name, read) else { throw DocumentError("is missing", at: path(to: name)) }
        return value
    }

    fileprivate func finish() throws(DocumentError) {
        guard let member = members.first else { return }
        throw DocumentError("is a member that this version does not know", at: path(to: member.name))
    }

    /// The place of a member.
    package func path(to name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
}

/// Readers of values, to be named where a member is taken: `object.required("key", DocumentRead.text)`.
package enum DocumentRead {
    package static func text(_ value: DocumentValue) throws(DocumentError) -> String {
        try value.read("a text", \.text)
    }

    package static func integer(_ value: DocumentValue) throws(DocumentError) -> Int64 {
        try value.read("a whole number", \.integer)
    }

    package static func count(_ value: DocumentValue) throws(DocumentError) -> Int {
        try value.read("a count") { value in value.integer.flatMap { Int(exactly: $0) } }
    }

    package static func number(_ value: DocumentValue) throws(DocumentError) -> ExactDecimal {
        try value.read("a number", \.decimal)
    }

    package static func truth(_ value: DocumentValue) throws(DocumentError) -> Bool {
        try value.read("true or false", \.truth)
    }

    package static func digest(_ value: DocumentValue) throws(DocumentError) -> ContentDigest {
        try value.read("a SHA-256") { $0.text.flatMap(ContentDigest.init(hexadecimal:)) }
    }

    package static func id(_ value: DocumentValue) throws(DocumentError) -> ProductID { ProductID(try integer(value)) }

    package static func choice<Choice: RawRepresentable<String>>(_ value: DocumentValue) throws(DocumentError) -> Choice
    {
        let text = try text(value)
        guard let choice = Choice(rawValue: text) else {
            throw DocumentError("is '\(text)', which this version does not know", at: value.place)
        }
        return choice
    }
}
