package import OpenMarket

/// The table of a section of any type, for JSON Schema and reference.
package struct SectionTable {
    struct Row {
        let name: String
        let isRequired: Bool
        /// The allowed values.
        let words: String
        /// The purpose, in one line of Markdown.
        let meaning: String
        var schema: () -> JSONValue
        let sections: () -> [SectionTable]

        init<Value>(_ name: String, _ shape: Shape<Value>, _ meaning: String, isRequired: Bool) {
            self.name = name
            self.isRequired = isRequired
            self.meaning = meaning
            words = shape.words
            schema = shape.schema
            sections = shape.sections
        }
    }

    package let title: String
    private var rows: [Row]
    private let rules: [SectionRule]

    /// `tag` is the key and the word that select the section among several.
    package init<Value>(_ section: Section<Value>, tag: (key: String, word: String)? = nil) {
        title = section.title
        rules = section.rules
        rows = section.keys.map(\.row)
        guard let tag else { return }
        let word = Shape<String>.word([tag.word]) { $0 }
        rows.insert(Row(tag.key, word, "Which table this is.", isRequired: true), at: 0)
        rows[0].schema = { .object(of: ("const", .string(tag.word))) }
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

    package var schema: JSONValue {
        .object(
            of: ("type", .string("object")),
            (
                "properties",
                .object(
                    rows.map { row in
                        let description = JSONValue.Member("description", .string(row.meaning))
                        return .init(row.name, .object([description] + (row.schema().members ?? [])))
                    }
                )
            ),
            ("required", requiredKeys.isEmpty ? nil : .array(requiredKeys.map(JSONValue.string))),
            ("allOf", rules.isEmpty ? nil : .array(rules.map(\.schema))),
            ("additionalProperties", .bool(false))
        )
    }

    /// Markdown with a row for each key.
    package var reference: String {
        var text = "### \(title)\n\n| key | value | what it is |\n| --- | --- | --- |\n"
        for row in rows {
            let words = row.words.replacing("|", with: "\\|")
            text += "| `\(row.name)`\(row.isRequired ? " (required)" : "") | \(words) | \(row.meaning) |\n"
        }
        if !rules.isEmpty { text += "\n" + rules.map { "- \($0.words)\n" }.joined() }
        return text
    }
}
