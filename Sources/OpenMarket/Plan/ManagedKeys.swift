/// The keys of our products, on a market whose products carry them.
///
/// A product that carries one is ours, whatever else it shows. A key in neither list is another vendor's article number
/// and proves nothing.
struct ManagedKeys: Hashable, Sendable {
    private var keys: Set<String>
    /// Whether a product's id is its key, because we choose it.
    private let areIDs: Bool

    /// The keys of a manifest, a plan or a state.
    init(_ keys: some Sequence<String>, _ capabilities: MarketCapabilities) {
        self.keys = Set(keys)
        areIDs = capabilities.choosesIDs
    }

    /// Adds keys when a session of a shared run learns them.
    mutating func formUnion(_ others: some Sequence<String>) { keys.formUnion(others) }

    /// Our key that a product carries; `nil` if it carries none, or another vendor's.
    func key(of product: LiveProduct) -> String? {
        guard let key = product.key ?? (areIDs ? product.id.description : nil), keys.contains(key) else { return nil }
        return key
    }
}
