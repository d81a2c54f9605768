import OpenMarket

/// A mapping whose keys are read, suggested, checked and documented from one table.
package struct Section<Value> {
    /// Its path in the document: `list.page.keyset`.
    let title: String
    /// The initial value, before anything is read.
    let start: Value
    /// In the order of the reference.
    let keys: [SectionKey<Value>]
    /// Rules about keys that require or exclude each other.
    let rules: [SectionRule]
    /// Messages for keys that people try here but that do not exist.
    let refused: [String: String]

    package init(
        _ title: String,
        _ start: Value,
        _ keys: [SectionKey<Value>],
        rules: [SectionRule] = [],
        refused: [String: String] = [:]
    ) {
        self.title = title
        self.start = start
        self.keys = keys
        self.rules = rules
        self.refused = refused
    }

    /// The link to its heading in the reference.
    var link: String { "[\(title)](#\(title.filter { $0 != "." }))" }
}

/// A key of a section, which reads its value into the section.
package struct SectionKey<Section> {
    let row: SectionTable.Row
    /// Reads the value into the section; false if it could not be read.
    let read: (YAMLNode, inout SchemaReader, inout Section) -> Bool

    package var name: String { row.name }
    var isRequired: Bool { row.isRequired }

    /// A key whose value is not just stored at a key path.
    package init<Value>(
        _ name: String,
        _ shape: Shape<Value>,
        _ meaning: String = "",
        isRequired: Bool = false,
        _ take: @escaping (inout Section, Value) -> Void
    ) {
        row = SectionTable.Row(
            name,
            words: shape.words,
            meaning: meaning,
            isRequired: isRequired,
            schema: shape.schema,
            sections: shape.sections
        )
        read = { node, reader, section in
            guard let value = shape.read(node, &reader) else { return false }
            take(&section, value)
            return true
        }
    }

    package static func required<Value>(
        _ name: String,
        _ place: WritableKeyPath<Section, Value>,
        _ shape: Shape<Value>,
        _ meaning: String = ""
    ) -> SectionKey {
        SectionKey(name, shape, meaning, isRequired: true) { $0[keyPath: place] = $1 }
    }

    package static func optional<Value>(
        _ name: String,
        _ place: WritableKeyPath<Section, Value?>,
        _ shape: Shape<Value>,
        _ meaning: String = ""
    ) -> SectionKey {
        SectionKey(name, shape, meaning) { $0[keyPath: place] = $1 }
    }

    package static func standard<Value>(
        _ name: String,
        _ place: WritableKeyPath<Section, Value>,
        _ shape: Shape<Value>,
        _ meaning: String = ""
    ) -> SectionKey {
        SectionKey(name, shape, meaning) { $0[keyPath: place] = $1 }
    }
}

/// A rule about keys of a section that require or exclude each other.
package enum SectionRule {
    case exactlyOne([String])
    case atLeastOne([String])
    case atMostOne([String])
    /// The first requires one of the others.
    case needsOne(String, of: [String])

    package static func needs(_ key: String, _ other: String) -> Self { .needsOne(key, of: [other]) }

    /// The fault of the present keys, and the key that causes it.
    func fault(in keys: Set<String>) -> (message: String, key: String?)? {
        switch self {
        case .exactlyOne(let names):
            let found = names.filter(keys.contains)
            if found.count == 1 { return nil }
            guard let second = found.dropFirst().first else {
                return ("one of \(names.quoted("and")) is needed here", nil)
            }
            return ("'\(found[0])' and '\(second)' exclude each other", second)
        case .atLeastOne(let names):
            return names.contains(where: keys.contains) ? nil : ("\(names.quoted("or")) is needed here", nil)
        case .atMostOne(let names):
            let found = names.filter(keys.contains)
            return found.count < 2 ? nil : ("'\(found[0])' and '\(found[1])' exclude each other", found[1])
        case .needsOne(let key, let others):
            guard keys.contains(key), !others.contains(where: keys.contains) else { return nil }
            return ("'\(key)' needs \(others.quoted("or"))", key)
        }
    }

    var keys: [String] {
        switch self {
        case .exactlyOne(let names), .atLeastOne(let names), .atMostOne(let names): names
        case .needsOne(let key, let others): [key] + others
        }
    }

    /// The rule in words, for the reference.
    var words: String {
        switch self {
        case .exactlyOne(let names): "exactly one of \(names.marked("and"))"
        case .atLeastOne(let names): "at least one of \(names.marked("and"))"
        case .atMostOne(let names): "at most one of \(names.marked("and"))"
        case .needsOne(let key, let others): "`\(key)` only with \(others.marked("or"))"
        }
    }

    var schema: JSONValue {
        func required(_ names: String...) -> JSONValue {
            .object(of: ("required", .array(names.map(JSONValue.string))))
        }
        func pairs(_ names: [String]) -> [JSONValue] {
            names.indices.flatMap { first in
                names.dropFirst(first + 1).map { .object(of: ("not", required(names[first], $0))) }
            }
        }
        switch self {
        case .exactlyOne(let names): return .object(of: ("oneOf", .array(names.map { required($0) })))
        case .atLeastOne(let names): return .object(of: ("anyOf", .array(names.map { required($0) })))
        case .atMostOne(let names): return .object(of: ("allOf", .array(pairs(names))))
        case .needsOne(let key, let others):
            return .object(
                of: (
                    "dependentSchemas",
                    .object(of: (key, .object(of: ("anyOf", .array(others.map { required($0) })))))
                )
            )
        }
    }
}

extension [String] {
    fileprivate func quoted(_ conjunction: String) -> String { map { "'\($0)'" }.listed(conjunction) }
    fileprivate func marked(_ conjunction: String) -> String { map { "`\($0)`" }.listed(conjunction) }
}
