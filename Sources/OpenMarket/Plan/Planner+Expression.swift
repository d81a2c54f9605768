/// What a market cannot be asked for is refused with its name, and never left out.
extension Planner {
    /// Whether a product can be made of a listing; reports what cannot be said of it.
    mutating func canBeMade(_ listing: Listing) -> Bool {
        // Nearly all creates of nearly all markets.
        guard
            !listing.values.fields.intersection(fieldsUnknownToCreate).isEmpty || capabilities.fixedCurrency != nil
                || capabilities.pricesNeedCurrency || capabilities.pictureStyle == .url || capabilities.takesOnePicture
                || capabilities.choosesIDs
        else { return true }
        return canBeAsked(for: .create(NewProduct(listing)), of: listing)
    }

    /// Whether a piece of work can be carried out in whole; reports what cannot be said.
    mutating func canBeAsked(for work: PlannedOperation.Work, of listing: Listing) -> Bool {
        // What there is no request for at all is refused as a whole.
        guard MarketCapabilities.writings(of: work.action).allSatisfy({ capabilities.obstacles(to: $0).isEmpty }) else {
            return true
        }
        let faults = capabilities.inexpressible(in: work, sendsKeys: input.sendsKeys)
        refuse(faults, of: listing)
        return faults.isEmpty
    }

    mutating func refuse(_ faults: [Inexpressible], of listing: Listing) {
        for fault in faults {
            plan.diagnostics.append(
                .inexpressible(fault, key: listing.key, on: input.marketName, at: listing.location(of: fault.field))
            )
        }
    }

    /// Takes out the operations that the market has no request for, and those whose creates nothing would settle.
    mutating func refuseWhatNoRequestDoes() {
        for action in PlannedOperation.Action.allCases {
            let reasons = MarketCapabilities.writings(of: action).flatMap { capabilities.obstacles(to: $0) }
            guard !reasons.isEmpty else { continue }
            let lost = plan.operations.filter { $0.action == action }
            guard let first = lost.first else { continue }
            plan.operations.removeAll { $0.action == action }
            plan.refusals.append(
                PlanRefusal(
                    "\(Self.list(lost)) would be \(action.participle), which cannot be done on \(input.marketName): "
                        + reasons.joined(separator: "; "),
                    override: nil,
                    source: first.source
                )
            )
        }
        guard !options.policies.allowsUnsettledCreates, !capabilities.settlesCreates(sendsKeys: input.sendsKeys) else {
            return
        }
        let made = plan.operations.filter(\.makesProduct)
        guard let first = made.first else { return }
        plan.refusals.append(
            PlanRefusal(
                "\(Self.list(made)) would be made, and nothing shows what becomes of a create on \(input.marketName) whose "
                    + "answer is lost: a product could be made twice",
                override: .unsettledCreates(
                    canSendKeys: !input.sendsKeys && capabilities.settlesCreates(sendsKeys: true)
                ),
                source: first.source
            )
        )
    }

    /// `'a', 'b' and 3 others`.
    private static func list(_ operations: [PlannedOperation]) -> String {
        let shown = operations.prefix(operations.count > 3 ? 2 : 3).map { "'\($0.key)'" }
        let others = operations.count - shown.count
        return others > 0 ? "\(shown.joined(separator: ", ")) and \(others) others" : shown.listed("and")
    }
}

extension Planner.Input {
    /// What the market is called in messages.
    var marketName: String { manifest.market.profile?.name ?? "this market" }
}

extension PlannedOperation.Action {
    /// What happens to a product, to be read after "would be".
    fileprivate var participle: String {
        switch self {
        case .adopt: "taken over"
        case .create: "made"
        case .update: "changed"
        case .replace: "replaced"
        case .delete: "deleted"
        case .forget: "forgotten"
        }
    }
}

extension Diagnostic {
    /// Something that the market cannot be asked for.
    package static func inexpressible(
        _ fault: Inexpressible,
        key: String,
        on market: String,
        at location: SourceLocation?
    ) -> Diagnostic {
        Diagnostic(
            .error,
            .unsupportedByMarket,
            fault.message(of: key, on: market),
            location: location,
            help: fault.help
        )
    }
}
