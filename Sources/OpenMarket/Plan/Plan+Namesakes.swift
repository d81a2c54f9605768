extension Plan {
    /// The managed products with the name of one to be created.
    func managedNamesakes(_ input: Planner.Input, _ entries: StateEntries) -> [StateEntry] {
        guard !entries.isEmpty else { return [] }
        let names = Set(operations.lazy.compactMap { $0.newProduct?.values.name })
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
        let made = operations.lazy.compactMap { $0.newProduct?.values }
        let names = Set(made.compactMap(\.name))
        let cutNames = CutNames(input.live.products.values, except: names)
        let nameless = input.live.products.values.filter { $0.name == nil }
        return (managed.map(\.id) + nameless.map(\.id)) + made.flatMap { cutNames.candidates(for: $0, by: .name) }
    }
}
