package import OpenMarket
import OpenMarketDescription
import OpenMarketManifest

package enum DriftError: Error, Hashable, Sendable {
    /// The state has none of this many products, so it is unknown which side changed.
    case stateKnowsNone(of: Int, location: StateLocation)
}

extension DriftError: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .stateKnowsNone(let products, let location):
            "\(location) knows none of the manifest's \(counted(products, "product")), so which side changed cannot be "
                + "known; nothing was written"
        }
    }
}

/// Drift as edits of the manifest's files, and the drift that is not written.
package struct DriftEdits: Sendable {
    /// A change, or a product that could not be compared.
    package struct Item: Sendable {
        var listing: Listing
        /// `nil` if the item is about the whole product.
        var change: FieldChange?
        /// Why it is not written; `nil` if it is.
        var refusal: Refusal?
    }

    enum Refusal: Hashable, Sendable {
        /// It cannot be written at the product's position, or a manifest cannot express it.
        case unwritable(String)
        /// The manifest changed it, too.
        case conflict
        case obstacle(MarketDrift.Obstacle)
    }

    /// In the manifest's order; products that could not be compared come first.
    package var items: [Item] = []
    let planned: PlannedEdits
    /// Changes to the state, made after the files are written.
    var updates: [StateMutation] = []

    package var isComplete: Bool { items.allSatisfy { $0.refusal == nil || $0.refusal == .obstacle(.otherKind) } }
}

extension Session {
    /// Finds drift and its positions in the manifest, without writing anything.
    ///
    /// Every product is handled separately, so a fault of one does not affect the others.
    ///
    /// `recovered` are the unresolved operations of earlier runs.
    func drift(
        of manifest: Manifest,
        with run: EditRun,
        after recovered: Recovery.Resolution
    ) async throws -> DriftEdits {
        var input = try await input(manifest, after: recovered, refresh: .full)
        var drift = input.drift(capabilities: capabilities)
        // Otherwise a single wrong reply would be believed forever.
        let agreeing = drift.products.filter { $0.agreed != nil }.map(\.entry.id)
        if try await readAgain(agreeing, &input) { drift = input.drift(capabilities: capabilities) }
        let unknown = drift.obstacles.count { $0.obstacle == .unknown }
        guard drift.knownCount > 0 || unknown == 0 else {
            throw DriftError.stateKnowsNone(of: unknown, location: state.location)
        }
        let wanted = drift.products.map { $0.edit(of: manifest.listings[$0.listing], for: manifest.market) }
        var edits = DriftEdits(planned: try run.planned(wanted))
        edits.items = drift.obstacles.map { index, obstacle in
            DriftEdits.Item(listing: manifest.listings[index], change: nil, refusal: .obstacle(obstacle))
        }
        edits.take(drift, of: manifest)
        return edits
    }

    /// Records in the state the values that manifest and market now share.
    ///
    /// If a run is killed before this, its files match the market already, and the next run recognizes that.
    func record(_ edits: DriftEdits) async throws {
        guard !edits.updates.isEmpty else { return }
        try await requireHeld().apply(edits.updates)
    }
}

extension DriftEdits {
    fileprivate mutating func take(_ drift: MarketDrift, of manifest: Manifest) {
        let places = Dictionary(planned.items.map { ($0.place, $0.refusal) }) { first, _ in first }
        for product in drift.products {
            let listing = manifest.listings[product.listing]
            var known = product.agreed ?? product.entry
            for change in product.changes {
                let refusal = places[PlannedEdits.Place(key: listing.key, field: .value(change.field))] ?? nil
                let item = Item(
                    listing: listing,
                    change: change,
                    refusal: change.kind == .conflict ? .conflict : refusal.map { .unwritable($0) }
                )
                items.append(item)
                if item.refusal == nil { known.applied[change.field] = change.live }
            }
            if known != product.entry { updates.append(.put(known)) }
        }
    }
}

extension MarketDrift.Product {
    /// The fields that only the market changed, as an edit of the manifest.
    ///
    /// `market` limits the texts and prices of a manifest.
    fileprivate func edit(of listing: Listing, for market: MarketSettings) -> ProductEdit {
        var writer = LiveProductWriter(
            profile: market.profile ?? .standard,
            limits: market.limits,
            widensLimits: false
        )
        _ = writer.product(LiveProduct(id: entry.id, values: live), key: listing.key, pictures: .success([]))
        let faults = Dictionary(writer.omissions.map { ($0.field, $0.reason) }) { first, _ in first }
        let drifted = changes.filter { $0.kind == .drift }.map(\.field)
        let money: [ProductField] = [.price, .salePrice, .currency]
        // A price in another currency is another price.
        let moneyFault =
            refusalOfMoney(drifted, of: listing)
            ?? (drifted.contains(.currency) ? drifted.filter(money.contains).lazy.compactMap { faults[$0] }.first : nil)
        let fields = drifted.map { field in
            let value = live[field]
            let fault = (money.contains(field) ? moneyFault : nil) ?? faults[field]
            let missing = value == nil ? "the market shows none" : nil
            return FieldEdit(.value(field), value.map { .value($0) }, refusal: fault ?? missing)
        }
        return ProductEdit(key: listing.key, .change(fields), reason: "the market's value")
    }

    /// Why no amount and no currency can be written: a related value that was changed in the manifest, too, would stay.
    ///
    /// A price and a sale price are two amounts in one currency, and each may change without the other.
    private func refusalOfMoney(_ fields: [ProductField], of listing: Listing) -> String? {
        let pairs: [(ProductField, ProductField)] = [
            (.currency, .price), (.currency, .salePrice), (.price, .currency), (.salePrice, .currency),
        ]
        for (written, other) in pairs where fields.contains(written) && !fields.contains(other) {
            guard let ours = listing.values[other], let theirs = live[other], ours != theirs else { continue }
            return "the \(other.rawValue) beside it was changed in the manifest, too"
        }
        return nil
    }
}
