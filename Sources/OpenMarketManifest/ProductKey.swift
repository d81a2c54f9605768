/// The keys of a product in the manifest.
enum ProductKey: String, CaseIterable {
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

    /// What may be said of a product that must not exist.
    static let ofTombstones: Set<ProductKey> = [.key, .id, .previously, .state, .secret]

    /// Finds a key; by its length first, since this runs for every line of a manifest.
    init?(_ name: String) {
        let candidate: ProductKey?
        switch name.utf8.count {
        case 2: candidate = .id
        case 3: candidate = .key
        case 4: candidate = .name
        case 5:
            candidate = name == "price" ? .price : name == "stock" ? .stock : .state
        case 6: candidate = name == "images" ? .images : .secret
        case 8: candidate = name == "currency" ? .currency : .discount
        case 9: candidate = name == "thumbnail" ? .thumbnail : .protected
        case 10: candidate = name == "sale_price" ? .salePrice : .previously
        case 11: candidate = .description
        case 14: candidate = .ignoreChanges
        default: candidate = nil
        }
        guard let candidate, candidate.rawValue == name else { return nil }
        self = candidate
    }

    /// What people call a key who know another shop's files.
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
