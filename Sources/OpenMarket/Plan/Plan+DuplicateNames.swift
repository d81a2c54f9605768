extension Plan {
    /// The names of the products to be created.
    private var newNames: Set<String> {
        Set(operations.lazy.compactMap { $0.action == .create ? $0.name : $0.replacement?.product.values.name })
    }

    /// The managed products with the name of one to be created.
    func managedNamesakes(_ input: Planner.Input, _ entries: StateEntries) -> [StateEntry] {
        guard !entries.isEmpty else { return [] }
        let names = newNames
        return entries.values.filter {
            [input.live.products[$0.id]?.name, $0.applied.name].contains { $0.map(names.contains) ?? false }
        }
    }

    /// The managed products, and all live ones that have the beginning of such a name or none.
    ///
    /// Of the latter, those that may be a product to be created have been refused by now, by their descriptions as
    /// well.
    func knownNamesakes(_ input: Planner.Input, managed: [StateEntry]) -> [MarketID] {
        guard !managed.isEmpty || !input.live.products.isEmpty else { return [] }
        let names = newNames
        let truncatedNames = TruncatedNames(input.live.products.values, except: names)
        let nameless = input.live.products.values.filter { $0.name == nil }
        return (managed.map(\.id) + nameless.map(\.id))
            + names.flatMap { truncatedNames.candidates(for: ProductValues(name: $0), by: .name) }
    }
}
