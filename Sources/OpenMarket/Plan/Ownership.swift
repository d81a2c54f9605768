/// Tells whose a live product is, as far as that can be read from the market.
struct Ownership {
    /// Our vendor number, where manifest or state know it (v2).
    private let vendorID: Int64?
    /// Whether the number can be believed where it would make a product somebody else's.
    ///
    /// A market that was set up anew numbers its vendors anew. A number that only the state knows, and that none of the
    /// products shows that the state knows, may mean another vendor by now.
    private let isConfirmed: Bool

    init(_ input: Planner.Input) {
        let vendorID = input.vendorID
        self.vendorID = vendorID
        isConfirmed =
            vendorID != nil
            && (input.manifest.market.vendorID != nil || input.state.entries.isEmpty
                || input.state.entries.ids.contains { input.live.products[$0]?.vendorID == vendorID })
    }

    /// Our vendor number, where it can be believed that far.
    var confirmedVendorID: Int64? { isConfirmed ? vendorID : nil }

    /// Whether the market says that the product is ours.
    func isOurs(_ product: LiveProduct) -> Bool {
        guard let vendorID, let theirs = product.vendorID else { return false }
        return theirs == vendorID
    }

    /// Whether the market says that the product is another vendor's.
    func isForeign(_ product: LiveProduct) -> Bool {
        guard let ours = confirmedVendorID, let theirs = product.vendorID else { return false }
        return theirs != ours
    }
}
