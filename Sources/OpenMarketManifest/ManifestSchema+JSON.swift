package import OpenMarket
import YAML

/// The schema as a JSON Schema, for editors that complete and check manifests.
extension ManifestSchema {
    /// The manifest's JSON Schema (2020-12), generated from the table of keys.
    ///
    /// It accepts all that the decoder accepts. Only the decoder checks what depends on the market, its limits,
    /// currencies, other files or pictures.
    package static var jsonSchema: JSONValue {
        .object(
            of: ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("Manifest of openmarket")),
            ("description", .string("The desired catalog of a shop.")),
            // An empty file is a manifest without sections.
            ("type", texts(["object", "null"])),
            ("properties", table(Section.self).properties),
            ("patternProperties", .object(of: ("^x-", .object(of: ("description", .string("your own: for anchors")))))),
            ("additionalProperties", .bool(false))
        )
    }

    // MARK: - Mappings

    static func table<Key: ManifestKey>(_ keys: Key.Type) -> SectionTable {
        SectionTable(
            Key.path,
            Key.allCases.map { key in
                let entry = key.entry
                return SectionTable.Row(
                    key.rawValue,
                    words: entry.type.description,
                    meaning: entry.meaning,
                    rules: entry.rules
                ) { .object(members(of: key)) }
            }
        )
    }

    fileprivate static func mapping<Key: ManifestKey>(_ keys: Key.Type, _ more: JSONValue.Member...) -> JSONValue {
        .object((table(keys).schema.members ?? []) + more)
    }

    private static func members(of key: some ManifestKey) -> [JSONValue.Member] {
        switch key as? Section {
        case .market: return mapping(MarketKey.self).members ?? []
        case .defaults: return mapping(DefaultsKey.self).members ?? []
        case .policies: return mapping(PoliciesKey.self).members ?? []
        case .adjust: return [.init("type", .string("array")), .init("items", mapping(AdjustKey.self))]
        case .products:
            let product = mapping(ProductKey.self, .init("required", texts([ProductKey.key.rawValue])))
            return [.init("type", .string("array")), .init("items", product)]
        case .state, .include, nil: break
        }
        if case .onDrift? = key as? PoliciesKey { return mapping(ProductField.self).members ?? [] }
        switch key as? MarketKey {
        case .limits: return mapping(LimitKey.self).members ?? []
        default: return key.entry.type.schema(key.entry.form).members ?? []
        }
    }

    // MARK: - JSON values

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

extension ManifestSchema.ValueType {
    /// The values of the type that the decoder accepts from YAML.
    ///
    /// Every scalar has a text, whatever its type in YAML. After `!env` an editor sees the variable's name.
    fileprivate func schema(_ form: ManifestSchema.TextForm) -> JSONValue {
        switch self {
        case .mapping: .object(of: ("type", .string("object")))
        case .list("paths"): Self.array(of: "paths", atLeastOne: true)
        case .list(let items): Self.any([Self.item(items), Self.array(of: items, atLeastOne: false)])
        case .text, .path: form == .url ? Self.orVariable([Self.string(form.rawValue)]) : Self.scalar(form)
        case .choice(let choices):
            Self.orVariable([.object(of: ("enum", .array(choices.map(JSONValue.string))))])
        case .market(let names):
            // `v1` and `v2` are short names for the latest of each.
            Self.orVariable([
                .object(of: ("enum", .array((names + ["v1", "v2"]).map(JSONValue.string)))),
                Self.string(#"^(?!.*://).*(/|\.[Yy][Aa]?[Mm][Ll]$)"#),
            ])
        case .texts:
            .object(of: ("type", .string("object")), ("additionalProperties", Self.scalar(form)))
        case .currency: Self.currencyCode
        case .decimal: Self.orVariable(Self.number("number", 0...Self.mostDigits, pattern: Self.amount))
        case .wholeNumber(let range): Self.orVariable(Self.number("integer", range, pattern: Self.digits))
        case .id: Self.any([Self.scalar(.word)])
        case .stock:
            Self.any(
                Self.number("integer", 0...Int64.max, pattern: Self.digits) + [
                    Self.variable,
                    ManifestSchema.mapping(
                        ManifestSchema.StockKey.self,
                        .init("required", .array([.string(ManifestSchema.StockKey.initial.rawValue)]))
                    ),
                ]
            )
        case .boolean:
            Self.orVariable([
                .object(of: ("enum", .array([.bool(true), .bool(false)] + Self.booleans.map(JSONValue.string))))
            ])
        case .share: Self.orVariable([Self.string(#"^[0-9]+(\.[0-9]+)?%$"#)])
        case .countOrShare:
            Self.orVariable(
                Self.number("integer", range, pattern: Self.digits)
                    + [Self.string(#"^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)%$"#)]
            )
        }
    }

    /// The largest number that fits the digits of a price.
    private static let mostDigits: Int64 = 999_999_999_999_999_999
    private static let amount = #"^\+?[0-9]{1,18}(\.[0-9]+)?$"#
    private static let digits = #"^\+?[0-9]{1,19}(\.0+)?$"#
    private static let booleans = ["true", "True", "TRUE", "false", "False", "FALSE"]

    /// The name of a variable after `!env`: in capitals, as usual, and longer than a currency's code.
    private static let variable = string("^[A-Z_][A-Z0-9_]{3,}$")

    private static func orVariable(_ schemas: [JSONValue]) -> JSONValue { any(schemas + [variable]) }

    private static func string(_ pattern: String) -> JSONValue {
        .object(of: ("type", .string("string")), ("pattern", .string(pattern)))
    }

    /// In JSON Schema a pattern applies to texts only.
    private static func scalar(_ form: ManifestSchema.TextForm) -> JSONValue {
        .object(
            of: ("type", .array([.string("string"), .string("number"), .string("boolean")])),
            ("pattern", .string(form.rawValue))
        )
    }

    private static func any(_ schemas: [JSONValue]) -> JSONValue { .object(of: ("anyOf", .array(schemas))) }

    private static func array(of items: String, atLeastOne: Bool) -> JSONValue {
        .object(
            of: ("type", .string("array")),
            ("items", item(items)),
            ("minItems", atLeastOne ? .integer(1) : nil)
        )
    }

    private static var currencyCode: JSONValue {
        orVariable([.object(of: ("enum", .array(Currency.standardCodes.map(JSONValue.string))))])
    }

    private static func item(_ items: String) -> JSONValue {
        switch items {
        case "fields": orVariable([.object(of: ("enum", .array(ProductField.allCases.map { .string($0.rawValue) })))])
        case "hosts": scalar(.host)
        case "codes": currencyCode
        // An invalid former key refers to no product.
        case "keys": scalar(.text)
        default: scalar(.line)
        }
    }

    private static func number(_ type: String, _ range: ClosedRange<Int64>, pattern: String) -> [JSONValue] {
        [
            .object(
                of: ("type", .string(type)),
                ("minimum", .integer(range.lowerBound)),
                ("maximum", .integer(range.upperBound))
            ),
            string(pattern),
        ]
    }
}
