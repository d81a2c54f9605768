/// Operations that other sessions of a run began, and products that other sessions of it claim.
extension OperationMachine {
    /// What a create took a product for, until that is written down.
    struct ClaimedProduct: Hashable, Sendable {
        /// The create, should the product turn out to be another's.
        var create: LostCreate
        /// What the state knew before.
        var entry: StateEntry?
        /// What was wrong before.
        var problems: [String]
    }

    /// Goes on with an operation of which nothing is under way any more.
    mutating func resume(_ open: UnresolvedOperation, _ now: Context) -> Action {
        if let replacement = operation.replacement, replacement.deletesFirst, open.step == .delete, open.stepSucceeded {
            isOldDeleted = true
            return announce(Attempt(.create(replacement.product)), now)
        }
        guard let wanted = operation.newProduct, open.created != nil || open.isOpenCreate else {
            // What has some of its pictures would get them twice.
            if case .update(let update) = operation.work, attachment(after: update) != nil {
                return close(.failed, .failed("\(Self.lostSession); the next plan shows what is left to do"))
            }
            // All else may be done a second time.
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

    /// Goes on behind a create that the market confirmed.
    private mutating func resume(_ wanted: NewProduct, madeAs created: MarketID, _ now: Context) -> Action {
        guard let entry, entry.id == created else {
            // The state never came to mean a product that was not as it was sent.
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
        guard wanted.needsThumbnail(capabilities) else { return conclude([]) }
        guard let imageID = wanted.thumbnailToChoose(entry) else {
            problems.append("the thumbnail was not set: it is not known yet which of the product's pictures it is")
            return conclude([])
        }
        return announce(Attempt(.thumbnail(imageID: imageID, of: entry, wanted: wanted)), now)
    }

    private static var lostSession: String { "the session that began it is over" }

    /// The state knows the product as another key's.
    mutating func taken(_ message: String) -> Action {
        switch state {
        case .recording(.advance), .recording(.end):
            guard let claim else { return close(.failed, .failed(message)) }
            (entry, problems) = (claim.entry, claim.problems)
            (made, isContradicted, draft) = (.nothing, false, nil)
            self.claim = nil
            var create = claim.create
            create.trouble = "the market answered for another product: \(message)"
            return suspend(create)
        case .recording(.request), .recording(.lost), .ready, .sending, .waiting, .reading, .suspended, .ended:
            unexpected("a product is another key's")
        }
    }
}
