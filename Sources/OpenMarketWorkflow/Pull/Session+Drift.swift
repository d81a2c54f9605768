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

/// Drift as edits of the manifest's files.
package struct DriftEdits: Sendable {
    /// In the manifest's order; products that could not be compared come first.
    package let planned: PlannedEdits
    /// Whether all drift that anybody can write is written.
    package let isComplete: Bool
    /// Changes to the state, made after the files are written.
    let updates: [StateMutation]
    /// The id of the written edit.
    package var edit: String?
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
        let uncompared = drift.obstacles.map { index, obstacle in
            ProductEdit(key: manifest.listings.key(at: index), .leave(because: obstacle.reason), reason: Self.source)
        }
        let wanted = drift.products.map { $0.edit(of: manifest.listings[$0.listing], for: manifest.market) }
        let planned = try run.planned(uncompared + wanted)
        return DriftEdits(
            planned: planned,
            isComplete: drift.obstacles.allSatisfy { $0.obstacle == .otherKind }
                && planned.items.allSatisfy { $0.what == .nothing || $0.refusal == nil },
            updates: drift.updates(writing: planned, of: manifest)
        )
    }

    fileprivate static var source: String { "the market's value" }

    /// Records in the state the values that manifest and market now share.
    ///
    /// If a run is killed before this, its files match the market already, and the next run recognizes that.
    func record(_ edits: DriftEdits) async throws {
        guard !edits.updates.isEmpty else { return }
        try await requireHeld().apply(edits.updates)
    }
}

extension MarketDrift {
    /// The entries with the values that are written, and with those on which manifest and market agree.
    fileprivate func updates(writing planned: PlannedEdits, of manifest: Manifest) -> [StateMutation] {
        let written = Set(planned.items.filter { $0.refusal == nil }.map(\.place))
        return products.compactMap { product in
            let key = manifest.listings.key(at: product.listing)
            var known = product.agreed ?? product.entry
            for change in product.changes
            where written.contains(PlannedEdits.Place(key: key, field: .value(change.field))) {
                known.applied[change.field] = change.live
            }
            return known == product.entry ? nil : .put(known)
        }
    }
}

extension MarketDrift.Obstacle {
    /// Why the product is left alone.
    fileprivate var reason: String {
        switch self {
        case .gone: "it is gone from the market: take it out if that is right, or let `apply` create it again"
        case .foreign: "its number is another vendor's product now"
        case .pinnedElsewhere(let id): "its `id` is not that of the state, which is \(id)"
        case .unreadable: "the market's row could not be read"
        case .otherKind: "it is of another kind, which the market's description lets nobody write"
        case .unresolved: "an operation on it is unresolved, which `apply` settles"
        case .unknown: "the state does not know it, so which side changed cannot be known; `apply` takes it over"
        }
    }
}

extension MarketDrift.Product {
    /// The fields that the market changed, as an edit of the manifest.
    ///
    /// A conflict is refused. `market` limits the texts and prices of a manifest.
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
        let fields = changes.map { change in
            let field = change.field
            var refusal = (money.contains(field) ? moneyFault : nil) ?? faults[field]
            if live[field] == nil, refusal == nil { refusal = "the market shows none" }
            if change.kind == .conflict {
                refusal =
                    listing.adjusted?.touches(field) == true
                    ? "it is adjusted there, and not written into the catalog" : "the manifest was changed, too"
            }
            return FieldEdit(.value(field), live[field].map { .value($0) }, refusal: refusal)
        }
        return ProductEdit(key: listing.key, .change(fields), reason: Session.source)
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
