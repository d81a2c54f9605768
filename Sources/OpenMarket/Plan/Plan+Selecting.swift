extension Plan {
    /// The keys of its operations and of its changes of the state, renamed ones under both names.
    package var keys: Set<String> {
        Set(operations.map(\.key)).union(operations.compactMap(\.renamedFrom)).union(stateUpdates.flatMap(\.keys))
    }

    /// The plan for the products that a filter accepts; a renamed product is accepted by either key.
    package func selecting(by filter: KeyFilter) -> Plan {
        guard !filter.takesAll else { return self }
        let formerKeys = Dictionary(renames.map { ($0.to, $0.from) }) { first, _ in first }
        return selecting(filter.knowing(formerKeys).takes)
    }

    /// The plan for some products, by their keys after renames; the others count as not selected.
    package func selecting(_ isSelected: (String) -> Bool) -> Plan {
        var (plan, left) = (self, Set<String>())
        var keepingTheirName: Set<MarketID> = []
        plan.operations = operations.filter { operation in
            guard !isSelected(operation.key) else { return true }
            left.insert(operation.key)
            let losesName = operation.action == .delete || operation.changes.contains { $0.field == .name }
            if losesName, let id = operation.id { keepingTheirName.insert(id) }
            return false
        }
        plan.stateUpdates = stateUpdates.compactMap { update in update.leavingOut { !isSelected($0) } }
        // A create was to take over the name of such a product, and must not begin while the product has it.
        plan.namesakes.others.removeAll(where: keepingTheirName.contains)
        plan.unselected += left.count
        return plan
    }
}
