/// The keys of own products, on a market whose products carry them.
///
/// A product that carries one is this vendor's, whatever else it shows. Any other key may be another vendor's article
/// number and does not prove it.
struct ManagedKeys: Hashable, Sendable {
    private var keys: Set<String>
    /// Whether a product's id is its key, because requests choose the id.
    private let areIDs: Bool

    init(_ keys: some Sequence<String>, _ capabilities: MarketCapabilities) {
        self.keys = Set(keys)
        areIDs = capabilities.choosesIDs
    }

    /// Adds the keys that a session of a shared run learns.
    mutating func formUnion(_ others: some Sequence<String>) { keys.formUnion(others) }

    /// The managed key that a product carries; `nil` for no key or another vendor's.
    func key(of product: LiveProduct) -> String? {
        guard let key = product.key ?? (areIDs ? product.id.description : nil), keys.contains(key) else { return nil }
        return key
    }
}
