import OpenMarket
import YAML

/// What the value of a key may be: how it is read, and what JSON Schema and reference say of it.
struct Shape<Value> {
    /// What it is, in the reference and in messages: `a pointer`.
    let words: String
    /// Its JSON Schema.
    let schema: () -> JSONValue
    /// The sections that are in it.
    var sections: () -> [SectionTable] = { [] }
    /// Which kinds of nodes it is made of.
    let kinds: Set<YAMLNode.Kind>
    /// Reads it, and reports what is wrong where it is.
    let read: (YAMLNode, inout DescriptionReader) -> Value?

    init(
        _ words: String,
        _ kinds: Set<YAMLNode.Kind>,
        schema: @escaping () -> JSONValue,
        sections: @escaping () -> [SectionTable] = { [] },
        read: @escaping (YAMLNode, inout DescriptionReader) -> Value?
    ) {
        self.words = words
        self.kinds = kinds
        self.schema = schema
        self.sections = sections
        self.read = read
    }

    /// The shape with a note of what was read.
    func noting(_ note: @escaping (Value, YAMLNode, inout DescriptionReader) -> Void) -> Shape {
        Shape(words, kinds, schema: schema, sections: sections) { node, reader in
            let value = read(node, &reader)
            if let value { note(value, node, &reader) }
            return value
        }
    }

    /// The shape with another value made of what was read.
    func map<Other>(_ transform: @escaping (Value) -> Other) -> Shape<Other> {
        Shape<Other>(words, kinds, schema: schema, sections: sections) { node, reader in
            read(node, &reader).map(transform)
        }
    }
}

/// A closed list of words, such as the styles of paging.
protocol ClosedList: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension ClosedList {
    static var names: [String] { allCases.map(\.rawValue) }
}
