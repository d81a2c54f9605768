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
    var adopts: Bool
    package var filter: KeyFilter
    /// The fields to plan of each product that is planned; `nil` plans all products in whole.
    ///
    /// A product that the market lacks is created in whole, and one that no file lists is deleted.
    package var editedFields: [String: ProductFieldSet]?
    /// Products whose stock is refused if the market changed it, because it comes from a table that may be older.
    package var oldStocks: Set<String> = []
    /// Products to replace even if they are unchanged, or need only an update.
    package var replaced: KeyPatterns
    /// Whether products may be deleted; if not, deletes are not selected.
    ///
    /// A replace, and the delete that an unfinished one owes, are not deletes here.
    var deletes: Bool
    /// The policies, with the overrides of the run.
    package var policies: Policies
    var allowsEmptyManifest: Bool
    /// Whether products may be created although the market has others of the same name that may be this vendor's.
    var allowsNamesakes: Bool
    /// The number of managed products that may be gone from the market.
    ///
    /// `nil` keeps the default of 30 % above 10 products.
    var maximumGone: Policies.Bound?
    /// Whether products may be deleted because the file that listed them is gone; a policy alone does not allow it.
    var allowsGoneFiles: Bool

    package init(
        onDrift: DriftHandling? = nil,
        adopts: Bool = false,
        filter: KeyFilter = KeyFilter(),
        replaced: KeyPatterns = KeyPatterns(),
        deletes: Bool = true,
        policies: Policies = Policies(),
        allowsEmptyManifest: Bool = false,
        allowsNamesakes: Bool = false,
        maximumGone: Policies.Bound? = nil,
        allowsGoneFiles: Bool = false
    ) {
        self.onDrift = onDrift
        self.adopts = adopts
        self.filter = filter
        self.replaced = replaced
        self.deletes = deletes
        self.policies = policies
        self.allowsEmptyManifest = allowsEmptyManifest
        self.allowsNamesakes = allowsNamesakes
        self.maximumGone = maximumGone
        self.allowsGoneFiles = allowsGoneFiles
    }

    /// The products to plan.
    package var selection: KeyFilter { editedFields.map { filter.narrowed(to: $0.keys) } ?? filter }

    /// Keeps the stock by default, because buyers change it: sold units do not return.
    func driftHandling(of field: ProductField) -> DriftHandling {
        policies.onDrift[field] ?? onDrift ?? (field == .stock ? .keep : .restore)
    }
}
