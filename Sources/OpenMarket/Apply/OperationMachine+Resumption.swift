/// Operations that other sessions of a run began, and products that they claim.
extension OperationMachine {
    /// A product that a create claims, until that is recorded.
    struct ClaimedProduct: Hashable, Sendable {
        /// The create, in case the product belongs to another key.
        var create: LostCreate
        var entry: StateEntry?
        var problems: [String]
    }

    /// Resumes an operation whose requests are no longer pending.
    mutating func resume(_ open: UnresolvedOperation, _ now: Context) -> Action {
        if let replacement = operation.replacement, replacement.deletesFirst, open.step == .delete, open.stepSucceeded {
            isOldDeleted = true
            return announce(Attempt(.create(replacement.product)), now)
        }
        guard let wanted = operation.newProduct, open.created != nil || open.isOpenCreate else {
            // A product with some of its pictures would get them twice.
            if case .update(let update) = operation.work, attachment(after: update) != nil {
                return close(.failed("\(Self.lostSession); the next plan shows the remaining work"))
            }
            // Everything else may be repeated.
            return begin(now)
        }
        guard let created = open.created else {
            let create = LostCreate(
                product: wanted,
                highWater: open.highWater,
                answered: open.answered,
                trouble: Self.lostSession
            )
            state = .suspended(create)
            return .settle(create)
        }
        return resume(wanted, madeAs: created, now)
    }

    /// Resumes after a create that the market confirmed.
    private mutating func resume(_ wanted: NewProduct, madeAs created: MarketID, _ now: Context) -> Action {
        guard let entry, entry.id == created else {
            // The state never assigned the key to a product that differed from the sent values.
            problems.append(Self.lostSession)
            made = .mismatch(created)
            return announce(Attempt(firstDeleteStep(of: created)), now)
        }
        made = .product(created)
        if let replacement = operation.succession {
            return announce(Attempt(firstDeleteStep(of: replacement.id)), now)
        }
        if capabilities.pictureStyle == .attach, !wanted.pictures.isEmpty {
            problems.append("\(Self.lostSession): not all pictures may be attached")
            return conclude([])
        }
        return choiceOfThumbnail(wanted, entry).map { announce(Attempt($0), now) } ?? conclude([])
    }

    private static var lostSession: String { "the session that began it is over" }

    mutating func taken(_ message: String) -> Action {
        guard let claim else { return close(.failed(message)) }
        (entry, problems) = (claim.entry, claim.problems)
        (made, isContradicted, draft) = (.nothing, false, nil)
        self.claim = nil
        var create = claim.create
        create.trouble = "the market answered for another product: \(message)"
        return suspend(create)
    }
}
