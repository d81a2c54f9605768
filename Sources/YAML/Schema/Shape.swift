package import OpenMarket

/// The form of a key's value: how it is read, and how JSON Schema and reference describe it.
package struct Shape<Value> {
    /// The name in the reference and in messages: `a pointer`.
    package let words: String
    package let schema: () -> JSONValue
    package let sections: () -> [SectionTable]
    /// The kinds of nodes that it reads.
    package let kinds: Set<YAMLNode.Kind>
    /// Reads the value, and reports faults with their positions.
    package let read: (YAMLNode, inout SchemaReader) -> Value?

    package init(
        _ words: String,
        _ kinds: Set<YAMLNode.Kind>,
        schema: @escaping () -> JSONValue,
        sections: @escaping () -> [SectionTable] = { [] },
        read: @escaping (YAMLNode, inout SchemaReader) -> Value?
    ) {
        self.words = words
        self.kinds = kinds
        self.schema = schema
        self.sections = sections
        self.read = read
    }

    /// The shape that also records each value read.
    package func noting(_ note: @escaping (Value, YAMLNode, inout SchemaReader) -> Void) -> Shape {
        Shape(words, kinds, schema: schema, sections: sections) { node, reader in
            let value = read(node, &reader)
            if let value { note(value, node, &reader) }
            return value
        }
    }

    package func map<Other>(_ transform: @escaping (Value) -> Other) -> Shape<Other> {
        Shape<Other>(words, kinds, schema: schema, sections: sections) { node, reader in
            read(node, &reader).map(transform)
        }
    }
}

/// A closed list of words, such as the styles of paging.
package protocol ClosedList: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension ClosedList {
    package static var names: [String] { allCases.map(\.rawValue) }
}
