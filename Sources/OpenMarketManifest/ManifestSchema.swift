import OpenMarket
import OpenMarketDescription
import YAML

/// All keys of a manifest: the table for reading, suggestions, JSON Schema and the reference.
///
/// Each mapping of the manifest is a ``ManifestKey`` enumeration, and each key has one entry. Only products have a
/// separate reader, for its speed; it switches over the same keys.
package enum ManifestSchema {
    /// The mappings in the order of the reference.
    static var mappings: [Mapping] {
        [
            Mapping(Section.self), Mapping(MarketKey.self), Mapping(LimitKey.self), Mapping(DefaultsKey.self),
            Mapping(PoliciesKey.self), Mapping(ProductField.self), Mapping(AdjustKey.self), Mapping(ProductKey.self),
            Mapping(StockKey.self),
        ]
    }

    /// The form of a text, as far as it is independent of the market.
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

    struct Entry {
        /// Reads a value of the market, the defaults or the policies into the sections; `field` is its path.
        typealias Reader = (inout ManifestSections, inout ValueDecoder, YAMLNode, _ field: String) -> Void

        var type: ValueType
        /// A line of Markdown.
        var meaning: String
        /// The checks beyond the type, in a line of Markdown; may be empty.
        var rules: String
        var form: TextForm
        var read: Reader

        init(
            _ type: ValueType,
            _ meaning: String,
            _ rules: String = "",
            form: TextForm = .text,
            read: @escaping Reader = { _, _, _, _ in }
        ) {
            self.type = type
            self.meaning = meaning
            self.rules = rules
            self.form = form
            self.read = read
        }
    }

    struct Mapping {
        /// The path, such as `market.limits`; empty for the whole manifest.
        var path: String
        var entries: [(key: String, entry: Entry)]

        /// A row for each key, for the reference.
        var table: SectionTable

        init<Key: ManifestKey>(_ type: Key.Type) {
            path = Key.path
            entries = Key.allCases.map { ($0.rawValue, $0.entry) }
            table = ManifestSchema.table(type)
        }
    }

    enum ValueType: Equatable, Sendable, CustomStringConvertible {
        case mapping
        /// A list; a single value means a list of one, except for paths.
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
        /// A whole number, or a mapping with one that applies only when the product is created.
        case stock
        case boolean
        /// A share, such as `30%`.
        case share
        case countOrShare

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
            case .id: "whole number ≥ 1; a text if the market's ids are texts"
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
            default: 0...Int64.max
            }
        }

        /// The accepted texts of a type that has only a few; otherwise empty.
        var choices: [String] {
            if case .choice(let choices) = self { choices } else { [] }
        }
    }
}

protocol ManifestKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var path: String { get }
    var entry: ManifestSchema.Entry { get }
}

extension ManifestKey {
    static var names: [String] { allCases.map(\.rawValue) }

    /// The key that is closest to a misspelt name.
    static func nearest(to name: String) -> String? { Suggestion.nearest(to: name, in: names) }
}

extension ManifestSchema {
    enum Section: String, ManifestKey {
        case market, state, defaults, policies, include, adjust, products

        static let path = ""

        var entry: Entry {
            switch self {
            case .market: Entry(.mapping, "which market, and the vendor's credentials there", "[market](#market)")
            case .state:
                Entry(
                    .text,
                    "the location of the [state](manifest.md#state)",
                    "a path relative to this file, or `postgresql://…`; default `.openmarket/state.db`",
                    form: .line
                )
            case .defaults: Entry(.mapping, "values that products share", "[defaults](#defaults)")
            case .policies: Entry(.mapping, "policy checks of a plan", "[policies](#policies)")
            case .include:
                Entry(
                    .list(of: "paths"),
                    "[further files](manifest.md#include) of this manifest, and folders of them",
                    "relative to this file, inside the folder of the one that is named; each is read once"
                )
            case .adjust: Entry(.list(of: "mappings"), "changes for this market", "[adjust](#adjust)")
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
        case .adjust: AdjustKey.names
        case .state, .include, .products: []
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
                ) { $0.market.url = $1.url($2, field: $3) }
            case .api:
                Entry(
                    .market(BuiltInMarket.names),
                    "the market's API: a built-in one, or its [description](manifest.md#market)",
                    "a path holds a `/` or ends in `.yaml`, and is relative to the manifest; `v1` is `v1b`, `v2` is `v2b`"
                ) { $0.api = $1.market($2, field: $3) }
            case .parameters:
                Entry(
                    .texts,
                    "values for the market's description",
                    "the names that it declares; never a secret",
                    form: .line
                ) { $1.parameters($2, field: $3, into: &$0) }
            case .identifier:
                Entry(.text, "the vendor's identifier (v2)", "[not written out](manifest.md#secrets)", form: .word) {
                    $0.market.identifier = $1.secret($2, field: $3, variable: "OPENMARKET_IDENTIFIER")
                }
            case .secret:
                Entry(
                    .text,
                    "the vendor's secret (v2); the password of every item (v1)",
                    "[not written out](manifest.md#secrets)",
                    form: .word
                ) { $0.market.secret = $1.secret($2, field: $3, variable: "OPENMARKET_SECRET") }
            case .vendorID:
                Entry(
                    .wholeNumber(0...Int64.max),
                    "the vendor's number on the market (v2)",
                    "optional: learned from the reply to the first write"
                ) { $0.market.vendorID = $1.integer($2, field: $3, in: 0...Int64.max) }
            case .limits:
                Entry(.mapping, "for a market that allows more", "[limits](#marketlimits)") {
                    $1.read($2, field: $3, as: LimitKey.self, into: &$0)
                }
            case .pictureHosts:
                Entry(
                    .list(of: "hosts"),
                    "the hosts of the market's pictures, if not its own host",
                    "`cdn.example.org`, `127.0.0.1:9000`"
                ) { $0.market.pictureHosts = $1.hosts($2, field: $3) }
            case .picturesURL:
                Entry(
                    .text,
                    "the address of this manifest's folder, for a market that fetches pictures itself",
                    "a picture's address is this, `/` and its path from this file; the bytes there have to be the picture's",
                    form: .url
                ) { $0.market.picturesURL = $1.url($2, field: $3) }
            case .sendKeys:
                Entry(
                    .boolean,
                    "`true` sends the keys of new products, if the market takes them",
                    "`false` unless specified; see [the description](../markets.md)"
                ) { $0.market.sendsKeys = $1.boolean($2, field: $3) ?? false }
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
                let range = least...1_000_000_000
                return Entry(.wholeNumber(range), meaning, "documented: \(documented)") {
                    $0.limitChanges[self] = $1.integer($2, field: $3, in: range).map { Int($0) }
                }
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
                    "currencies that the market takes besides `KRW` and `USD`",
                    "codes of ISO 4217: `[EUR, JPY]`"
                ) { $0.currencies = $1.currencies($2, field: $3) }
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
            case .currency:
                Entry(ProductKey.currency.entry.type, "of products without their own") {
                    $0.defaults.currency = $1.currency($2, field: $3)
                }
            case .stock:
                Entry(.stock, "of products without their own") { sections, values, node, _ in
                    guard let stock = values.stock(node) else { return }
                    sections.defaults.stock = stock.units
                    sections.defaults.isStockInitial = stock.isInitial
                }
            case .ignoreChanges:
                Entry(.list(of: "fields"), "added to the product's own") { sections, values, node, _ in
                    sections.defaults.ignoreChanges = values.ignoredFields(node)
                }
            case .protected:
                Entry(.boolean, "a product's own `protected` wins") {
                    $0.defaults.isProtected = $1.boolean($2, field: $3) ?? false
                }
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
                ) { $0.policies.maximumDelete = $1.countOrShare($2, field: $3) }
            case .maxPriceChange:
                Entry(
                    .share,
                    "refuses a price or sale price that moves further, up or down",
                    "no bound unless specified"
                ) { $0.policies.maximumPriceChange = $1.percentage($2, field: $3, most: nil) }
            case .minPrice:
                Entry(
                    .decimal,
                    "refuses a lower price or sale price, also of new products",
                    "the same number in every currency; no bound unless specified"
                ) { $0.policies.minimumPrice = $1.amount($2, field: $3) }
            case .allowCurrencyChange:
                Entry(.boolean, "`false` refuses another currency", "`true` unless specified") {
                    $0.policies.allowsCurrencyChange = $1.boolean($2, field: $3) ?? true
                }
            case .allowStockToZero:
                Entry(.boolean, "`false` refuses a stock that goes from more than 0 to 0", "`true` unless specified") {
                    $0.policies.allowsStockToZero = $1.boolean($2, field: $3) ?? true
                }
            case .allowZeroPrice:
                Entry(
                    .boolean,
                    "`true` allows 0 for a new product, or instead of a price",
                    "`false` unless specified"
                ) { $0.policies.allowsZeroPrice = $1.boolean($2, field: $3) ?? false }
            case .allowUnsettledCreates:
                Entry(
                    .boolean,
                    "`true` creates products even if the outcome of a create with a lost answer stays unknown",
                    "`false` unless specified: it could create one twice"
                ) { $0.policies.allowsUnsettledCreates = $1.boolean($2, field: $3) ?? false }
            case .onDrift:
                Entry(.mapping, "how to treat changes on the market itself", "[on_drift](#policieson_drift)") {
                    $1.read($2, field: $3, as: ProductField.self, into: &$0)
                }
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
        let choices = PlannerOptions.DriftHandling.allCases.map(\.rawValue)
        return ManifestSchema.Entry(
            .choice(choices),
            "how to treat a change on the market alone",
            self == .stock ? "`keep` unless specified: buyers change it" : "`restore` unless specified"
        ) { sections, values, node, field in
            guard let word = values.choice(node, of: choices, field: field) else { return }
            sections.policies.onDrift[self] = PlannerOptions.DriftHandling(rawValue: word)
        }
    }
}
