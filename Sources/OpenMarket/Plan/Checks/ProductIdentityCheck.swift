/// Products that are not those that the state, a table or the manifest means.
extension PlanCheck {
    /// The fewest rows that distinguish another market's table from manual edits.
    private static let leastStrangers = 3

    /// Refuses a plan whose products show the values last applied to others: ids in the state were exchanged.
    ///
    /// Each product would get another's values. One product with another's name and pictures suffices, or two with
    /// others' names. A product that shows its own pictures was renamed on the market.
    static func exchangedIDs(_ context: Context) -> [PlanRefusal] {
        let (input, entries, operations) = (context.input, context.entries, context.plan.operations)
        var strangers: [(operation: Int, live: LiveProduct, entry: StateEntry)] = []
        for (index, operation) in operations.enumerated() {
            guard let id = operation.id, let entry = entries[operation.key], entry.id == id,
                let live = input.live.products[id], let name = entry.applied.name,
                live.name.map({ $0 != name }) ?? false,
                !live.keepsPictures(of: entry)
            else { continue }
            strangers.append((index, live, entry))
        }
        guard !strangers.isEmpty else { return [] }
        let names = Set(strangers.compactMap(\.live.name))
        let owners = Dictionary(grouping: entries.values.filter { $0.applied.name.map(names.contains) ?? false }) {
            $0.applied.name ?? ""
        }
        var exchanged: [(operation: Int, owner: StateEntry, isCertain: Bool)] = []
        for (operation, live, entry) in strangers {
            let missing = (owners[live.name ?? ""] ?? []).filter { owner in
                owner.key != entry.key && input.product(of: owner)?.name != owner.applied.name
            }
            guard let owner = missing.first(where: live.showsPictures) ?? missing.min(by: { $0.key < $1.key }) else {
                continue
            }
            exchanged.append((operation, owner, live.showsPictures(of: owner)))
        }
        guard exchanged.count > 1 || exchanged.contains(where: \.isCertain), let first = exchanged.first else {
            return []
        }
        let operation = operations[first.operation]
        return [
            PlanRefusal(
                "\(counted(exchanged.count, "product")) \(exchanged.count == 1 ? "shows" : "show") values last "
                    + "applied to another one, '\(operation.key)' those of '\(first.owner.key)': probably ids of the state "
                    + "were exchanged",
                override: .exchangedIDs,
                source: operation.source
            )
        ]
    }

    /// Refuses to delete products that show neither the name, nor the price, nor a picture last applied.
    static func strangersToDelete(_ context: Context) -> [PlanRefusal] {
        context.plan.operations.filter { $0.action == .delete }.compactMap { operation in
            guard let entry = context.entries[operation.key], let live = context.input.live.products[entry.id],
                operation.id == live.id, live.isStranger(to: entry)
            else { return nil }
            return PlanRefusal(
                "product \(live.id) would be deleted as '\(entry.key)', and has another name"
                    + (live.name.map { ", '\($0)'" } ?? "") + ", another price and other pictures",
                override: .exchangedIDs,
                source: operation.source
            )
        }
    }

    /// Refuses to adopt products by `id` with neither the name nor the pictures of their listings.
    ///
    /// If pictures cannot be compared, description or price counts instead.
    static func strangersToAdopt(_ context: Context) -> [PlanRefusal] {
        let adopted = Set(context.plan.operations.lazy.filter { $0.action == .adopt }.map(\.key))
        guard !context.options.adopts, !adopted.isEmpty else { return [] }
        let changed = Dictionary(context.plan.changing.map { ($0.key, $0) }) { first, _ in first }
        let listings = context.input.manifest.listings
        return listings.indices.filter { listings.pinnedID(at: $0) != nil }.compactMap { index in
            let listing = listings[index]
            guard adopted.contains(listing.key), let operation = changed[listing.key], let id = operation.id,
                let live = context.input.live.products[id]
            else { return nil }
            let fields = Set(operation.changes.map(\.field))
            guard fields.contains(.name) else { return nil }
            let other: String
            if context.capabilities.keepsPictureBytes, listing.values.images != nil {
                guard fields.contains(.images) else { return nil }
                other = "other pictures"
            } else {
                guard let field = [.description, .price].first(where: fields.contains) else { return nil }
                other = field == .price ? "another price" : "another description"
            }
            return PlanRefusal(
                "'\(listing.key)' would take over product \(live.id), which has another name and \(other)"
                    + (live.name.map { ": '\($0)'" } ?? ""),
                override: .otherProduct,
                source: listing.location()
            )
        }
    }

    /// Refuses a plan whose rows, matched by their ids, belong to another market.
    ///
    /// Either the certificate next to the table shows it, or the rows describe other products. Ids are small numbers,
    /// so one shop's rows match products of every other shop.
    ///
    /// A row is another product's if neither name, description nor price agrees, and the names not even in part. An
    /// edit of many names keeps a part of them, or the prices. The refusal needs three such rows, and more than half of
    /// those with a name: fewer are manual edits.
    static func idsOfOtherMarkets(_ context: Context) -> [PlanRefusal] {
        let (input, plan) = (context.input, context.plan)
        let written = plan.operations.filter { $0.source?.table != nil && $0.id != nil }
        guard !written.isEmpty else { return [] }
        let listings = input.manifest.listings
        var rows: [String: Int] = [:]
        for index in listings.indices {
            guard listings.row(at: index) != nil, let id = listings.pinnedID(at: index), input.live.products[id] != nil
            else { continue }
            rows[listings.key(at: index)] = index
        }
        for export in input.manifest.exports where !input.manifest.market.isMarket(of: export) {
            guard
                let first = written.first(where: {
                    rows[$0.key] != nil && $0.source?.file.isExactly(export.file) == true
                }),
                let id = first.id
            else { continue }
            return [
                PlanRefusal(
                    "\(export.file) is an export of \(export.market.url) (\(export.market.name)), according to its certificate, "
                        + "and its ids would change products of this market, such as product \(id)",
                    override: .otherMarketsIDs,
                    source: first.source
                )
            ]
        }
        let strange = written.filter { operation in
            rows[operation.key].map { operation.isStrange(to: listings[$0].values) } ?? false
        }
        guard strange.count >= leastStrangers,
            strange.count * 2 > rows.values.count(where: { listings.name(at: $0) != nil }),
            let first = strange.first, let id = first.id
        else { return [] }
        return [
            PlanRefusal(
                "\(strange.count) of \(counted(rows.count, "row")) are found by their ids and describe other products, "
                    + "'\(first.key)' product \(id): the ids are probably another market's",
                override: .otherMarketsIDs,
                source: first.source
            )
        ]
    }
}

extension MarketSettings {
    /// Whether an export is of this run's market; another variant of its API shows the same products.
    fileprivate func isMarket(of export: ExportedTable) -> Bool {
        guard url?.isExactly(export.market.url) ?? true else { return false }
        guard let profile = profile else { return true }
        if let other = export.profile, profile.isBuiltIn {
            return profile.capabilities.hasItemPasswords == other.capabilities.hasItemPasswords
        }
        return profile.name.isExactly(export.market.name)
            && MarketParameters.areSame(profile.parameters, export.market.parameters)
    }
}

extension LiveProduct {
    /// Whether it shows neither the name, nor the price, nor a picture last applied under its id.
    fileprivate func isStranger(to entry: StateEntry) -> Bool {
        guard let name = entry.applied.name, let price = entry.applied.price, let shown = self.name,
            let amount = self.price, entry.thumbnailURL != nil || entry.images != nil
        else { return false }
        return shown != name && amount != price && !keepsPictures(of: entry)
    }

    fileprivate func showsPictures(of entry: StateEntry) -> Bool {
        if let images, let known = entry.images {
            return images.contains { image in known.contains { $0.reference.isExactly(image.reference) } }
        }
        return thumbnailURL != nil && thumbnailURL.isExactly(entry.thumbnailURL)
    }

    /// Whether it shows the pictures that the state has for its own product.
    ///
    /// A reset market reuses ids with other URLs. The part after a `?` may differ each time.
    fileprivate func keepsPictures(of entry: StateEntry) -> Bool {
        guard showsPictures(of: entry) else { return false }
        guard let known = entry.thumbnailURL, let thumbnailURL else { return true }
        return known.utf8.prefix { $0 != 0x3F }.elementsEqual(thumbnailURL.utf8.prefix { $0 != 0x3F })
    }
}

extension PlannedOperation {
    /// Whether the product agrees with neither name, description nor price of a row.
    ///
    /// For a row that deletes its product, only the name counts.
    fileprivate func isStrange(to row: ProductValues) -> Bool {
        if case .delete(let deletion) = work {
            guard let said = row.name, let shown = deletion.live.name else { return false }
            return !shown.resembles(said)
        }
        for field in [ProductField.description, .price] where row[field] != nil {
            guard changes.contains(where: { $0.field == field }) else { return false }
        }
        guard let change = changes.first(where: { $0.field == .name }), case .text(let new)? = change.manifest,
            case .text(let old)? = change.live ?? change.base
        else { return false }
        return !old.resembles(new)
    }
}

extension String {
    /// Whether one text is part of the other, or a common prefix and suffix cover half of the shorter one.
    ///
    /// Digits and punctuation are ignored, because they number products of all kinds.
    fileprivate func resembles(_ other: String) -> Bool {
        let (left, right) = (lowercased().filter(\.isLetter), other.lowercased().filter(\.isLetter))
        let (shorter, longer) = left.count < right.count ? (left, right) : (right, left)
        guard !shorter.isEmpty, !longer.contains(shorter) else { return true }
        let prefix = zip(shorter, longer).prefix { $0 == $1 }.count
        let suffix = zip(shorter.reversed(), longer.reversed()).prefix { $0 == $1 }.count
        return (prefix + suffix) * 2 >= shorter.count
    }
}
