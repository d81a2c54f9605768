/// An object in openmarket's own documents.
///
/// ``describe(_:)`` lists its members once, for both writing and reading.
package protocol DocumentRecord: DocumentCodable {
    /// The value into which members are read.
    static var blank: Self { get }
    /// Passes each member in the written order.
    mutating func describe(_ members: inout DocumentMembers)
}

extension DocumentRecord {
    package var document: JSONValue {
        var copy = self
        var members = DocumentMembers()
        copy.describe(&members)
        return members.document
    }

    package init(document: DocumentValue) throws(DocumentError) {
        self = .blank
        var members = try DocumentMembers(document)
        describe(&members)
        try members.finish()
    }
}

/// The members of an object during writing or reading.
///
/// Reading stops at the first fault, which is kept. A member that is not requested is also a fault.
package struct DocumentMembers {
    /// `false` while members are written.
    package let isReading: Bool
    private let place: String
    /// The members written so far, or still to read.
    private var members: [JSONValue.Member] = []
    /// The names that were read and not there.
    private var absent: [String] = []
    private var fault: DocumentError?

    init() {
        isReading = false
        place = ""
    }

    init(_ document: DocumentValue) throws(DocumentError) {
        isReading = true
        place = document.place
        members = try document.read("an object", \.members)
    }

    var document: JSONValue { .object(members) }

    func finish() throws(DocumentError) {
        if let fault { throw fault }
        guard let member = members.first else { return }
        let near = Suggestion.nearest(to: member.name, in: absent).map { "; did you mean '\($0)'?" } ?? ""
        throw DocumentError("is unknown to this version\(near)", at: path(to: member.name))
    }

    package mutating func refuse(_ message: String, at name: String? = nil) {
        if isReading, fault == nil { fault = DocumentError(message, at: name.map(path) ?? place) }
    }

    package mutating func refuse(_ found: DocumentError) {
        if fault == nil { fault = found }
    }

    func path(to name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    // MARK: - Members

    /// A member that may be missing, with its own JSON form.
    mutating func optional<Value>(
        _ name: String,
        _ value: inout Value?,
        write: (Value) -> JSONValue,
        read: (DocumentValue) throws(DocumentError) -> Value
    ) {
        guard isReading else {
            if let value { members.append(JSONValue.Member(name, write(value))) }
            return
        }
        value = nil
        guard fault == nil else { return }
        guard let index = members.firstIndex(where: { $0.name.isExactly(name) }) else { return absent.append(name) }
        let member = members.remove(at: index)
        do throws(DocumentError) {
            value = try read(DocumentValue(member.value, at: path(to: name)))
        } catch {
            fault = error
        }
    }

    package mutating func optional<Value: DocumentCodable>(_ name: String, _ value: inout Value?) {
        // Not a key path: generic code creates one at each call, which takes longer than the rest.
        optional(name, &value, write: { $0.document }, read: Value.init(document:))
    }

    /// A member that is left out if it has its default value.
    package mutating func optional<Value: DocumentCodable & Equatable>(
        _ name: String,
        _ value: inout Value,
        default usual: Value
    ) {
        var present: Value? = isReading || value == usual ? nil : value
        optional(name, &present)
        if isReading { value = present ?? usual }
    }

    /// A member that must be present.
    mutating func required<Value: DocumentCodable>(_ name: String, _ value: inout Value?) {
        optional(name, &value)
        guard value == nil, fault == nil else { return }
        let near = Suggestion.nearest(to: name, in: members.map(\.name)).map { "; '\($0)' looks like it" } ?? ""
        refuse("is missing\(near)", at: name)
    }

    package mutating func required<Value: DocumentCodable>(_ name: String, _ value: inout Value) {
        var present: Value? = isReading ? nil : value
        required(name, &present)
        if let present { value = present }
    }

    /// A key, which is composed as it is read.
    mutating func key(_ name: String, _ key: inout String) {
        required(name, &key)
        guard isReading else { return }
        if key.isEmpty { refuse("is empty", at: name) }
        key = key.composed
    }

    mutating func optional(_ name: String, _ value: inout FieldValue?, of field: ProductField) {
        optional(name, &value, write: { JSONValue($0) }) { document throws(DocumentError) in
            try FieldValue(document: document, of: field)
        }
    }

    /// A required object whose members belong to the same value.
    package mutating func object(_ name: String, _ describe: (inout DocumentMembers) -> Void) {
        var value: JSONValue?
        if !isReading {
            var inner = DocumentMembers()
            describe(&inner)
            value = inner.document
        }
        required(name, &value)
        guard isReading, fault == nil, let value else { return }
        do throws(DocumentError) {
            var inner = try DocumentMembers(DocumentValue(value, at: path(to: name)))
            describe(&inner)
            try inner.finish()
        } catch {
            fault = error
        }
    }
}
