package import OpenMarket
import YAML

/// The meaning of another shop's table columns for a manifest.
package struct ConversionMapping: Sendable {
    /// A value composed of columns: the first text that is not empty, in which `{column}` stands for a cell.
    struct Template: Sendable {
        enum Piece: Sendable, Equatable {
            case text(String)
            case column(String)
        }

        /// In the order in which they are tried.
        var texts: [[Piece]]

        /// A column, or a text with columns in braces.
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

    /// Rows with some value in a column: those that are not products to sell here, or that lose something.
    struct Skip: Sendable {
        var column: String
        /// In lower case; empty for any value.
        var values: Set<String>
        var reason: String
        /// Whether the parent's value counts, too.
        var isInherited = false
    }

    /// Whether the first row names the columns; otherwise their names are their numbers, from 1.
    var hasHeader = true
    /// The row that names the columns, from 1; those above it are instructions.
    var headerRow = 1
    /// The separator of cells; `nil` detects it.
    var delimiter: UInt8?
    /// The value that the rows of one product with variants share.
    var group: Template?
    /// The columns that distinguish the variants of a product.
    ///
    /// If a row of a group has a value, rows without one are not variants.
    var options: [String] = []
    /// A column that names a row's parent by one of ``parentNames``; empty cells are taken from the parent.
    var parent: String?
    /// The names of a row in the column ``parent``.
    var parentNames: [Template] = []
    var key: Template?
    var name: Template?
    var description: Template?
    var price: Template?
    var salePrice: Template?
    /// The amount and the percentage that a sale takes off the price.
    var discount: Template?
    var discountPercent: Template?
    /// The first and the last day of the sale; empty cells set no bound.
    var saleStart: Template?
    var saleEnd: Template?
    /// The previous price: if it is higher than the price, the product is on sale.
    var comparePrice: Template?
    var currency: Template?
    var stock: Template?
    /// Addresses or names of picture files.
    var images: Template?
    var imageSeparator = ","
    /// A variant's own picture.
    var variantImages: Template?
    var isHTML = false
    /// Whether cells are escaped as by WooCommerce: `\n` for line breaks, an apostrophe before a formula.
    var isEscaped = false
    var skips: [Skip] = []
    /// What a product of a row loses, because a manifest cannot say it.
    var losses: [Skip] = []
    /// The column that says `0` of a product that cannot be bought, whatever its stock is.
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
    /// The ``ConversionError`` has the position of the fault.
    package init(yaml bytes: [UInt8], named file: String) throws(ConversionError) {
        self.init()
        let node: YAMLNode
        do throws(YAMLError) {
            let input = ManifestInput(bytes)
            var composer = YAMLComposer(YAMLEventReader { () throws(YAMLError) -> [UInt8] in try input.nextChunk() })
            guard try composer.start() else {
                throw YAMLError(.syntax, "a mapping file names columns, and this is empty")
            }
            node = try composer.compose()
            try composer.finish()
            if let fault = composer.takeFaults().first { throw fault }
        } catch {
            throw ConversionError(
                error.message,
                location: SourceLocation(file: file, position: error.position),
                help: error.help
            )
        }
        try read(node, file)
    }

    private mutating func read(_ node: YAMLNode, _ file: String) throws(ConversionError) {
        guard let pairs = node.pairs else {
            throw ConversionError("a mapping file is a mapping of fields to columns", location: Self.place(node, file))
        }
        for pair in pairs {
            let value = pair.value
            if let field = Self.templates.first(where: { $0.key == pair.key.name }) {
                self[keyPath: field.path] = Template(list: try Self.texts(value, file))
                continue
            }
            switch pair.key.name {
            case "header": hasHeader = try Self.boolean(value, file)
            case "header_row":
                guard let row = value.text.flatMap({ Int($0) }), (1...1000).contains(row) else {
                    throw ConversionError(
                        "'header_row' must be a row, from 1 to 1000",
                        location: Self.place(value, file)
                    )
                }
                headerRow = row
            case "html": isHTML = try Self.boolean(value, file)
            case "delimiter": delimiter = try Self.delimiter(value, file)
            case "options": options = try Self.texts(value, file)
            case "image_separator": imageSeparator = try Self.texts(value, file).joined()
            case "skip": skips = try Self.skips(value, file)
            default:
                let near = Suggestion.nearest(to: pair.key.name, in: Self.keys)
                throw ConversionError(
                    "unknown key '\(pair.key.name.excerpt)'",
                    location: SourceLocation(file: file, position: pair.key.start),
                    help: near.map { "did you mean '\($0)'?" } ?? "the keys are \(Self.keys.listed("and"))"
                )
            }
        }
        for (field, template) in [("key", key), ("name", name), ("price", price)] where template == nil {
            throw ConversionError("the mapping has no '\(field)'", location: SourceLocation(file: file))
        }
    }

    /// The values of products, by their keys in a mapping file.
    static let templates: [(key: String, path: any WritableKeyPath<ConversionMapping, Template?> & Sendable)] = [
        ("group", \.group), ("key", \.key), ("name", \.name), ("description", \.description), ("price", \.price),
        ("sale_price", \.salePrice), ("sale_start", \.saleStart), ("sale_end", \.saleEnd), ("discount", \.discount),
        ("discount_percent", \.discountPercent), ("compare_price", \.comparePrice), ("currency", \.currency),
        ("stock", \.stock), ("images", \.images), ("variant_images", \.variantImages),
    ]

    private static let keys =
        templates.map(\.key) + [
            "header", "header_row", "delimiter", "html", "options", "image_separator", "skip",
        ]

    private static func place(_ node: YAMLNode, _ file: String) -> SourceLocation {
        SourceLocation(file: file, position: node.start)
    }

    private static func texts(_ node: YAMLNode, _ file: String) throws(ConversionError) -> [String] {
        var texts: [String] = []
        for item in node.items ?? [node] {
            guard let text = item.text, !item.isNull else {
                throw ConversionError(
                    "a column, a text with columns in braces, or a list of them",
                    location: place(item, file)
                )
            }
            texts.append(text)
        }
        return texts
    }

    private static func boolean(_ node: YAMLNode, _ file: String) throws(ConversionError) -> Bool {
        switch node.text {
        case "true": return true
        case "false": return false
        default: throw ConversionError("it must be true or false", location: place(node, file))
        }
    }

    private static func delimiter(_ node: YAMLNode, _ file: String) throws(ConversionError) -> UInt8 {
        switch node.text {
        case "comma", ",": return UInt8(ascii: ",")
        case "semicolon", ";": return UInt8(ascii: ";")
        case "tab", "\t": return UInt8(ascii: "\t")
        default: throw ConversionError("'delimiter' must be comma, semicolon or tab", location: place(node, file))
        }
    }

    private static func skips(_ node: YAMLNode, _ file: String) throws(ConversionError) -> [Skip] {
        guard let pairs = node.pairs else {
            throw ConversionError("'skip' must be a mapping of columns to values", location: place(node, file))
        }
        var skips: [Skip] = []
        for pair in pairs {
            let values = try texts(pair.value, file)
            let shown = values.map { "'\($0)'" }.listed("or")
            skips.append(
                Skip(
                    column: pair.key.name,
                    values: Set(values.map { $0.lowercased() }),
                    reason: "its '\(pair.key.name)' is \(shown)"
                )
            )
        }
        return skips
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
