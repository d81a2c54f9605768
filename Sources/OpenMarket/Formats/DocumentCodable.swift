/// A value of openmarket's own documents, convertible to and from JSON.
package protocol DocumentCodable {
    var document: JSONValue { get }
    init(document: DocumentValue) throws(DocumentError)
}

extension JSONValue {
    package init(_ value: some DocumentCodable) {
        self = value.document
    }

    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(ExactDecimal(Int64(clamping: value)))
    }

    /// Leaves out members that are `nil`.
    package static func object(of members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }
}

// MARK: - JSON's own kinds

extension JSONValue: DocumentCodable {
    package var document: JSONValue { self }
    package init(document: DocumentValue) { self = document.value }
}

extension String: DocumentCodable {
    package var document: JSONValue { .string(self) }
    package init(document: DocumentValue) throws(DocumentError) { self = try document.read("a text", \.text) }
}

extension Bool: DocumentCodable {
    package var document: JSONValue { .bool(self) }
    package init(document: DocumentValue) throws(DocumentError) { self = try document.read("true or false", \.truth) }
}

extension ExactDecimal: DocumentCodable {
    package var document: JSONValue { .number(self) }
    package init(document: DocumentValue) throws(DocumentError) { self = try document.read("a number", \.decimal) }
}

extension DocumentCodable where Self: FixedWidthInteger {
    package var document: JSONValue { .integer(self) }
    package init(document: DocumentValue) throws(DocumentError) {
        self = try document.read("a whole number") { $0.integer.flatMap { Self(exactly: $0) } }
    }
}

extension Int64: DocumentCodable {}
extension Int: DocumentCodable {}
extension UInt32: DocumentCodable {}

extension Array: DocumentCodable where Element: DocumentCodable {
    // Not a key path: generic code creates one at each call, which takes longer than the rest.
    package var document: JSONValue { .array(map { $0.document }) }
    package init(document: DocumentValue) throws(DocumentError) {
        self = try document.list { value throws(DocumentError) in try Element(document: value) }
    }
}

/// An object with product keys as names, which are composed as they are read.
extension Dictionary: DocumentCodable where Key == String, Value: DocumentCodable {
    package var document: JSONValue {
        .object(
            sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { JSONValue.Member($0.key, $0.value.document) }
        )
    }
    package init(document: DocumentValue) throws(DocumentError) {
        self = [:]
        for member in try document.read("an object", \.members) {
            let value = DocumentValue(member.value, at: "\(document.place).\(member.name)")
            self[member.name.composed] = try Value(document: value)
        }
    }
}

// MARK: - Texts

extension DocumentCodable where Self: RawRepresentable<String> {
    package var document: JSONValue { .string(rawValue) }
    package init(document: DocumentValue) throws(DocumentError) {
        let text = try String(document: document)
        guard let value = Self(rawValue: text) else {
            throw DocumentError("is '\(text)', which is unknown to this version", at: document.place)
        }
        self = value
    }
}

extension ProductField: DocumentCodable {}
extension PictureFormat: DocumentCodable {}
extension FieldChange.Kind: DocumentCodable {}
extension PlannedOperation.Action: DocumentCodable {}

extension ContentDigest: DocumentCodable {
    /// A placeholder into which a digest is read.
    package static let zero = ContentDigest(bytes: [UInt8](repeating: 0, count: 32))

    package var document: JSONValue { .string(hexadecimal) }
    package init(document: DocumentValue) throws(DocumentError) {
        self = try document.read("a SHA-256") { $0.text.flatMap(ContentDigest.init(hexadecimal:)) }
    }
}

extension PictureIdentity: DocumentCodable {
    package var document: JSONValue { .string(stateText) }
    package init(document: DocumentValue) throws(DocumentError) {
        self = try document.read("a picture") { $0.text.flatMap { PictureIdentity(stateText: $0) } }
    }
}

extension SecretReference: DocumentCodable {
    package var document: JSONValue { .string(stateText) }
    package init(document: DocumentValue) throws(DocumentError) {
        self = try document.read("a reference to a secret") { $0.text.flatMap(SecretReference.init(stateText:)) }
    }
}

/// A number or a text, as in JSON.
extension MarketID: DocumentCodable {
    package var document: JSONValue {
        switch self {
        case .number(let number): .integer(number)
        case .text(let text): .string(text)
        }
    }
    package init(document: DocumentValue) throws(DocumentError) {
        guard let text = document.value.text else {
            self.init(try document.read("a number or a text", \.integer))
            return
        }
        if let fault = Self.fault(ofText: text) { throw DocumentError("is not an id: it \(fault)", at: document.place) }
        self = .text(text)
    }
}
