package import OpenMarket
import YAML

/// The meaning of the columns of another shop's table.
package struct ConversionMapping: Sendable {
    /// A value composed of columns: the first text that is not empty; `{column}` in it is replaced by the cell.
    struct Template: Sendable {
        enum Piece: Sendable, Equatable {
            case text(String)
            case column(String)
        }

        /// The texts in the order of trying.
        var texts: [[Piece]]

        /// Each text is a column, or has columns in braces.
        init(_ texts: String...) { self.texts = texts.map(Self.pieces) }

        fileprivate init(list texts: [String]) { self.texts = texts.map(Self.pieces) }

        var columns: [String] {
            texts.joined().compactMap { if case .column(let name) = $0 { name } else { nil } }
        }

        private static func pieces(of text: String) -> [Piece] {
            guard text.contains("{") else { return [.column(text)] }
            var pieces: [Piece] = []
            var rest = text[...]
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
                pieces.append(.column(String(rest[rest.index(after: open)..<close])))
                rest = rest[rest.index(after: close)...]
            }
            if !rest.isEmpty { pieces.append(.text(String(rest))) }
            return pieces
        }
    }

    /// Rows with one of these values in a column: rows that are not products to sell here, or that lose something.
    struct Skip: Sendable {
        var column: String
        /// The values in lower case; empty for any value.
        var values: Set<String>
        var reason: String
        /// Whether the parent's value also counts.
        var isInherited = false
    }

    /// Whether the first row has the names of the columns; otherwise their names are their numbers, from 1.
    var hasHeader = true
    /// The row with the names of the columns, from 1; those above it are instructions.
    var headerRow = 1
    /// The separator of cells; `nil` to detect it.
    var delimiter: UInt8?
    /// The value that the rows of one product with variants share.
    var group: Template?
    /// The columns that distinguish the variants of a product.
    ///
    /// If a row of a group has a value, rows without one are not variants.
    var options: [String] = []
    /// A column that refers to a row's parent by one of ``parentNames``; empty cells are taken from the parent.
    var parent: String?
    /// The names that other rows use to refer to a row as their parent.
    var parentNames: [Template] = []
    var key: Template?
    var name: Template?
    var description: Template?
    var price: Template?
    var salePrice: Template?
    /// The amount and the percentage that a sale takes off the price.
    var discount: Template?
    var discountPercent: Template?
    /// The first and the last day of the sale; an empty cell sets no bound.
    var saleStart: Template?
    var saleEnd: Template?
    /// The previous price: if it is higher than the price, the product is on sale.
    var comparePrice: Template?
    var currency: Template?
    var stock: Template?
    /// URLs or names of picture files.
    var images: Template?
    var imageSeparator = ","
    var variantImages: Template?
    var isHTML = false
    /// Whether cells are escaped as by WooCommerce: `\n` for line breaks, an apostrophe before a formula.
    var isEscaped = false
    var skips: [Skip] = []
    /// What the product of a row loses, because a manifest cannot express it.
    var losses: [Skip] = []
    /// The column with `0` for a product that cannot be bought, whatever its stock is.
    var inStock: String?
    /// The shop of these tables; `nil` for a user's mapping.
    var shop: String?
    /// The names of a column in the shop's other versions and languages.
    var synonyms: [String: [String]] = [:]

    init() {}
}

// MARK: - A mapping file

extension ConversionMapping {
    /// Reads a YAML mapping file; `file` is its name in messages.
    ///
    /// The ``ConversionError`` describes the first fault.
    package init(yaml bytes: [UInt8], named file: String) throws(ConversionError) {
        do throws(Problem) {
            self = try Self.table.value(of: bytes)
        } catch {
            throw ConversionError(
                error.message,
                location: SourceLocation(file: file, position: error.position),
                help: error.help
            )
        }
    }

    /// The templates of a product's values, by their keys in a mapping file.
    static let templates: [(key: String, path: any WritableKeyPath<ConversionMapping, Template?> & Sendable)] = [
        ("group", \.group), ("key", \.key), ("name", \.name), ("description", \.description), ("price", \.price),
        ("sale_price", \.salePrice), ("sale_start", \.saleStart), ("sale_end", \.saleEnd), ("discount", \.discount),
        ("discount_percent", \.discountPercent), ("compare_price", \.comparePrice), ("currency", \.currency),
        ("stock", \.stock), ("images", \.images), ("variant_images", \.variantImages),
    ]

    private static var table: Section<Self> {
        let columns = Shape<[String]>.oneOrMore(.written("a column, or a text with columns in braces"))
        let values = Shape<[String]>.oneOrMore(.written("a value"))
        let delimiters = [("comma", ","), ("semicolon", ";"), ("tab", "\t")]
        return Section(
            "mapping",
            ConversionMapping(),
            templates.map { key, path in
                SectionKey(key, columns, isRequired: ["key", "name", "price"].contains(key)) {
                    $0[keyPath: path] = Template(list: $1)
                }
            } + [
                .standard("header", \.hasHeader, .boolean),
                .standard("header_row", \.headerRow, .whole(1...1000)),
                .optional(
                    "delimiter",
                    \.delimiter,
                    .word(delimiters.map(\.0)) { word in
                        delimiters.first { $0.0 == word || $0.1 == word }?.1.utf8.first
                    }
                ),
                .standard("html", \.isHTML, .boolean),
                .standard("options", \.options, columns),
                .standard("image_separator", \.imageSeparator, .written("a text")),
                .standard(
                    "skip",
                    \.skips,
                    .mapping(NameShape("a column", pattern: "") { $0 }, values) { column, values in
                        Skip(
                            column: column,
                            values: Set(values.map { $0.lowercased() }),
                            reason: "its '\(column)' is \(values.map { "'\($0)'" }.listed("or"))"
                        )
                    }
                ),
            ]
        )
    }
}

/// Why a table cannot be converted.
package struct ConversionError: Error, Sendable {
    /// One sentence, lower case, no full stop.
    package var message: String
    package var location: SourceLocation?
    package var help: String?

    init(_ message: String, location: SourceLocation? = nil, help: String? = nil) {
        self.message = message
        self.location = location
        self.help = help
    }
}
