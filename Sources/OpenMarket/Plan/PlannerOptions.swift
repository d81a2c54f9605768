/// What the user may say about how to plan.
package struct PlannerOptions: Hashable, Sendable {
    /// What happens to fields that were changed on the market while the manifest stayed.
    package enum DriftHandling: String, Hashable, Sendable, CaseIterable {
        /// Put back what the manifest says.
        case restore
        /// Leave the market's value alone.
        case keep
        /// Refuse the plan.
        case fail
    }

    /// What happens to drift of the fields for which the policies say nothing.
    package var onDrift: DriftHandling
    /// Whether the user vouches that live products of the same name are theirs.
    var adopts: Bool
    /// Which products the run is about.
    package var filter: KeyFilter
    /// Which products are replaced by new ones although nothing, or nothing that takes it, differs.
    package var replaced: KeyPatterns
    /// Whether products may be deleted; those that would be are not selected otherwise.
    ///
    /// A replace, and the delete that an unfinished one still owes, are not deletes here.
    var deletes: Bool
    /// The brakes, with the overrides of the run.
    package var policies: Policies
    /// Whether an empty manifest may delete everything.
    var allowsEmptyManifest: Bool
    /// Whether products may be made although the market has others of their name that may be ours.
    var allowsNamesakes: Bool
    /// How many managed products may be gone from the market; `nil` leaves the standing brake of 30 % above 10 products.
    var maximumGone: Policies.Bound?

    /// Options; by default the careful ones.
    package init(
        onDrift: DriftHandling = .restore,
        adopts: Bool = false,
        filter: KeyFilter = KeyFilter(),
        replaced: KeyPatterns = KeyPatterns(),
        deletes: Bool = true,
        policies: Policies = Policies(),
        allowsEmptyManifest: Bool = false,
        allowsNamesakes: Bool = false,
        maximumGone: Policies.Bound? = nil
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
    }

    /// What happens to drift of a field.
    func driftHandling(of field: ProductField) -> DriftHandling { policies.onDrift[field] ?? onDrift }
}
