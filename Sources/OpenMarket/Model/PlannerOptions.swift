package struct PlannerOptions: Hashable, Sendable {
    /// The handling of fields that changed on the market but not in the manifest.
    package enum DriftHandling: String, Hashable, Sendable, CaseIterable {
        case restore
        case keep
        case fail
    }

    /// The handling of drift in fields without a policy; `nil` restores all but the stock.
    package var onDrift: DriftHandling?
    /// Whether the user confirms that live products of the same name are theirs.
    package var adopts = false
    package var filter = KeyFilter()
    /// The fields to plan of each product that is planned; `nil` plans all products in whole.
    ///
    /// A product that the market lacks is created in whole, and one that no file lists is deleted.
    package var editedFields: [String: ProductFieldSet]?
    /// Products whose stock is refused if the market changed it, because it comes from a table that may be older.
    package var oldStocks: Set<String> = []
    /// Products to replace even if they are unchanged, or need only an update.
    package var replaced = KeyPatterns()
    /// Whether products may be deleted; if not, deletes are not selected.
    ///
    /// A replace, and the delete that an unfinished one owes, are not deletes here.
    package var deletes = true
    /// The policies, with the overrides of the run.
    package var policies = Policies()
    package var allowsEmptyManifest = false
    /// Whether products may be created although the market has others of the same name that may be this vendor's.
    package var allowsNamesakes = false
    /// The number of managed products that may be gone from the market.
    ///
    /// `nil` keeps the default of 30 % above 10 products.
    package var maximumGone: Policies.Bound?
    /// Whether products may be deleted because the file that listed them is gone; a policy alone does not allow it.
    package var allowsGoneFiles = false

    package static let standard = PlannerOptions()

    /// The products to plan.
    package var selection: KeyFilter { editedFields.map { filter.narrowed(to: $0.keys) } ?? filter }

    /// Keeps the stock by default, because buyers change it: sold units do not return.
    func driftHandling(of field: ProductField) -> DriftHandling {
        policies.onDrift[field] ?? onDrift ?? (field == .stock ? .keep : .restore)
    }
}
