import OpenMarket

extension Shape {
    /// A list, with at least one element unless specified otherwise.
    package static func list<Element>(
        _ element: Shape<Element>,
        least: Int = 1,
        most: Int = 64
    ) -> Shape where Value == [Element] {
        Shape("a list: \(element.words)", [.sequence]) {
            .object(
                of: ("type", .string("array")),
                ("items", element.schema()),
                ("minItems", .integer(least)),
                ("maxItems", .integer(most))
            )
        } sections: {
            element.sections()
        } read: { node, reader in
            guard let items = reader.items(of: node, least...most) else { return nil }
            return items.enumerated().compactMap { index, item in
                reader.within("[\(index)]", item, at: item.start) { element.read(item, &$0) }
            }
        }
    }

    package static func oneOrMore<Element>(_ element: Shape<Element>, most: Int = 64) -> Shape
    where Value == [Element] {
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
    package static func range(_ bounds: ClosedRange<Int>) -> Shape where Value == ClosedRange<Int> {
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
    package static func mapping<Name, Element, Entry>(
        _ name: NameShape<Name>,
        _ element: Shape<Element>,
        _ make: @escaping (Name, Element) -> Entry
    ) -> Shape where Value == [Entry] {
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
                    at: node.start
                )
                return nil
            }
            return pairs.compactMap { pair in
                reader.within("." + pair.key.name, pair.value, at: pair.key.start) {
                    reader -> Entry? in
                    let value = element.read(pair.value, &reader)
                    guard let read = name.make(pair.key.name) else {
                        reader.reportShape("'\(pair.key.name.excerpt)' is not \(name.words)", at: pair.key.start)
                        return nil
                    }
                    if let note = name.note(read) { reader.note(note) }
                    return value.map { make(read, $0) }
                }
            }
        }
    }

    /// Either of two shapes, by the kind of the node: scalar, mapping or list.
    package static func either(_ first: Shape, _ second: Shape) -> Shape {
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
package struct NameShape<Name> {
    let words: String
    let pattern: String
    let make: (String) -> Name?
    /// The value to record for a name; `nil` for none.
    let note: (Name) -> (any Sendable)?

    package init(
        _ words: String,
        pattern: String,
        note: @escaping (Name) -> (any Sendable)? = { _ in nil },
        make: @escaping (String) -> Name?
    ) {
        self.words = words
        self.pattern = pattern
        self.note = note
        self.make = make
    }
}

extension NameShape where Name == String {
    package static func text(_ form: TextForm, note: @escaping (Name) -> (any Sendable)? = { _ in nil }) -> NameShape {
        NameShape(form.words, pattern: form.pattern, note: note) { form.takes($0) ? $0 : nil }
    }
}

// MARK: - Sections

extension Shape {
    package static func section(_ table: Section<Value>) -> Shape {
        Shape(table.link, [.mapping]) {
            .object(of: ("$ref", .string("#/$defs/\(table.title)")))
        } sections: {
            [SectionTable(table)]
        } read: { node, reader in
            reader.section(table, node)
        }
    }

    /// A section whose table depends on the word at one of its keys.
    package static func tagged(_ key: String, _ cases: [TaggedCase<Value>]) -> Shape {
        let names = cases.map(\.tag)
        return Shape("one of " + cases.map(\.link).joined(separator: ", "), [.mapping]) {
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

/// A table of a section that has several.
package struct TaggedCase<Value> {
    let tag: String
    let title: String
    /// The link to its heading in the reference.
    let link: String
    let table: () -> SectionTable
    let read: (YAMLNode, inout SchemaReader) -> Value?

    /// The table that applies if the section's key has this word.
    package init<Inner>(
        _ key: String,
        _ tag: String,
        _ section: Section<Inner>,
        _ make: @escaping (Inner) -> Value
    ) {
        self.tag = tag
        title = section.title
        link = section.link
        table = { SectionTable(section, tag: (key, tag)) }
        read = { node, reader in reader.section(section, node, tag: key).map(make) }
    }
}
