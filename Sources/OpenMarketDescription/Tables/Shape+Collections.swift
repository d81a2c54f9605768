import OpenMarket
import YAML

extension Shape {
    /// A list with at least one element.
    static func list<Element>(_ element: Shape<Element>, most: Int = 64) -> Shape where Value == [Element] {
        Shape("a list: \(element.words)", [.sequence]) {
            .object(
                of: ("type", .string("array")),
                ("items", element.schema()),
                ("minItems", .integer(1)),
                ("maxItems", .integer(most))
            )
        } sections: {
            element.sections()
        } read: { node, reader in
            guard let items = reader.items(of: node, most: most) else { return nil }
            return items.enumerated().compactMap { index, item in
                reader.within("[\(index)]", item, at: item.start) { element.read(item, &$0) }
            }
        }
    }

    /// One, or a list of them.
    static func oneOrMore<Element>(_ element: Shape<Element>, most: Int = 64) -> Shape where Value == [Element] {
        let list = Shape<[Element]>.list(element, most: most)
        return Shape("\(element.words), or a list of those", element.kinds.union([.sequence])) {
            .object(of: ("anyOf", .array([element.schema(), list.schema()])))
        } sections: {
            element.sections()
        } read: { node, reader in
            node.kind == .sequence ? list.read(node, &reader) : element.read(node, &reader).map { [$0] }
        }
    }

    /// Two numbers, the lesser first.
    static func range(_ bounds: ClosedRange<Int>) -> Shape where Value == ClosedRange<Int> {
        let number = Shape<Int>.whole(bounds)
        return Shape("a list of two whole numbers, the lesser first", [.sequence]) {
            .object(
                of: ("type", .string("array")),
                ("items", number.schema()),
                ("minItems", .integer(2)),
                ("maxItems", .integer(2))
            )
        } read: { node, reader in
            guard let items = node.items, items.count == 2 else {
                reader.reportKind(node, "a list of two numbers")
                return nil
            }
            let numbers = items.compactMap { number.read($0, &reader) }
            guard numbers.count == 2 else { return nil }
            guard numbers[0] <= numbers[1] else {
                reader.report(
                    .rule,
                    "the lesser number comes first",
                    at: node.start,
                    help: "write [\(numbers[1]), \(numbers[0])]"
                )
                return nil
            }
            return numbers[0]...numbers[1]
        }
    }

    /// A mapping from names to values, in the order of the text.
    static func mapping<Name, Element>(
        _ name: NameShape<Name>,
        _ element: Shape<Element>
    ) -> Shape where Value == [NamedValue<Name, Element>] {
        Shape("a mapping: \(name.words) to \(element.words)", [.mapping]) {
            .object(
                of: ("type", .string("object")),
                ("propertyNames", .object(of: ("pattern", .string(name.pattern)))),
                ("additionalProperties", element.schema()),
                ("minProperties", .integer(1)),
                ("maxProperties", .integer(64))
            )
        } sections: {
            element.sections()
        } read: { node, reader in
            guard let pairs = node.pairs else {
                reader.reportKind(node, "a mapping")
                return nil
            }
            guard (1...64).contains(pairs.count) else {
                reader.reportShape(
                    pairs.isEmpty
                        ? "this mapping is empty" : "this mapping has \(pairs.count) entries, and at most 64 are taken",
                    at: node
                )
                return nil
            }
            return pairs.compactMap { pair in
                reader.within("." + pair.key.name, pair.value, at: pair.key.start) {
                    reader -> NamedValue<Name, Element>? in
                    let value = element.read(pair.value, &reader)
                    guard let read = name.make(pair.key.name) else {
                        reader.reportShape("'\(pair.key.name.excerpt)' is not \(name.words)", at: pair.key)
                        return nil
                    }
                    name.note(read, pair.key.start, &reader)
                    return value.map { NamedValue(name: read, value: $0) }
                }
            }
        }
    }

    /// Either of two shapes, by the kind of the node: scalar, mapping or list.
    static func either(_ first: Shape, _ second: Shape) -> Shape {
        Shape("\(first.words), or \(second.words)", first.kinds.union(second.kinds)) {
            .object(of: ("anyOf", .array([first.schema(), second.schema()])))
        } sections: {
            first.sections() + second.sections()
        } read: { node, reader in
            let kind = node.kind
            if first.kinds.contains(kind) { return first.read(node, &reader) }
            if second.kinds.contains(kind) { return second.read(node, &reader) }
            reader.reportKind(node, "\(first.words), or \(second.words)")
            return nil
        }
    }
}

/// The form of a mapping's names that the language does not define.
struct NameShape<Name> {
    let words: String
    let pattern: String
    let make: (String) -> Name?
    /// Notes a name that was read, with its position.
    let note: (Name, YAMLPosition, inout DescriptionReader) -> Void
}

extension NameShape where Name == String {
    static func text(_ form: TextForm) -> NameShape {
        NameShape(words: form.words, pattern: form.pattern) {
            form.takes($0) ? $0 : nil
        } note: { name, _, reader in
            reader.note(name: name, form.role)
        }
    }
}

extension NameShape where Name == JSONPointer {
    static var pointer: NameShape {
        NameShape(words: "a pointer", pattern: JSONPointer.pattern) {
            JSONPointer($0)
        } note: { pointer, position, reader in
            reader.note(pointer, at: position)
        }
    }
}

// MARK: - Sections

extension Shape where Value: DescriptionSection {
    /// A section with its own table.
    static var section: Shape {
        Shape("[\(Value.title)](#\(Value.anchor))", [.mapping]) {
            .object(of: ("$ref", .string("#/$defs/\(Value.title)")))
        } sections: {
            [SectionTable(Value.self)]
        } read: { node, reader in
            reader.section(Value.self, node)
        }
    }
}

extension Shape {
    /// A section whose table depends on the word at one of its keys.
    static func tagged(_ key: String, _ cases: [TaggedCase<Value>]) -> Shape {
        let names = cases.map(\.tag)
        return Shape("one of " + cases.map { "[\($0.title)](#\($0.anchor))" }.joined(separator: ", "), [.mapping]) {
            .object(of: ("oneOf", .array(cases.map { .object(of: ("$ref", .string("#/$defs/\($0.title)"))) })))
        } sections: {
            cases.flatMap { [$0.table()] }
        } read: { node, reader in
            guard let pairs = node.pairs else {
                reader.reportKind(node, "a mapping")
                return nil
            }
            guard let pair = pairs.first(where: { $0.key.name == key }) else {
                let near = pairs.first { Suggestion.nearest(to: $0.key.name, in: [key]) != nil }
                reader.reportMissing(key, of: node, near: near?.key)
                return nil
            }
            guard
                let tag = reader.within(
                    "." + key,
                    pair.value,
                    at: pair.key.start,
                    { reader in
                        Shape<String>.word(names) { names.contains($0) ? $0 : nil }.read(pair.value, &reader)
                    }
                ),
                let found = cases.first(where: { $0.tag == tag })
            else { return nil }
            return found.read(node, &reader)
        }
    }
}

/// One of the tables of a section that has several.
struct TaggedCase<Value> {
    let tag: String
    let title: String
    let anchor: String
    let table: () -> SectionTable
    let read: (YAMLNode, inout DescriptionReader) -> Value?

    /// The table that applies if the section's key has this word.
    init<Section: DescriptionSection>(
        _ key: String,
        _ tag: String,
        _ section: Section.Type,
        _ make: @escaping (Section) -> Value
    ) {
        self.tag = tag
        title = Section.title
        anchor = Section.anchor
        table = { SectionTable(section, tag: (key, tag)) }
        read = { node, reader in reader.section(section, node, tag: key).map(make) }
    }
}

/// A name and its value in a mapping whose names the language does not define.
package struct NamedValue<Name, Value> {
    package var name: Name
    package var value: Value
}

extension NamedValue: Equatable where Name: Equatable, Value: Equatable {}
extension NamedValue: Sendable where Name: Sendable, Value: Sendable {}
