import YAML

extension MarketDescription {
    /// What is known of a product, beside its id, its key and its pictures.
    package struct Fields: Equatable, Sendable {
        /// The name shown to buyers.
        package var name: TextField?
        /// The long text.
        package var description: TextField?
        /// The picture that lists show.
        package var thumbnail: ThumbnailField?
        /// The price before any reduction.
        package var price: MoneyField?
        /// The currency of both prices.
        package var currency: CurrencyField?
        /// What buyers pay while a sale lasts.
        package var sale: SaleField?
        /// Units for sale.
        package var stock: StockField?
        /// The name of who sells it.
        package var ownerName: TextField?
        /// When it was made, as the market writes it.
        package var created: SpellingField?
        /// When it was changed last, as the market writes it.
        package var updated: SpellingField?
        /// The fields that are described, in the order of the file, which is that of the wire.
        package var order: [Name] = []

        /// The name of a field in a description.
        package enum Name: String, ClosedList {
            case name, description, thumbnail, price, currency, sale, stock
            case ownerName = "owner_name"
            case created, updated
        }

        /// Where a field is described to be.
        package func place(of name: Name) -> Place? {
            switch name {
            case .name: self.name?.place
            case .description: description?.place
            case .thumbnail: thumbnail?.place
            case .price: price?.place
            case .currency: currency?.place
            case .sale: sale?.place
            case .stock: stock?.place
            case .ownerName: ownerName?.place
            case .created: created?.place
            case .updated: updated?.place
            }
        }

        /// Whether a field is shown.
        package func shows(_ name: Name) -> Bool {
            if name == .currency, currency?.fixed != nil { return true }
            if name == .sale, sale?.reading.isEmpty == false { return true }
            return place(of: name)?.reading.isEmpty == false
        }

        /// Whether a request can say a field.
        package func takes(_ name: Name) -> Bool { place(of: name)?.writing != nil }

        /// Whether the request of an operation can say a field.
        package func takes(_ name: Name, in operation: Operation) -> Bool {
            takes(name) && place(of: name)?.isSaid(by: operation) ?? false
        }
    }

    /// Where a field is.
    package struct Place: Equatable, Sendable {
        /// Where it is read and written.
        package var both: [JSONPointer] = []
        /// Where it is read, if that is elsewhere.
        package var read: [JSONPointer] = []
        /// Where it is written, if that is elsewhere.
        package var write: JSONPointer?
        /// The element of an array that holds it.
        package var item: Item?
        /// The writing operations that can say it; `nil` for all.
        package var operations: [Operation]?
        /// What is written beside it.
        ///
        /// Read, the field is unset where this does not hold.
        package var companions: [PlacedValue] = []
        /// What it holds where it is unset.
        package var unset: Literal?
        /// Whether the market shows it otherwise than it was sent.
        package var echo: Echo?

        /// Where it is read: the first that is there and not null.
        package var reading: [JSONPointer] { read.isEmpty ? both : read }

        /// Where it is written; `nil` where it cannot be.
        package var writing: JSONPointer? { write ?? (both.count == 1 ? both[0] : nil) }

        /// How a market shows what it was sent.
        package enum Echo: String, ClosedList {
            /// Cleaned in a way of its own.
            case normalised
        }

        /// One element of an array: the one that holds something.
        package struct Item: Equatable, Sendable {
            /// What distinguishes it from the others, in the element.
            package var place = JSONPointer.whole
            /// What it holds there.
            package var value = Literal.null
            /// Where the field is, in the element.
            package var inside = JSONPointer.whole
            /// What a new element has beside it.
            package var values: [PlacedValue] = []
        }
    }

    /// A text.
    package struct TextField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = Kind.text
        /// The language of it, in a map of languages.
        package var language: Template?

        /// What a text is.
        package enum Kind: String, ClosedList {
            /// A text.
            case text
            /// An object with a text for each language.
            case languageMap = "language_map"
        }
    }

    /// What a price is on the wire.
    package enum MoneyKind: String, ClosedList {
        /// A number.
        case number
        /// A number without fraction.
        case whole
        /// A decimal number in a text.
        case decimalText = "decimal_text"
        /// A whole number of the currency's smallest units.
        case minorUnits = "minor_units"
    }

    /// A price.
    package struct MoneyField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = MoneyKind.number
    }

    /// The price of a sale, or what stands for it.
    package struct SaleField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// What it is there.
        package var kind = MoneyKind.number
        /// What the number means that is written, and read without ``shown``.
        package var meaning: Meaning?
        /// Where it is read, and what it means there: the first that is there and not null.
        package var shown: [Shown] = []
        /// How a sale is ended.
        package var ending: Ending?
        /// The operations that leave it out where there is no sale.
        package var omitted: [Operation] = []

        /// What the number of a sale means.
        package enum Meaning: String, ClosedList {
            /// What buyers pay.
            case salePrice = "sale_price"
            /// What is taken off the price.
            case amountOff = "amount_off"
            /// What buyers paid before: then the price is what they pay now.
            case compareAt = "compare_at"
        }

        /// Where a sale is shown.
        package struct Shown: Equatable, Sendable {
            /// The place.
            package var place = JSONPointer.whole
            /// What the number means.
            package var meaning = Meaning.salePrice
        }

        /// How a sale is ended.
        package enum Ending: Equatable, Sendable {
            /// By this value.
            case value(Literal)
            /// By the price as the price of the sale.
            case price
        }

        /// Where it is read, with what it means.
        package var reading: [Shown] {
            guard shown.isEmpty, let meaning else { return shown }
            return place.reading.map { Shown(place: $0, meaning: meaning) }
        }
    }

    /// A currency.
    package struct CurrencyField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        /// How it is written there.
        package var letterCase = LetterCase.upper
        /// The codes that the market takes; any, where there are none.
        package var codes: [String] = []
        /// The one of all products, where products do not say it.
        package var fixed: Template?

        /// How a code is written.
        package enum LetterCase: String, ClosedList {
            /// `KRW`.
            case upper
            /// `krw`.
            case lower
        }

        fileprivate var kind = Kind.code
        fileprivate enum Kind: String, ClosedList { case code }
    }

    /// Units for sale.
    package struct StockField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        fileprivate var kind = Kind.integer
        fileprivate enum Kind: String, ClosedList { case integer }
    }

    /// The picture that lists show: its address where it is read, the picture's id where it is written.
    package struct ThumbnailField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        fileprivate var kind = Kind.pictureID
        fileprivate enum Kind: String, ClosedList { case pictureID = "picture_id" }
    }

    /// A text or number that is kept as the market writes it.
    package struct SpellingField: Equatable, Sendable {
        /// Where it is.
        package var place = Place()
        fileprivate var kind = Kind.spelling
        fileprivate enum Kind: String, ClosedList { case spelling }
    }
}

// MARK: - Tables

extension MarketDescription.Fields: DescriptionSection {
    static var title: String { "fields" }

    static var keys: [SectionKey<Self>] {
        [
            field(.name, \.name, .section, "The name shown to buyers.", isRequired: true),
            field(.description, \.description, .section, "The long text."),
            field(
                .thumbnail,
                \.thumbnail,
                .section,
                "The picture that lists show: an address where it is read, a picture's id where it is written."
            ),
            field(.price, \.price, .section, "The price before any reduction."),
            field(.currency, \.currency, .section, "The currency of both prices."),
            field(.sale, \.sale, .section, "What buyers pay while a sale lasts."),
            field(.stock, \.stock, .section, "Units for sale."),
            field(.ownerName, \.ownerName, .section, "The name of who sells it."),
            field(.created, \.created, .section, "When it was made, as the market writes it."),
            field(.updated, \.updated, .section, "When it was changed last, as the market writes it."),
        ]
    }

    static var refused: [String: String] {
        [
            "id": "the id is described in 'identity'", "images": "pictures are described in 'pictures'",
            "sale_price": "write 'sale', and what its number means",
        ]
    }

    private static func field<Value>(
        _ name: Name,
        _ place: WritableKeyPath<Self, Value?>,
        _ shape: Shape<Value>,
        _ meaning: String,
        isRequired: Bool = false
    ) -> SectionKey<Self> {
        SectionKey(name.rawValue, shape, meaning, isRequired: isRequired) { fields, value in
            fields[keyPath: place] = value
            fields.order.append(name)
        }
    }
}

extension MarketDescription.Place {
    /// The keys of a field that is read.
    fileprivate static func reading<Section>(
        _ place: WritableKeyPath<Section, Self>
    ) -> [SectionKey<Section>] {
        [
            .standard(
                "at",
                place.appending(path: \.both),
                .oneOrMore(.pointer, most: 4),
                "Where it is; of several, the first that is there and not null."
            ),
            .standard(
                "read",
                place.appending(path: \.read),
                .oneOrMore(.pointer, most: 4),
                "Where it is read, if that is elsewhere."
            ),
        ]
    }

    /// The keys of a field that is read and written.
    fileprivate static func keys<Section>(
        _ place: WritableKeyPath<Section, Self>,
        readsItself: Bool = true
    ) -> [SectionKey<Section>] {
        (readsItself
            ? reading(place)
            : [.standard("at", place.appending(path: \.both), .oneOrMore(.pointer, most: 4), "Where it is.")])
            + [
                .optional(
                    "write",
                    place.appending(path: \.write),
                    .pointer,
                    "Where it is written, if that is elsewhere."
                ),
                .optional("item", place.appending(path: \.item), .section, "The element of an array that holds it."),
                .optional(
                    "for",
                    place.appending(path: \.operations),
                    .list(.choice),
                    "The operations that can say it; all that write without this key."
                ),
                .standard(
                    "with",
                    place.appending(path: \.companions),
                    .values,
                    "What is written beside it. Read, the field is unset where this does not hold."
                ),
                .optional("unset", place.appending(path: \.unset), .literal, "What it holds where it is unset."),
                .optional(
                    "echo",
                    place.appending(path: \.echo),
                    .choice,
                    "The market shows it otherwise than it was sent."
                ),
            ]
    }

    fileprivate static let placeNames = ["at", "read", "write"]
}

extension MarketDescription.Place.Item: DescriptionSection {
    static var title: String { "fields.item" }

    static var keys: [SectionKey<Self>] {
        [
            .required("where", \.place, .pointer, "What distinguishes the element from the others, in the element."),
            .required(
                "is",
                \.value,
                .literal,
                "What it holds there. No such element: the field is unset. Two: a fault of the row."
            ),
            .required("value", \.inside, .pointer, "Where the field is, in the element."),
            .standard("with", \.values, .values, "What an element that we add has beside it."),
        ]
    }
}

extension MarketDescription.TextField: DescriptionSection {
    static var title: String { "fields.text" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .standard("as", \.kind, .choice, "What it is there; a text without this key."),
            .optional(
                "language",
                \.language,
                .template(.prefix),
                "The language of it, in a map of languages. The others are read and sent back."
            ),
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.MoneyField: DescriptionSection {
    static var title: String { "fields.price" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .required("as", \.kind, .choice, "What it is there.")
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.SaleField: DescriptionSection {
    static var title: String { "fields.sale" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place, readsItself: false) + [
            .required("as", \.kind, .choice, "What it is there."),
            .optional(
                "means",
                \.meaning,
                .choice,
                "What the number means: what buyers pay, what is taken off, or what they paid before (then `price` is what they pay)."
            ),
            .standard(
                "read",
                \.shown,
                .list(.section, most: 4),
                "Where it is read, if that is elsewhere: the first that is there and not null."
            ),
            .optional(
                "none",
                \.ending,
                Ending.shape,
                "What ends a sale: a value, or `price` where the price becomes the price of the sale."
            ),
            .standard(
                "omit_none",
                \.omitted,
                .list(.choice),
                "The operations that leave it out where there is no sale."
            ),
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.SaleField.Ending {
    static var shape: Shape<Self> {
        let literal = Shape<Literal>.literal
        return Shape("`price`, or \(literal.words)", literal.kinds, schema: literal.schema) { node, reader in
            if node.text == "price" { return .price }
            return literal.read(node, &reader).map { .value($0) }
        }
    }
}

extension MarketDescription.SaleField.Shown: DescriptionSection {
    static var title: String { "fields.sale.read" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Where it is."),
            .required("means", \.meaning, .choice, "What the number means there."),
        ]
    }
}

extension MarketDescription.CurrencyField: DescriptionSection {
    static var title: String { "fields.currency" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .standard("as", \.kind, .choice, "A code of ISO 4217."),
            .standard("case", \.letterCase, .choice, "How it is written there; `upper` without this key."),
            .standard("one_of", \.codes, .list(.text(.currency)), "The codes that the market takes."),
            .optional(
                "fixed",
                \.fixed,
                .template(.prefix),
                "The currency of all products, where products do not say it: a code, or a parameter."
            ),
        ]
    }

    static var rules: [SectionRule] {
        [
            .atLeastOne(MarketDescription.Place.placeNames + ["fixed"]), .atMostOne(["fixed", "at"]),
            .atMostOne(["fixed", "read"]), .atMostOne(["fixed", "write"]),
        ]
    }
}

extension MarketDescription.StockField: DescriptionSection {
    static var title: String { "fields.stock" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [.standard("as", \.kind, .choice, "A whole number.")]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.ThumbnailField: DescriptionSection {
    static var title: String { "fields.thumbnail" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .standard("as", \.kind, .choice, "A picture's id where it is written.")
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.SpellingField: DescriptionSection {
    static var title: String { "fields.spelling" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.reading(\.place) + [.standard("as", \.kind, .choice, "Kept as it is written.")]
    }

    static var rules: [SectionRule] { [.exactlyOne(["at", "read"])] }
}
