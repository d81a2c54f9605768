import OpenMarket

/// Finds live products that a plan would make a second time: those that appeared since it was made.
struct NamesakeCheck {
    /// What the plan knew.
    let known: KnownNamesakes

    /// The operations that must not be begun, by their index, and why.
    ///
    /// - Parameters:
    ///   - operations: All operations of the run.
    ///   - catalog: The market now.
    /// - Returns: The refusals; empty when all may go.
    func refusals(
        _ operations: [PlannedOperation],
        catalog: LiveCatalog
    ) -> [Int: OperationRefusal] {
        let makes = operations.indices.filter { operations[$0].newProduct != nil }
        let names = Set(makes.compactMap { operations[$0].newProduct?.values.name })
        // What the state knows by now is no excuse: it may be what the plan would make, under a key that was renamed.
        let spokenFor = Set(known.others).union(operations.compactMap(\.id))
        var found: [String: [ProductID]] = [:]
        for (id, product) in catalog.products {
            guard let name = product.name, names.contains(name), !spokenFor.contains(id) else { continue }
            if let ours = known.vendorID, let theirs = product.vendorID, ours != theirs { continue }
            found[name, default: []].append(id)
        }
        var refusals: [Int: OperationRefusal] = [:]
        for index in makes {
            guard let name = operations[index].newProduct?.values.name, let ids = found[name] else { continue }
            // What a replace made is newer than what it replaces.
            let old = operations[index].id
            guard let first = ids.filter({ id in old.map { id > $0 } ?? true }).min() else { continue }
            refusals[index] = OperationRefusal(
                .stale,
                "the market has product \(first) of its name, which was not there when the plan was made"
            )
        }
        return refusals
    }
}
