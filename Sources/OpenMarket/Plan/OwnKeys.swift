/// The keys of our products, on a market whose products carry them.
///
/// A product that carries one is ours, whatever else it shows. A key that is on neither list is another person's article
/// number, and says nothing.
struct OwnKeys: Hashable, Sendable {
    private var keys: Set<String>
    /// Whether a product's id is its key, because we choose it.
    private let areIDs: Bool

    /// The keys of a manifest, a plan or a state.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - capabilities: Whether the ids of products are their keys.
    init(_ keys: some Sequence<String>, _ capabilities: MarketCapabilities) {
        self.keys = Set(keys)
        areIDs = capabilities.choosesIDs
    }

    /// Adds keys, as a session of a shared run learns them.
    mutating func formUnion(_ others: some Sequence<String>) { keys.formUnion(others) }

    /// The key of ours that a product carries; `nil` where it carries none, or another's.
    func key(of product: LiveProduct) -> String? {
        guard let key = product.key ?? (areIDs ? product.id.description : nil), keys.contains(key) else { return nil }
        return key
    }
}
