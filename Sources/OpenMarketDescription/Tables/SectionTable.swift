package import OpenMarket

/// The table of a section, whatever its type: for JSON Schema and reference.
struct SectionTable {
    private struct Row {
        let name: String
        let isRequired: Bool
        let words: String
        let meaning: String
        let schema: () -> JSONValue
        let sections: () -> [SectionTable]
    }

    /// The section's place in a description: `list.page.keyset`.
    let title: String
    private let rows: [Row]
    private let rules: [SectionRule]

    /// The table of a section; `tag` is the word that chooses it among several, and the key of the word.
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

    /// The names of the keys.
    var keys: [String] { rows.map(\.name) }

    /// The keys that have to be there.
    var requiredKeys: [String] { rows.filter(\.isRequired).map(\.name) }

    /// This table and all that are in it, each once, in the order of the reference.
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

    /// The JSON Schema of the section.
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

    /// The reference of the section: Markdown with a row for each key.
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

/// The language in which markets are described, as a whole.
package enum MarketLanguage {
    /// The version of the language that this program reads.
    static let version = 1
    /// A description has at most so many bytes.
    package static let longestDocument = 64 << 10
    /// Each section of a description has at most so many pointers.
    static let mostPointers = 64

    private static var tables: [SectionTable] { SectionTable(MarketDescription.self).all }

    /// The JSON Schema (2020-12) of a description, for editors.
    ///
    /// It refuses what the loader refuses for the shape of the document. What needs another part of the document, or
    /// the meaning of a text, only the loader knows.
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

    /// The keys of each section by its place, for tests that go over all of them.
    static var sections: [(title: String, keys: [String], required: [String])] {
        tables.map { ($0.title, $0.keys, $0.requiredKeys) }
    }
}
