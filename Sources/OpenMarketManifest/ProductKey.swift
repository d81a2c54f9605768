import OpenMarket

enum ProductKey: String, ManifestKey {
    case key
    case name
    case description
    case price
    case currency
    case salePrice = "sale_price"
    case discount
    case stock
    case images
    case thumbnail
    case id
    case previously
    case state
    case protected
    case ignoreChanges = "ignore_changes"
    case secret

    static let path = "products[]"

    var entry: ManifestSchema.Entry {
        switch self {
        case .key:
            .init(
                .text,
                "names the product here and in the state; sent only with `market.send_keys`",
                "required; 1 to 200 characters on one line, unique over all files [in any Unicode form](manifest.md#two-spellings-of-one-text)",
                form: .line
            )
        case .name:
            .init(
                .text,
                "its name",
                "3 to 100 characters on one line, not all of them blank or invisible. A name that is used twice is a warning",
                form: .line
            )
        case .description: .init(.text, "its description", "10 to 1000 characters")
        case .price:
            .init(
                .decimal,
                "the price without a sale",
                "no more digits after the point than the currency has: none of a won, two of a dollar"
            )
        case .currency:
            .init(
                .currency,
                "the currency of its prices",
                "`KRW` or `USD`; others if [the limits](#marketlimits) name them"
            )
        case .salePrice:
            .init(.decimal, "the price during a sale", "0 to `price`. Needs `price`")
        case .discount: .init(.decimal, "the amount off", "0 to `price`. Excludes `sale_price`")
        case .stock:
            .init(.stock, "how many there are", "64 bits; `{initial: N}` sets it on create and leaves it alone after")
        case .images:
            .init(.list(of: "paths"), "its pictures", "1 to 5, JPEG or PNG by their bytes, each under 300 000 bytes")
        case .thumbnail:
            .init(.path, "the picture that lists show", "one of `images`. The first one otherwise", form: .line)
        case .id: .init(.id, "the live product that is meant")
        case .previously: .init(.list(of: "keys"), "keys it had before: renamed, not created again")
        case .state: .init(.choice(["absent", "present"]), "`absent` is a tombstone")
        case .protected: .init(.boolean, "refuses to be deleted or replaced")
        case .ignoreChanges: .init(.list(of: "fields"), "sent on create, left alone after")
        case .secret:
            .init(.text, "v1: this item's own password", "[not written out](manifest.md#secrets)", form: .word)
        }
    }

    /// The keys allowed for a product that must not exist.
    static let ofTombstones: [ProductKey] = [.key, .id, .previously, .state, .secret]

    /// The key that is closest to a misspelt name.
    static func nearest(to name: String) -> String? {
        synonyms[name.lowercased()]?.rawValue ?? Suggestion.nearest(to: name, in: names)
    }

    /// The names of these keys in other shops' files.
    static let synonyms: [String: ProductKey] = [
        "title": .name, "product_name": .name, "descriptions": .description, "body": .description, "text": .description,
        "picture": .images, "pictures": .images, "image": .images, "photos": .images, "files": .images,
        "quantity": .stock, "amount": .stock, "inventory": .stock, "count": .stock, "qty": .stock,
        "bargain_price": .salePrice, "special_price": .salePrice, "cost": .price, "sku": .key, "slug": .key,
        "handle": .key,
        "thumbnail_id": .thumbnail, "password": .secret, "lifecycle": .ignoreChanges, "prevent_destroy": .protected,
        "renamed_from": .previously, "moved": .previously, "ensure": .state, "ignore": .ignoreChanges,
    ]
}
