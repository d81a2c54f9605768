import OpenMarket
import OpenMarketDescription

/// All keys of a manifest: the table for decoding, suggestions and the reference.
///
/// A mapping of the manifest is a ``ManifestKey`` enumeration. Its decoder switches over the same cases, so the keys
/// read and the keys documented are the same.
package enum ManifestSchema {
    /// The mappings in the order of the reference.
    static let mappings: [Mapping] = [
        Mapping(Section.self), Mapping(MarketKey.self), Mapping(LimitKey.self), Mapping(DefaultsKey.self),
        Mapping(PoliciesKey.self), Mapping(ProductField.self), Mapping(ProductKey.self), Mapping(StockKey.self),
    ]

    /// The form of a text, as far as it is known without a market.
    enum TextForm: String, Equatable, Sendable {
        /// Without control characters.
        case text = #"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$"#
        /// On one line, with a visible character.
        case line =
            #"^[^\u0000-\u001F\u007F\u0085\u2028\u2029]*[^\s\u0000-\u001F\u007F][^\u0000-\u001F\u007F\u0085\u2028\u2029]*$"#
        /// On one line.
        case word = #"^[^\u0000-\u001F\u007F]+$"#
        case url = #"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@?#/][^\s@?#]*$"#
        case host = #"^[^\s/@?#\u0000-\u001F\u007F]+$"#
    }

    struct Entry: Equatable, Sendable {
        var type: ValueType
        /// Its purpose, in a line of Markdown.
        var meaning: String
        /// What is checked beyond the type, in a line of Markdown; may be empty.
        var rules: String
        var form: TextForm

        init(_ type: ValueType, _ meaning: String, _ rules: String = "", form: TextForm = .text) {
            self.type = type
            self.meaning = meaning
            self.rules = rules
            self.form = form
        }
    }

    struct Mapping: Sendable {
        /// The path: `market.limits`; empty for the whole manifest.
        var path: String
        var entries: [(key: String, entry: Entry)]

        init<Key: ManifestKey>(_ type: Key.Type) {
            path = Key.path
            entries = Key.allCases.map { ($0.rawValue, $0.entry) }
        }

        /// The reference of the mapping: a Markdown table with a row for each key.
        var table: String {
            let rows = entries.map { key, entry in
                "| `\(key)` | \(entry.type) | \(entry.meaning) |" + (entry.rules.isEmpty ? " |" : " \(entry.rules) |")
            }
            return (["| key | type | what it is | rules |", "| --- | --- | --- | --- |"] + rows)
                .map { $0 + "\n" }.joined()
        }
    }

    enum ValueType: Equatable, Sendable, CustomStringConvertible {
        case mapping
        /// A list; a single value stands for a list of one, except for paths.
        case list(of: String)
        case text
        case choice([String])
        /// One of a few names, or a path.
        case market([String])
        case texts
        case path
        /// A number that is not negative.
        case decimal
        case wholeNumber(ClosedRange<Int64>)
        /// The market's id of a product: a whole number, or a text if the market's ids are texts.
        case id
        /// A code of ISO 4217.
        case currency
        /// A whole number, or one that counts only when the product is created.
        case stock
        case boolean
        /// A share, such as `30%`.
        case share
        case countOrShare

        /// The type's name in the reference.
        package var description: String {
            switch self {
            case .mapping: "mapping"
            case .list(let items): "list of \(items)"
            case .text: "text"
            case .choice(let choices): choices.map { "`\($0)`" }.joined(separator: ", ")
            case .market(let names): names.map { "`\($0)`" }.joined(separator: ", ") + ", or path"
            case .texts: "mapping of texts"
            case .path: "path"
            case .decimal: "decimal ≥ 0"
            case .currency: "currency code"
            case .wholeNumber(let range):
                "whole number ≥ \(range.lowerBound)" + (range.upperBound == .max ? "" : ", ≤ \(range.upperBound)")
            case .id: "whole number ≥ 1; a text where the market's ids are texts"
            case .stock: "whole number ≥ 0, or `{initial: N}`"
            case .boolean: "boolean"
            case .share: "share"
            case .countOrShare: "whole number ≥ 0, or share"
            }
        }

        var range: ClosedRange<Int64> {
            switch self {
            case .wholeNumber(let range): range
            case .countOrShare: 0...Int64(Int32.max)
            case .id: 1...Int64.max
            case .mapping, .list, .text, .texts, .choice, .market, .path, .decimal, .currency, .stock, .boolean, .share:
                0...Int64.max
            }
        }

        /// The accepted texts of a type with few; otherwise empty.
        var choices: [String] {
            if case .choice(let choices) = self { choices } else { [] }
        }
    }
}

protocol ManifestKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The path of the mapping: `market.limits`.
    static var path: String { get }
    var entry: ManifestSchema.Entry { get }
}

extension ManifestKey {
    static var names: [String] { allCases.map(\.rawValue) }

    /// The key that a wrong name was probably meant to be.
    static func nearest(to name: String) -> String? { Suggestion.nearest(to: name, in: names) }
}

extension ManifestSchema {
    enum Section: String, ManifestKey {
        case market, state, defaults, policies, products

        static let path = ""

        var entry: Entry {
            switch self {
            case .market: Entry(.mapping, "which market, and who we are there", "[market](#market)")
            case .state:
                Entry(
                    .text,
                    "where the [state](#state) is",
                    "a path relative to this file, or `postgresql://…`; default `.openmarket/state.db`",
                    form: .line
                )
            case .defaults: Entry(.mapping, "what products have in common", "[defaults](#defaults)")
            case .policies: Entry(.mapping, "brakes on what a plan may do", "[policies](#policies)")
            case .products: Entry(.list(of: "mappings"), "the products", "[products](#products)")
            }
        }
    }

    /// The keys of a section; those of products do not count as keys of `products`.
    static func keyNames(of section: Section) -> [String] {
        switch section {
        case .market: MarketKey.names
        case .defaults: DefaultsKey.names
        case .policies: PoliciesKey.names
        case .state, .products: []
        }
    }

    enum MarketKey: String, ManifestKey {
        case url, api, parameters, identifier, secret
        case vendorID = "vendor_id"
        case limits
        case pictureHosts = "picture_hosts"
        case picturesURL = "pictures_url"
        case sendKeys = "send_keys"

        static let path = "market"

        var entry: Entry {
            switch self {
            case .url:
                Entry(
                    .text,
                    "base URL",
                    "`http://` or `https://`; no user, password, query or fragment",
                    form: .url
                )
            case .api:
                Entry(
                    .market(MarketProfile.builtIns.map(\.name)),
                    "the market's API: a built-in one, or its [description](#a-market-of-your-own)",
                    "a path holds a `/` or ends in `.yaml`, and is relative to the manifest; `v1` is `v1b`, `v2` is `v2b`"
                )
            case .parameters:
                Entry(
                    .texts,
                    "what fills the market's description",
                    "the names that it declares; never a secret",
                    form: .line
                )
            case .identifier: Entry(.text, "the vendor's identifier (v2)", "[not written out](#secrets)", form: .word)
            case .secret:
                Entry(
                    .text,
                    "the vendor's secret (v2); the password of every item (v1)",
                    "[not written out](#secrets)",
                    form: .word
                )
            case .vendorID:
                Entry(
                    .wholeNumber(0...Int64.max),
                    "our number on the market (v2)",
                    "optional: learned from the reply to our first write"
                )
            case .limits: Entry(.mapping, "for a market that allows more", "[limits](#limits)")
            case .pictureHosts:
                Entry(
                    .list(of: "hosts"),
                    "where the market keeps its pictures, if not on its own host",
                    "`cdn.example.org`, `127.0.0.1:9000`"
                )
            case .picturesURL:
                Entry(
                    .text,
                    "where this manifest's folder is served, for a market that fetches pictures itself",
                    "a picture's address is this, `/` and its path from this file; what is there has to have its bytes",
                    form: .url
                )
            case .sendKeys:
                Entry(
                    .boolean,
                    "`true` sends the keys of new products, where the market takes them",
                    "`false` unless specified; [the description](markets.md) says how"
                )
            }
        }
    }

    enum LimitKey: String, ManifestKey {
        case minName = "min_name"
        case maxName = "max_name"
        case minDescription = "min_description"
        case maxDescription = "max_description"
        case maxImages = "max_images"
        case maxImageBytes = "max_image_bytes"
        case currencies

        static let path = "market.limits"

        var entry: Entry {
            let limits = MarketProfile.standard.limits
            func length(_ meaning: String, _ documented: Int, from least: Int64 = 1) -> Entry {
                Entry(.wholeNumber(least...1_000_000_000), meaning, "documented: \(documented)")
            }
            return switch self {
            // A name without characters is invisible; a description may be empty on the market.
            case .minName: length("fewest characters of a name", limits.nameLength.lowerBound)
            case .maxName: length("most characters of a name", limits.nameLength.upperBound)
            case .minDescription:
                length("fewest characters of a description", limits.descriptionLength.lowerBound, from: 0)
            case .maxDescription: length("most characters of a description", limits.descriptionLength.upperBound)
            case .maxImages: length("most pictures of a product", limits.imageCount.upperBound)
            case .maxImageBytes: length("a picture has fewer bytes", limits.imageByteLimit)
            case .currencies:
                Entry(
                    .list(of: "codes"),
                    "the currencies beside `KRW` and `USD` that the market takes",
                    "codes of ISO 4217: `[EUR, JPY]`"
                )
            }
        }
    }

    enum DefaultsKey: String, ManifestKey {
        case currency, stock
        case ignoreChanges = "ignore_changes"
        case protected

        static let path = "defaults"

        var entry: Entry {
            switch self {
            case .currency: Entry(ProductKey.currency.entry.type, "of products without their own")
            case .stock: Entry(.stock, "of products without their own")
            case .ignoreChanges: Entry(.list(of: "fields"), "added to the product's own")
            case .protected: Entry(.boolean, "a product's own `protected` wins")
            }
        }
    }

    enum PoliciesKey: String, ManifestKey {
        case maxDelete = "max_delete"
        case maxPriceChange = "max_price_change"
        case minPrice = "min_price"
        case allowCurrencyChange = "allow_currency_change"
        case allowStockToZero = "allow_stock_to_zero"
        case allowZeroPrice = "allow_zero_price"
        case allowUnsettledCreates = "allow_unsettled_creates"
        case onDrift = "on_drift"

        static let path = "policies"

        var entry: Entry {
            switch self {
            case .maxDelete:
                Entry(
                    .countOrShare,
                    "refuses more products deleted or replaced",
                    "30 % when more than 10 are managed, unless specified"
                )
            case .maxPriceChange:
                Entry(
                    .share,
                    "refuses a price, or what buyers pay in a sale, that moves further, up or down",
                    "no bound unless specified"
                )
            case .minPrice:
                Entry(
                    .decimal,
                    "refuses a lower price, or what buyers pay in a sale, of new products, too",
                    "the same number in every currency; no bound unless specified"
                )
            case .allowCurrencyChange:
                Entry(.boolean, "`false` refuses another currency", "`true` unless specified")
            case .allowStockToZero:
                Entry(.boolean, "`false` refuses a stock that goes from more than 0 to 0", "`true` unless specified")
            case .allowZeroPrice:
                Entry(
                    .boolean,
                    "`true` lets buyers pay 0 for what is new or had a price",
                    "`false` unless specified"
                )
            case .allowUnsettledCreates:
                Entry(
                    .boolean,
                    "`true` makes products also where nothing shows what becomes of a create whose answer is lost",
                    "`false` unless specified: it could make one twice"
                )
            case .onDrift:
                Entry(.mapping, "what becomes of what was changed on the market", "[on_drift](#on_drift)")
            }
        }
    }

    /// The keys of a product's `stock` if it is a mapping.
    enum StockKey: String, ManifestKey {
        case initial

        static let path = "products[].stock"

        var entry: Entry {
            switch self {
            case .initial:
                Entry(.wholeNumber(0...Int64.max), "the stock on create, left alone after", "also in `defaults`")
            }
        }
    }
}

/// The keys of `policies.on_drift`.
extension ProductField: ManifestKey {
    static let path = "policies.on_drift"

    var entry: ManifestSchema.Entry {
        ManifestSchema.Entry(
            .choice(PlannerOptions.DriftHandling.allCases.map(\.rawValue)),
            "what becomes of a change that was made on the market alone",
            self == .stock ? "`keep` unless specified: buyers change it" : "`restore` unless specified"
        )
    }
}
