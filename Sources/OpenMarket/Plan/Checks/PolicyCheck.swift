/// The policy checks that stop a plan which would do more harm than intended.
struct PolicyCheck {
    private let plan: Plan
    private let input: Planner.Input
    private let options: PlannerOptions
    private let gone: Int
    private let goneFiles: [String: Int]

    /// Without the deletes that an earlier run owes: those were approved, and their successors exist.
    init(context: PlanCheck.Context) {
        (plan, input, options, gone) = (context.plan, context.input, context.options, context.goneKeys.count)
        goneFiles = context.goneFiles
    }

    /// Below this number of managed products, no share of them is refused.
    private static let smallShop = 10

    /// The default limit for the share of managed products deleted or gone: 30 %, in hundredths of a percent.
    private static let standingShare: Int64 = 3000

    func refusals() -> [PlanRefusal] {
        var refusals: [PlanRefusal] = []
        if let refusal = emptyManifest() {
            // The share of deletes would only repeat this refusal.
            refusals.append(refusal)
        } else if let refusal = tooManyDeletes() {
            refusals.append(refusal)
        }
        if let refusal = tooManyGone() { refusals.append(refusal) }
        for operation in plan.operations {
            if !options.policies.allowsZeroPrice, operation.makesFree {
                refusals.append(operation.refusal("buyers would pay 0 for '\(operation.key)'", .zeroPrice))
            }
            // Fast path: most operations of large plans are creates, and a minimum price is rare.
            if operation.action == .create, options.policies.minimumPrice == nil { continue }
            let (before, after): (ProductValues, ProductValues)
            switch operation.work {
            case .create(let product): (before, after) = (ProductValues(), product.values)
            case .update(let update): (before, after) = (update.live, update.outcome)
            case .replace(let replacement): (before, after) = (replacement.live, replacement.product.values)
            case .adopt, .delete, .forget, .rename: continue
            }
            if operation.action != .create { refusals += valueMoves(operation, from: before, to: after) }
            if let low = lowPrice(operation, from: before, to: after) { refusals.append(low) }
        }
        return Self.grouped(refusals)
    }

    /// Combines refusals that one override allows into the largest, whose limit suffices for all.
    private static func grouped(_ refusals: [PlanRefusal]) -> [PlanRefusal] {
        var groups = Dictionary(grouping: refusals) { $0.override?.group?.what }
        return refusals.compactMap { refusal in
            guard let override = refusal.override, let group = override.group else { return refusal }
            guard let all = groups.removeValue(forKey: group.what) else { return nil }
            guard all.count > 1 else { return refusal }
            var largest = all.reduce(refusal) { $1.exceeds($0) ? $1 : $0 }
            largest.message = "\(all.count) \(group.what); the \(group.shown): \(largest.message)"
            return largest
        }
    }

    private func emptyManifest() -> PlanRefusal? {
        guard !options.allowsEmptyManifest, input.manifest.listings.isEmpty, !input.state.entries.isEmpty,
            plan.operations.contains(where: { $0.action == .delete })
        else { return nil }
        let managed = input.state.entries.count
        let going = plan.operations.count { $0.action == .delete }
        return PlanRefusal(
            "the manifest has no products, but \(managed) \(managed == 1 ? "is" : "are") managed: "
                + (going == 1 && managed == 1
                    ? "it would be deleted"
                    : going == managed ? "all would be deleted" : "\(going) of them would be deleted"),
            override: .emptyManifest
        )
    }

    private func tooManyDeletes() -> PlanRefusal? {
        let going = plan.operations.count { $0.action == .delete || $0.action == .replace }
        guard going > 0 else { return nil }
        // This plan begins to manage products that it adopts, and those of pinned tombstones.
        var ids = Set(input.state.entries.ids)
        for operation in plan.operations where operation.action == .adopt || operation.action == .delete {
            if let id = operation.id { ids.insert(id) }
        }
        let managed = ids.count
        if options.policies.maximumDelete == nil, isOtherManifest {
            let leaving = plan.operations.count { $0.action == .delete || $0.action == .forget }
            return PlanRefusal(
                "none of the \(input.state.entries.count) managed products is in the manifest, and "
                    + "\(leaving >= input.state.entries.count ? "all" : "\(leaving)") would leave: the state may be another "
                    + "manifest's",
                override: .deletes(going)
            )
        }
        if !options.allowsGoneFiles, let (file, count) = goneFiles.min(by: { $0.key < $1.key }) {
            let others = goneFiles.count - 1
            let all = goneFiles.values.reduce(0, +)
            return PlanRefusal(
                (others == 0 ? "\(file) is" : "\(file) and \(counted(others, "other file")) are") + " gone, and the "
                    + (others == 0 ? "\(counted(count, "product")) that it" : "\(all) products that they")
                    + " listed would be deleted",
                override: .deletes(going)
            )
        }
        guard let allowed = exceeded(options.policies.maximumDelete, by: going, of: managed) else { return nil }
        return PlanRefusal(
            "\(going) of \(managed) managed products would be deleted or replaced, more than \(allowed)",
            override: .deletes(going)
        )
    }

    /// Whether the manifest has products, but other ones than the state: files of the same names, in another checkout,
    /// share it.
    ///
    /// A listing marked as absent is not enough for this state's manifest.
    private var isOtherManifest: Bool {
        guard input.state.entries.count > 1, !input.manifest.listings.isEmpty,
            plan.operations.contains(where: { $0.action == .delete && $0.source == nil })
        else { return false }
        return !input.manifest.listings.contains { listing in
            !listing.isAbsent
                && ([listing.key] + listing.previously).contains { input.state.entries[$0] != nil }
        }
    }

    private func tooManyGone() -> PlanRefusal? {
        let managed = input.state.entries.count
        guard let allowed = exceeded(options.maximumGone, by: gone, of: managed) else { return nil }
        return PlanRefusal(
            "\(gone) of \(managed) managed products are gone from the market or replaced by others there, more than "
                + "\(allowed): it may be another market, or one that was reset",
            override: .gone(gone)
        )
    }

    /// The bound as a phrase for messages, if the part of the managed products exceeds it.
    private func exceeded(_ bound: Policies.Bound?, by part: Int, of managed: Int) -> String? {
        guard part > 0 else { return nil }
        let share = Int128(part) * 10_000
        switch bound {
        case .count(let most):
            return part > most ? "\(most)" : nil
        case .basisPoints(let most):
            return share > Int128(most) * Int128(managed) ? PlanOverride.percent(most) : nil
        case nil:
            let isAlarming = managed > Self.smallShop && share > Int128(Self.standingShare) * Int128(managed)
            return isAlarming ? PlanOverride.percent(Self.standingShare) : nil
        }
    }

    private func valueMoves(
        _ operation: PlannedOperation,
        from before: ProductValues,
        to after: ProductValues
    ) -> [PlanRefusal] {
        let (key, policies) = (operation.key, options.policies)
        return priceMoves(operation, from: before, to: after)
            + operation.changes.compactMap { change in
                switch (change.field, change.live, change.manifest) {
                case (.currency, .text(let old)?, .text(let new)?) where !policies.allowsCurrencyChange:
                    operation.refusal("the currency of '\(key)' changes from \(old) to \(new)", .currencyChange)
                case (.stock, .integer(let old)?, .integer(0)?) where old > 0 && !policies.allowsStockToZero:
                    operation.refusal("the stock of '\(key)' goes from \(old) to 0", .stockToZero)
                default: nil
                }
            }
    }

    /// Checks the price and what buyers pay, because a sale changes only one of them.
    private func priceMoves(
        _ operation: PlannedOperation,
        from before: ProductValues,
        to after: ProductValues
    ) -> [PlanRefusal] {
        guard let most = options.policies.maximumPriceChange,
            operation.changes.contains(where: { [.price, .salePrice, .currency].contains($0.field) })
        else { return [] }
        let key = operation.key
        if let old = before.currency, let new = after.currency, old != new {
            // Amounts in two currencies are not comparable.
            let amounts = [(before.payable, old), (after.payable, new)].map { "\($0.0.map { "\($0) " } ?? "")\($0.1)" }
            let move = "changes from \(amounts[0]) to \(amounts[1]), another currency"
            return [operation.refusal("the buyers' price of '\(key)' \(move)", .priceChange(nil))]
        }
        func check(_ what: String, from old: ExactDecimal?, to new: ExactDecimal?) -> [PlanRefusal] {
            guard let old, let new, old != new else { return [] }
            let points = new.changeInBasisPoints(from: old)?.magnitude
            guard points.map({ $0 > max(most, 0) }) ?? true else { return [] }
            let move = "moves from \(old) to \(new), more than \(PlanOverride.percent(most))"
            return [operation.refusal("\(what) of '\(key)' \(move)", .priceChange(points.map(Self.roundedUp)))]
        }
        let isForBuyers = before.payable != before.price || after.payable != after.price
        return check("the price", from: before.price, to: after.price)
            + (isForBuyers ? check("the buyers' price", from: before.payable, to: after.payable) : [])
    }

    /// Checks the price, or the sale price that buyers pay, against the minimum price.
    ///
    /// A price that was already that low is not refused again with other changes.
    private func lowPrice(
        _ operation: PlannedOperation,
        from before: ProductValues,
        to after: ProductValues
    ) -> PlanRefusal? {
        guard let least = options.policies.minimumPrice, let paid = after.payable ?? after.price, paid < least,
            paid != before.payable ?? before.price
        else { return nil }
        let what = after.price.map { $0 != paid } ?? false ? "the buyers' price" : "the price"
        let message = "\(what) of '\(operation.key)' would be \(paid), less than \(least)"
        return operation.refusal(message, .minimumPrice(paid))
    }

    /// Rounds up to a whole percent, so that the override in a message suffices.
    private static func roundedUp(_ basisPoints: UInt64) -> Int64 {
        let points = Int64(clamping: basisPoints)
        guard points < Int64.max - 100 else { return points }
        return (points + 99) / 100 * 100
    }
}

extension PlannedOperation {
    fileprivate func refusal(_ message: String, _ override: PlanOverride) -> PlanRefusal {
        PlanRefusal(message, override: override, source: source)
    }
}

extension PlanOverride {
    /// The common cause of refusals with this override, and which of them is shown; `nil` if each has its own.
    fileprivate var group: (what: String, shown: String)? {
        switch self {
        case .priceChange: ("prices move too far", "largest")
        case .minimumPrice: ("prices would be too low", "lowest")
        case .zeroPrice: ("prices would be 0", "first")
        case .currencyChange: ("currencies change", "first")
        case .stockToZero: ("stocks go to 0", "first")
        default: nil
        }
    }
}

extension PlanRefusal {
    /// Whether another refusal's override does not suffice for this one.
    fileprivate func exceeds(_ other: PlanRefusal) -> Bool {
        switch (override, other.override) {
        case (.priceChange(let bound)?, .priceChange(let most)?): bound ?? .max > most ?? .max
        case (.minimumPrice(let price)?, .minimumPrice(let least)?): price < least
        default: false
        }
    }

    static func protected(key: String, action: String, source: SourceLocation?) -> PlanRefusal {
        PlanRefusal(
            "'\(key)' is protected and would be \(action)",
            override: .unprotect(isListed: source != nil),
            source: source
        )
    }

    static func drift(_ listing: Listing, fields: [ProductField]) -> PlanRefusal {
        PlanRefusal(
            "'\(listing.key)' was changed on the market: \(fields.map(\.rawValue).joined(separator: ", "))",
            override: .drift,
            source: listing.location()
        )
    }

    static func oldStock(_ listing: Listing) -> PlanRefusal {
        PlanRefusal(
            "the stock of '\(listing.key)' changed on the market, and without the copy of its export the table may have an "
                + "older one: export it again, or choose with --prefer",
            override: nil,
            source: listing.location(of: .stock)
        )
    }
}
