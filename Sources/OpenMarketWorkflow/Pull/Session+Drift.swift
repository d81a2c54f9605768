import OpenMarket
import OpenMarketDescription
import OpenMarketManifest

/// Drift as edits of the manifest's files.
package struct DriftEdits: Sendable {
    /// In the manifest's order; products that could not be compared come first, and new ones last.
    package let planned: PlannedEdits
    /// Whether all drift that anybody can write is written.
    package let isComplete: Bool
    /// Changes to the state after the files are written.
    let updates: [StateMutation]
    /// The products that the state adopts, or whose pictures it has to learn.
    fileprivate(set) var unknownKeys: Set<String> = []
    /// The SHA-256 of fetched pictures, by URL.
    fileprivate(set) var digests: [ExactText: ContentDigest] = [:]
    /// What a pull took in besides.
    package internal(set) var shop: PulledShop?
    /// The id of the written edit.
    package var edit: String?
}

extension Session {
    /// Finds drift and its positions in the manifest, without writing anything.
    ///
    /// Every product is handled separately, so a fault of one does not affect the others.
    ///
    /// `recovered` are the unresolved operations of earlier runs. With `pull`, new products and pictures are taken in,
    /// too, and their pictures written.
    func drift(
        of manifest: Manifest,
        with run: EditRun,
        after recovered: Recovery.Resolution,
        pulling pull: PullRun? = nil
    ) async throws -> DriftEdits {
        let catalog: PulledCatalog? =
            if let pull {
                try await self.pull(pull.request, knowing: recovered.snapshot, provesVendor: pull.provesVendor)
            } else { nil }
        let session = catalog.map { knowing($0.reading) } ?? self
        var input = try await session.input(manifest, after: recovered, refresh: .full)
        var drift = input.drift(capabilities: capabilities)
        // Otherwise a single wrong reply would be believed forever.
        let agreeing = drift.products.filter { $0.agreed != nil }.map(\.entry.id)
        if try await readAgain(agreeing, &input) { drift = input.drift(capabilities: capabilities) }
        var news: PullRun.News?
        if let pull, let catalog {
            drift.keep(pull.request.ids, of: manifest, in: catalog)
            news = try await pull.news(
                for: manifest,
                drift.products.filter { $0.hasOtherPictures }.map { (manifest.listings[$0.listing], $0.entry.id) },
                catalog,
                recovered.snapshot,
                into: run,
                in: self
            )
        } else {
            let unknown = drift.obstacles.count { $0.obstacle == .unknown }
            guard drift.knownCount > 0 || unknown == 0 else {
                throw CommandFailure(
                    .invalidInput,
                    "none of the manifest's \(counted(unknown, "product")) is in \(state.location), so the changed side is "
                        + "unknown; no file was written",
                    help: "name the state with --state; or let `openmarket apply` take the products over first"
                )
            }
        }
        let uncompared = drift.obstacles.map { index, obstacle in
            ProductEdit(key: manifest.listings.key(at: index), .leave(because: obstacle.reason), reason: Self.source)
        }
        let wanted = drift.products.map { product in
            product.edit(
                of: manifest.listings[product.listing],
                for: manifest.market,
                pictures: news?.pictures[product.entry.id]
            )
        }
        let added = news?.edits ?? []
        let planned = try run.planned(uncompared + wanted + added, head: news?.head)
        news?.shop.products = planned.items.count { $0.isNew && $0.refusal == nil }
        var edits = DriftEdits(
            planned: planned,
            isComplete: drift.obstacles.allSatisfy { $0.obstacle == .otherKind }
                && planned.items.dropFirst(uncompared.count).allSatisfy { $0.refusal == nil },
            updates: drift.updates(writing: planned, of: manifest)
        )
        if let news, let catalog {
            edits.shop = news.shop
            edits.digests = input.pictureDigests.merging(news.digests) { $1 }
            edits.unknownKeys = catalog.unknownKeys(of: manifest, recovered.snapshot.entries)
                .union(planned.items.filter { $0.refusal == nil && ($0.isNew || $0.field == .images) }.map(\.key))
        }
        return edits
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
    /// The entries with the written values, and with the values that manifest and market share.
    fileprivate func updates(writing planned: PlannedEdits, of manifest: Manifest) -> [StateMutation] {
        let written = Set(planned.items.filter { $0.refusal == nil }.map(\.place))
        return products.compactMap { product in
            let key = manifest.listings.key(at: product.listing)
            var known = product.agreed ?? product.entry
            for change in product.changes
            // Pictures have references, which only a plan learns.
            where change.field != .images
                && written.contains(PlannedEdits.Place(key: key, field: .value(change.field)))
            {
                known.applied[change.field] = change.live
            }
            return known == product.entry ? nil : .put(known)
        }
    }
}

extension MarketDrift {
    /// Keeps these products, or all of this vendor, and drops listings that were never applied.
    fileprivate mutating func keep(_ ids: Set<MarketID>, of manifest: Manifest, in catalog: PulledCatalog) {
        let names = Set(catalog.products.compactMap(\.name).map { ExactText($0) })
        obstacles.removeAll { index, obstacle in
            let listing = manifest.listings[index]
            guard ids.isEmpty else { return !(listing.pinnedID.map(ids.contains) ?? false) }
            return obstacle == .unknown && listing.pinnedID == nil
                && !(listing.values.name.map { names.contains(ExactText($0)) } ?? false)
        }
        if !ids.isEmpty { products.removeAll { !ids.contains($0.entry.id) } }
    }
}

extension PulledCatalog {
    /// The listed products that the state lacks.
    fileprivate func unknownKeys(of manifest: Manifest, _ entries: StateEntries) -> Set<String> {
        let ids = Set(products.map(\.id))
        let listings = manifest.listings.filter { listing in
            !listing.isAbsent && listing.pinnedID.map(ids.contains) ?? false
                && ([listing.key] + listing.previously).allSatisfy { entries[$0] == nil }
        }
        return Set(listings.map(\.key))
    }
}

extension PlannedEdits.Item {
    fileprivate var isNew: Bool { if case .add = what { true } else { false } }

    fileprivate var field: ProductField? {
        guard case .field(let edit) = what, case .value(let field) = edit.field else { return nil }
        return field
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
        case .otherKind: "it is of another kind, which the market's description does not let anyone write"
        case .unresolved: "an operation on it is unresolved, which `apply` settles"
        case .unknown: "it is not in the state, so the changed side is unknown; `apply` takes it over"
        }
    }
}

extension MarketDrift.Product {
    fileprivate var hasOtherPictures: Bool { changes.contains { $0.field == .images && $0.kind == .drift } }

    /// The fields that the market changed, as an edit of the manifest.
    ///
    /// A conflict is refused. `market` limits the texts and prices of a manifest. `pictures` are changed ones that were
    /// fetched.
    fileprivate func edit(
        of listing: Listing,
        for market: MarketSettings,
        pictures: Result<[LiveProductWriter.PictureFile], LiveProductWriter.PictureTrouble>?
    ) -> ProductEdit {
        var writer = LiveProductWriter(
            profile: market.profile ?? .standard,
            limits: market.limits,
            widensLimits: false
        )
        let shown = LiveProduct(id: entry.id, showing: live)
        let product = writer.product(shown, key: listing.key, pictures: pictures ?? .success([])).added
        let omitted = Dictionary(writer.omissions.map { ($0.field, $0.reason) }) { first, _ in first }
        func fault(of field: ProductField) -> String? { omitted[field.rawValue] }
        let drifted = changes.filter { $0.kind == .drift }.map(\.field)
        let money: [ProductField] = [.price, .salePrice, .currency]
        // A price in another currency is another price.
        let moneyFault =
            refusalOfMoney(drifted, of: listing)
            ?? (drifted.contains(.currency) ? drifted.filter(money.contains).lazy.compactMap(fault).first : nil)
        let fields = changes.map { change in
            let field = change.field
            var refusal = (money.contains(field) ? moneyFault : nil) ?? fault(of: field)
            if live[field] == nil, refusal == nil { refusal = "the market does not show one" }
            if change.kind == .conflict {
                refusal =
                    listing.adjusted?.touches(field) == true
                    ? "it is adjusted there, and not written into the catalog" : "the manifest was also changed"
            }
            var wanted = live[field].map { FieldEdit.Value.value($0) }
            if field == .images, let paths = product.images {
                wanted = .paths(paths)
                if listing.values.thumbnail != nil { refusal = refusal ?? "the thumbnail next to it is one of them" }
            }
            return FieldEdit(.value(field), wanted, refusal: refusal)
        }
        return ProductEdit(key: listing.key, .change(fields), reason: Session.source)
    }

    /// Why no amount and no currency can be written: a related value that was also changed in the manifest would stay.
    ///
    /// A price and a sale price are two amounts in one currency, and each may change without the other.
    private func refusalOfMoney(_ fields: [ProductField], of listing: Listing) -> String? {
        let pairs: [(ProductField, ProductField)] = [
            (.currency, .price), (.currency, .salePrice), (.price, .currency), (.salePrice, .currency),
        ]
        for (written, other) in pairs where fields.contains(written) && !fields.contains(other) {
            guard let ours = listing.values[other], let theirs = live[other], ours != theirs else { continue }
            return "the \(other.rawValue) next to it was also changed in the manifest"
        }
        return nil
    }
}
