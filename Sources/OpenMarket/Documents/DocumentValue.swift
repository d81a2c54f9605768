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
    let value: JSONValue
    let place: String

    package init(_ value: JSONValue, at place: String) {
        self.value = value
        self.place = place
    }

    /// The value as another type.
    ///
    /// - Parameters:
    ///   - what: What it has to be, for the message: "a number".
    ///   - read: Makes the value; `nil` where it is not one.
    /// - Returns: The value.
    /// - Throws: ``DocumentError``.
    package func read<Value>(_ what: String, _ read: (JSONValue) -> Value?) throws(DocumentError) -> Value {
        guard let result = read(value) else { throw DocumentError("is not \(what)", at: place) }
        return result
    }

    /// The elements of an array, each read.
    func list<Value>(
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
}
