import YAML

extension MarketDescription.Fields: DescriptionSection {
    static var title: String { "fields" }

    static var keys: [SectionKey<Self>] {
        let spelling = Shape<MarketDescription.Place>.section(MarketDescription.Place.spelling)
        return [
            field(.name, \.name, .section, "The name shown to buyers.", isRequired: true),
            field(.description, \.description, .section, "The long text."),
            field(
                .thumbnail,
                \.thumbnail,
                .section(MarketDescription.Place.table("fields.thumbnail", "picture_id", "A picture's id in writes.")),
                "The picture that lists show: an address in reads, a picture's id in writes."
            ),
            field(.price, \.price, .section, "The price before any reduction."),
            field(.currency, \.currency, .section, "The currency of both prices."),
            field(.sale, \.sale, .section, "The price that buyers pay during a sale."),
            field(
                .stock,
                \.stock,
                .section(MarketDescription.Place.table("fields.stock", "integer", "A whole number.")),
                "Units for sale."
            ),
            field(.ownerName, \.ownerName, .section, "The vendor's name."),
            field(.created, \.created, spelling, "When it was created, as the market writes it."),
            field(.updated, \.updated, spelling, "When it was changed last, as the market writes it."),
        ]
    }

    static var refused: [String: String] {
        [
            "id": "the id is described in 'identity'", "images": "pictures are described in 'pictures'",
            "sale_price": "write 'sale', with 'means'",
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
                "Its place; of several, the first that is present and not null."
            ),
            .standard(
                "read",
                place.appending(path: \.read),
                .oneOrMore(.pointer, most: 4),
                "Its place in reads, if it differs."
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
            : [.standard("at", place.appending(path: \.both), .oneOrMore(.pointer, most: 4), "Its place.")])
            + [
                .optional(
                    "write",
                    place.appending(path: \.write),
                    .pointer,
                    "Its place in writes, if it differs."
                ),
                .optional("item", place.appending(path: \.item), .section, "The element of an array that holds it."),
                .optional(
                    "for",
                    place.appending(path: \.operations),
                    .list(.choice),
                    "The operations that can send it; without this key all that write."
                ),
                .standard(
                    "with",
                    place.appending(path: \.companions),
                    .values,
                    "Values written with it. In reads the field is unset if they differ."
                ),
                .optional("unset", place.appending(path: \.unset), .literal, "Its value if it is unset."),
                .optional(
                    "echo",
                    place.appending(path: \.echo),
                    .choice,
                    "The market shows it differently than it was sent."
                ),
            ]
    }

    fileprivate static let placeNames = ["at", "read", "write"]

    /// The table of a field that has one form.
    fileprivate static func table(_ title: String, _ form: String, _ meaning: String) -> Section<Self> {
        Section(title, Self(), keys(\.self) + [.form(form, meaning)], rules: [.atLeastOne(placeNames)])
    }

    /// The table of a text or number that is kept as the market writes it.
    fileprivate static var spelling: Section<Self> {
        let keys = reading(\.self) + [.form("spelling", "Kept as it is written.")]
        return Section("fields.spelling", Self(), keys, rules: [.exactlyOne(["at", "read"])])
    }
}

extension SectionKey {
    /// The key `as` of a field that has one form, which is this word.
    fileprivate static func form(_ word: String, _ meaning: String) -> Self {
        SectionKey("as", Shape<String>.word([word]) { $0 == word ? $0 : nil }, meaning) { _, _ in }
    }
}

extension MarketDescription.Place.Item: DescriptionSection {
    static var title: String { "fields.item" }

    static var keys: [SectionKey<Self>] {
        [
            .required("where", \.place, .pointer, "The member that distinguishes the element from the others."),
            .required(
                "is",
                \.value,
                .literal,
                "The value of that member. Without such an element the field is unset; two are a fault of the row."
            ),
            .required("value", \.inside, .pointer, "The field's place in the element."),
            .standard("with", \.values, .values, "Other values of a new element."),
        ]
    }
}

extension MarketDescription.TextField: DescriptionSection {
    static var title: String { "fields.text" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .standard("as", \.kind, .choice, "Its form there; a text without this key."),
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
            .required("as", \.kind, .choice, "Its form there.")
        ]
    }

    static var rules: [SectionRule] { [.atLeastOne(MarketDescription.Place.placeNames)] }
}

extension MarketDescription.SaleField: DescriptionSection {
    static var title: String { "fields.sale" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place, readsItself: false) + [
            .required("as", \.kind, .choice, "Its form there."),
            .optional(
                "means",
                \.meaning,
                .choice,
                "The meaning of the number: the sale price, the reduction, or the price before the sale (`price` is then the sale price)."
            ),
            .standard(
                "read",
                \.shown,
                .list(.section, most: 4),
                "Its place in reads, if it differs; of several, the first that is present and not null."
            ),
            .optional(
                "none",
                \.ending,
                Ending.shape,
                "The value that ends a sale; `price` if the sale price is set to the price."
            ),
            .standard(
                "omit_none",
                \.omitted,
                .list(.choice),
                "The operations that leave it out without a sale."
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
            .required("at", \.place, .pointer, "Its place."),
            .required("means", \.meaning, .choice, "The meaning of the number there."),
        ]
    }
}

extension MarketDescription.CurrencyField: DescriptionSection {
    static var title: String { "fields.currency" }

    static var keys: [SectionKey<Self>] {
        MarketDescription.Place.keys(\.place) + [
            .form("code", "A code of ISO 4217."),
            .standard("case", \.letterCase, .choice, "How it is written there; `upper` without this key."),
            .standard("one_of", \.codes, .list(.text(.currency)), "The codes that the market takes."),
            .optional(
                "fixed",
                \.fixed,
                .template(.prefix),
                "The currency of all products, if products do not show it: a code, or a parameter."
            ),
        ]
    }

    static var rules: [SectionRule] {
        [
            .atLeastOne(MarketDescription.Place.placeNames + ["fixed"])
        ]
            + (MarketDescription.Place.placeNames + ["item", "for", "with", "unset", "echo", "case", "one_of"]).map {
                .atMostOne(["fixed", $0])
            }
    }
}
