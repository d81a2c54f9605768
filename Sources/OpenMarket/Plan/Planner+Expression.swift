/// Refuses by name each change that a market does not support, and never leaves one out.
extension Planner {
    /// Whether a listing can be created; reports the unsupported parts.
    mutating func canBeMade(_ listing: Listing) -> Bool {
        // Fast path: nearly all creates of nearly all markets.
        guard
            !listing.values.fields.intersection(fieldsUnknownToCreate).isEmpty || capabilities.fixedCurrency != nil
                || capabilities.pricesNeedCurrency || capabilities.pictureStyle == .url || capabilities.takesOnePicture
                || capabilities.choosesIDs
        else { return true }
        return canBeAsked(for: .create(NewProduct(listing)), of: listing)
    }

    /// Whether an operation can be carried out completely; reports the unsupported parts.
    mutating func canBeAsked(for work: PlannedOperation.Work, of listing: Listing) -> Bool {
        // Actions without any request are refused as a whole.
        guard capabilities.obstacles(taking: work.action).isEmpty else { return true }
        let faults = capabilities.unsupportedChange(in: work, sendsKeys: input.sendsKeys)
        refuse(faults, of: listing)
        return faults.isEmpty
    }

    /// Reports a product that the market's description excludes from writing; no other product is affected.
    mutating func leave(_ live: LiveProduct, as key: String, at source: SourceLocation?) {
        report(
            .warning,
            .unsupportedByMarket,
            "'\(key)' (product \(live.id)) is left alone: it is \(LiveProduct.otherKind(on: input.marketName))",
            at: source
        )
    }

    mutating func refuse(_ faults: [UnsupportedChange], of listing: Listing) {
        for fault in faults {
            let message = fault.message(of: listing.key, on: input.marketName)
            report(.error, .unsupportedByMarket, message, at: listing.location(of: fault.field), help: fault.help)
        }
    }

    /// Removes operations that the market does not support, and creates whose outcome would stay unknown.
    mutating func refuseWhatNoRequestDoes() {
        for action in PlannedOperation.Action.allCases {
            let reasons = capabilities.obstacles(taking: action)
            guard !reasons.isEmpty else { continue }
            let lost = plan.operations.filter { $0.action == action }
            guard let first = lost.first else { continue }
            plan.operations.removeAll { $0.action == action }
            plan.refusals.append(
                PlanRefusal(
                    MarketCapabilities.obstacleMessage(Self.list(lost), action, on: input.marketName, reasons),
                    override: nil,
                    source: first.source
                )
            )
        }
        guard let override = capabilities.unsettledCreates(sendsKeys: input.sendsKeys, options.policies) else { return }
        let made = plan.operations.filter(\.makesProduct)
        guard let first = made.first else { return }
        plan.refusals.append(
            PlanRefusal(
                "\(Self.list(made)) would be created, and a create whose reply is lost cannot be settled on "
                    + "\(input.marketName): a product could be created twice",
                override: override,
                source: first.source
            )
        )
    }

    private static func list(_ operations: [PlannedOperation]) -> String {
        PlannedOperation.list(operations.prefix(3).map(\.key), of: operations.count)
    }
}

extension Planner.Input {
    var marketName: String { manifest.market.profile?.name ?? "this market" }
}
