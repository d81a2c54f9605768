/// Why one of openmarket's own documents cannot be read.
package struct DocumentError: Error, Hashable {
    /// The path in the document: `operations[2].changes[0].kind`.
    package var place: String
    /// A clause.
    package var message: String

    package init(_ message: String, at place: String) {
        self.place = place
        self.message = message
    }
}

/// A value of one of openmarket's own documents, with its path for messages.
package struct DocumentValue {
    let value: JSONValue
    let place: String

    package init(_ value: JSONValue, at place: String) {
        self.value = value
        self.place = place
    }

    /// Reads the value as another type.
    ///
    /// `what` names the expected kind in the message, such as "a number"; `read` returns `nil` for values of other
    /// kinds.
    package func read<Value>(_ what: String, _ read: (JSONValue) -> Value?) throws(DocumentError) -> Value {
        guard let result = read(value) else { throw DocumentError("is not \(what)", at: place) }
        return result
    }

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
