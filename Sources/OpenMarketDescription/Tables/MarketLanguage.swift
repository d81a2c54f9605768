package import OpenMarket
import YAML

package enum MarketLanguage {
    /// The version of the language that this program reads.
    static let version = 1
    /// The maximum size of a description, in bytes.
    package static let longestDocument = 64 << 10

    static var tables: [SectionTable] { SectionTable(MarketDescription.table).all }

    /// The JSON Schema (2020-12) of a description, for editors.
    ///
    /// It refuses the same shapes of the document as the loader. Only the loader checks rules that depend on another
    /// part of the document, or on the meaning of a text.
    package static var jsonSchema: JSONValue {
        .object(
            of: ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("Description of a market for openmarket")),
            ("$ref", .string("#/$defs/\(MarketDescription.title)")),
            ("$defs", .object(tables.map { .init($0.title, $0.schema) }))
        )
    }
}
