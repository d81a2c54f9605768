extension Plan {
    private var newNames: Set<String> {
        Set(operations.lazy.compactMap { $0.action == .create ? $0.name : $0.replacement?.product.values.name })
    }

    /// The managed products with the name of a product to create.
    func managedNamesakes(_ input: Planner.Input, _ entries: StateEntries) -> [StateEntry] {
        guard !entries.isEmpty else { return [] }
        let names = newNames
        return entries.values.filter {
            [input.live.products[$0.id]?.name, $0.applied.name].contains { $0.map(names.contains) ?? false }
        }
    }

    /// The managed products, and all live ones without a name or with the beginning of a new product's name.
    ///
    /// Live ones that may be a product to create were refused before, by their descriptions as well.
    func knownNamesakes(_ input: Planner.Input, managed: [StateEntry]) -> [MarketID] {
        guard !managed.isEmpty || !input.live.products.isEmpty else { return [] }
        let names = newNames
        let truncatedNames = TruncatedNames(input.live.products.values, except: names)
        let nameless = input.live.products.values.filter { $0.name == nil }
        return (managed.map(\.id) + nameless.map(\.id))
            + names.flatMap { truncatedNames.candidates(for: ProductValues(name: $0), by: .name) }
    }
}
