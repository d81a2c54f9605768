package import OpenMarket

/// The table of a section of any type, for the JSON Schema and the reference.
package struct SectionTable {
    package struct Row {
        let name: String
        let isRequired: Bool
        /// The allowed values.
        let words: String
        /// The purpose, in one line of Markdown.
        let meaning: String
        /// The checks beyond the allowed values, in one line of Markdown; may be empty.
        let rules: String
        let schema: () -> JSONValue
        let sections: () -> [SectionTable]

        package init(
            _ name: String,
            words: String,
            meaning: String,
            rules: String = "",
            isRequired: Bool = false,
            schema: @escaping () -> JSONValue,
            sections: @escaping () -> [SectionTable] = { [] }
        ) {
            self.name = name
            self.isRequired = isRequired
            self.words = words
            self.meaning = meaning
            self.rules = rules
            self.schema = schema
            self.sections = sections
        }

        /// The purpose and the rules without Markdown's links.
        var description: String {
            [meaning, rules].map { $0.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) } }
                // A mapping's rule is the link to its section.
                .filter { !$0.isEmpty && $0 != name }.joined(separator: ". ")
        }
    }

    package let title: String
    private(set) var rows: [Row]
    let rules: [SectionRule]

    /// `tag` is the key and the word that select the section among several.
    package init<Value>(_ section: Section<Value>, tag: (key: String, word: String)? = nil) {
        title = section.title
        rules = section.rules
        rows = section.keys.map(\.row)
        guard let tag else { return }
        let row = Row(tag.key, words: "`\(tag.word)`", meaning: "Which table this is.", isRequired: true) {
            .object(of: ("const", .string(tag.word)))
        }
        rows.insert(row, at: 0)
    }

    package init(_ title: String, _ rows: [Row]) {
        self.title = title
        self.rows = rows
        rules = []
    }

    package var keys: [String] { rows.map(\.name) }

    package var requiredKeys: [String] { rows.filter(\.isRequired).map(\.name) }

    /// This table and all nested ones, each once, in the order of the reference.
    package var all: [SectionTable] {
        var found: [SectionTable] = []
        func add(_ table: SectionTable) {
            guard !found.contains(where: { $0.title == table.title }) else { return }
            found.append(table)
            for row in table.rows { for inner in row.sections() { add(inner) } }
        }
        add(self)
        return found
    }

    package var properties: JSONValue {
        .object(
            rows.map { row in
                let description = JSONValue.Member("description", .string(row.description))
                return .init(row.name, .object([description] + (row.schema().members ?? [])))
            }
        )
    }

    package var schema: JSONValue {
        .object(
            of: ("type", .string("object")),
            ("properties", properties),
            ("required", requiredKeys.isEmpty ? nil : .array(requiredKeys.map(JSONValue.string))),
            ("allOf", rules.isEmpty ? nil : .array(rules.map(\.schema))),
            ("additionalProperties", .bool(false))
        )
    }
}
