package import OpenMarket

/// The table of a section of any type, for JSON Schema and reference.
struct SectionTable {
    private struct Row {
        let name: String
        let isRequired: Bool
        let words: String
        let meaning: String
        let schema: () -> JSONValue
        let sections: () -> [SectionTable]
    }

    /// The section's path in a description: `list.page.keyset`.
    let title: String
    private let rows: [Row]
    private let rules: [SectionRule]

    /// The table of a section; `tag` is the key and the word that select it among several.
    init<Section: DescriptionSection>(_ section: Section.Type, tag: (key: String, word: String)? = nil) {
        title = Section.title
        rules = Section.rules
        let chooser = tag.map { tag in
            Row(
                name: tag.key,
                isRequired: true,
                words: "`\(tag.word)`",
                meaning: "Which table this is.",
                schema: { .object(of: ("const", .string(tag.word))) },
                sections: { [] }
            )
        }
        rows =
            (chooser.map { [$0] } ?? [])
            + Section.keys.map { key in
                Row(
                    name: key.name,
                    isRequired: key.isRequired,
                    words: key.words,
                    meaning: key.meaning,
                    schema: key.schema,
                    sections: key.sections
                )
            }
    }

    var keys: [String] { rows.map(\.name) }

    var requiredKeys: [String] { rows.filter(\.isRequired).map(\.name) }

    /// This table and all nested ones, each once, in the order of the reference.
    var all: [SectionTable] {
        var found: [SectionTable] = []
        func add(_ table: SectionTable) {
            guard !found.contains(where: { $0.title == table.title }) else { return }
            found.append(table)
            for row in table.rows { for inner in row.sections() { add(inner) } }
        }
        add(self)
        return found
    }

    var schema: JSONValue {
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
    var reference: String {
        var text = "### \(title)\n\n| key | value | what it is |\n| --- | --- | --- |\n"
        for row in rows {
            let words = row.words.replacing("|", with: "\\|")
            text += "| `\(row.name)`\(row.isRequired ? " (required)" : "") | \(words) | \(row.meaning) |\n"
        }
        if !rules.isEmpty { text += "\n" + rules.map { "- \($0.words)\n" }.joined() }
        return text
    }
}

/// The language of market descriptions as a whole.
package enum MarketLanguage {
    /// The version of the language that this program reads.
    static let version = 1
    /// The most bytes of a description.
    package static let longestDocument = 64 << 10
    /// The most pointers of each section of a description.
    static let mostPointers = 64

    private static var tables: [SectionTable] { SectionTable(MarketDescription.self).all }

    /// The JSON Schema (2020-12) of a description, for editors.
    ///
    /// It refuses the same shapes of the document as the loader. Only the loader checks rules that involve another part
    /// of the document, or the meaning of a text.
    package static var jsonSchema: JSONValue {
        .object(
            of: ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("Description of a market for openmarket")),
            ("$ref", .string("#/$defs/\(MarketDescription.title)")),
            ("$defs", .object(tables.map { .init($0.title, $0.schema) }))
        )
    }

    /// The reference of all sections in Markdown.
    static var reference: String { tables.map(\.reference).joined(separator: "\n") }

    /// The keys of each section by its path, for tests that cover all of them.
    static var sections: [(title: String, keys: [String], required: [String])] {
        tables.map { ($0.title, $0.keys, $0.requiredKeys) }
    }
}
