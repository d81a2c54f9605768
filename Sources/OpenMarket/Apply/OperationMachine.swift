/// What happens to one operation, as a value: events in, actions out.
///
/// Everything that decides whether a product is made twice, lost or forgotten is decided here; the ``Executor`` only
/// carries out the actions and reports back. The rule behind it all: a create is never sent again unless the market
/// provably did nothing, or was asked and does not have the product, or carries out what is repeated only once.
struct OperationMachine: Sendable {
    /// The operation's index in the run.
    let sequence: Int
    /// What is to be done, as it was planned.
    let operation: PlannedOperation

    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    /// What the state knows of the product; follows what is recorded.
    var entry: StateEntry?
    var state = State.ready
    var begunAt: Duration = .zero
    var recreations = 0
    var made = Made.nothing
    /// Whether the product that was made has to go because it shows that we are not who we are said to be.
    var isContradicted = false
    /// Whether the product is deleted whose place a new one takes.
    var isOldDeleted = false
    /// What is wrong although the operation goes on.
    var problems: [String] = []
    /// Pictures that were uploaded for this operation.
    var uploads: [UploadedPicture] = []
    /// What the state is to know of a new product once it has its pictures.
    var draft: StateEntry?
    /// How far another session came with it, which is over.
    var resumption: UnresolvedOperation?
    /// Whether the product was read since time passed last, or a request left.
    var isLookFresh = false
    /// What is doubtful again where the state refuses the product that a create made.
    var claim: ClaimedProduct?

    /// An operation at its beginning.
    ///
    /// - Parameters:
    ///   - sequence: Its index in the run.
    ///   - operation: What is to be done.
    ///   - entry: What the state knows under the operation's key.
    ///   - capabilities: What the market can do.
    ///   - configuration: How the run behaves.
    ///   - resumption: How far another session came with it, and nothing of that is under way any more.
    init(
        sequence: Int,
        operation: PlannedOperation,
        entry: StateEntry?,
        capabilities: MarketCapabilities,
        configuration: ExecutorConfiguration,
        resuming resumption: UnresolvedOperation? = nil
    ) {
        self.sequence = sequence
        self.operation = operation
        self.entry = entry
        self.capabilities = capabilities
        self.configuration = configuration
        self.resumption = resumption
    }

    /// How the operation ends with the fact that is being written; `nil` while something follows it.
    var ending: OperationResult? {
        if case .recording(.end(let result)) = state { result } else { nil }
    }

    // MARK: - Events

    mutating func start(_ now: Context) -> Action {
        switch state {
        case .ready:
            begunAt = now.elapsed
            return resumption.map { resume($0, now) } ?? begin(now)
        case .recording, .sending, .waiting, .reading, .suspended, .ended:
            unexpected("the operation begins")
        }
    }

    mutating func recorded(_ now: Context) -> Action {
        switch state {
        case .recording(.request(let attempt)):
            state = .sending(attempt)
            isLookFresh = false
            return .send(request(attempt))
        case .recording(.lost(let create)):
            state = .suspended(create)
            return .settle(create)
        case .recording(.advance(let step)):
            claim = nil
            return announce(Attempt(step), now)
        case .recording(.end(let result)):
            return finish(result)
        case .ready, .sending, .waiting, .reading, .suspended, .ended:
            unexpected("a fact was recorded")
        }
    }

    mutating func postponed(_ now: Context) -> Action {
        switch state {
        case .sending(let attempt):
            return announce(attempt, now)
        case .ready, .recording, .waiting, .reading, .suspended, .ended:
            unexpected("a request was postponed")
        }
    }

    mutating func heldBack(_ now: Context) -> Action {
        switch state {
        case .recording(.request(let attempt)):
            return giveUp(attempt, "the run stopped before the request left", now)
        case .reading(.isStill(let attempt, _)):
            return giveUp(attempt, "the run stopped before the product was read again", now)
        case .reading(.isCurrent), .reading(.isGone):
            return close(.skipped, .skipped("the run stopped before the product was read again"))
        case .recording(.lost), .recording(.advance), .recording(.end), .ready, .sending, .waiting, .reading,
            .suspended,
            .ended:
            unexpected("a request was held back")
        }
    }

    mutating func ended(with outcome: WriteOutcome, _ now: Context) -> Action {
        switch state {
        case .sending(let attempt):
            switch outcome {
            case .succeeded(let reply): return succeeded(attempt, reply, now)
            case .refused(let refusal): return refused(attempt, refusal, now)
            case .notSent(let trouble): return retry(renewed(attempt, after: trouble), trouble, now)
            case .uncertain(let trouble): return unheard(attempt, trouble, now)
            }
        case .ready, .recording, .waiting, .reading, .suspended, .ended:
            unexpected("a request ended")
        }
    }

    mutating func waited(_ now: Context) -> Action {
        isLookFresh = false
        switch state {
        case .waiting(.reread(let work)):
            return now.isStopping ? stopUncertain() : ask(.isCurrent(work, absenceAwaited: true), about: work.id)
        case .waiting(.confirm(let loss)):
            return now.isStopping ? stopUncertain() : ask(.isGone(loss), about: loss.id)
        case .waiting(.recount(let attempt, let attachment)):
            return now.isStopping
                ? giveUp(attempt, "the run stopped before the pictures were counted", now)
                : ask(.isAttached(attempt, of: attachment), about: attachment.id)
        case .waiting(.retry(let attempt)):
            return now.isStopping
                ? giveUp(attempt, "the run stopped before another attempt", now) : announce(attempt, now)
        case .ready, .recording, .sending, .reading, .suspended, .ended:
            unexpected("time passed")
        }
    }

    mutating func read(_ product: LiveProduct?, _ now: Context) -> Action {
        switch state {
        case .reading(.isCurrent(let work, let absenceAwaited)):
            return compare(work, with: product, absenceAwaited: absenceAwaited, now)
        case .reading(.isStill(let attempt, let work)):
            return lookedAgain(work, at: product, attempt, now)
        case .reading(.isAdoptable(let entry)):
            return adopt(entry, shownBy: product)
        case .reading(.isGone(let loss)):
            guard product.map({ belongsToAnotherKey($0, now) }) ?? true else {
                return refuseAsStale("product \(loss.id) is on the market after all")
            }
            return lose(loss, now)
        case .reading(.exists(let attempt)):
            return product == nil ? absent(attempt, now) : present(attempt, now)
        case .reading(.isUpdated(let update)):
            return product.map { updated($0, by: update, now) } ?? unanswered(update)
        case .reading(.isAttached(let attempt, let attachment)):
            return recounted(attachment, on: product, attempt, now)
        case .reading(.isComplete(let attachment)):
            return attached(attachment, shownBy: product)
        case .ready, .recording, .sending, .waiting, .suspended, .ended:
            unexpected("a product was read")
        }
    }

    mutating func notRead(_ message: String, _ now: Context) -> Action {
        switch state {
        case .reading(.isCurrent), .reading(.isAdoptable):
            return close(.failed, .failed("the product could not be re-read: \(message)"))
        case .reading(.isStill(let attempt, _)):
            return giveUp(attempt, "the product could not be re-read: \(message)", now)
        case .reading(.isGone):
            return close(.failed, .failed("whether the product is gone could not be read: \(message)"))
        case .reading(.exists(let attempt)):
            return giveUp(
                attempt,
                "the market answers 404, and whether the product exists cannot be read: \(message)",
                now
            )
        case .reading(.isUpdated(let update)):
            return unanswered(update)
        case .reading(.isAttached(let attempt, _)):
            return giveUp(attempt, "the pictures of the product could not be counted: \(message)", now)
        case .reading(.isComplete(let attachment)):
            return attached(attachment, shownBy: nil)
        case .ready, .recording, .sending, .waiting, .suspended, .ended:
            unexpected("a product could not be read")
        }
    }

    mutating func settled(_ verdict: SettlementVerdict, _ now: Context) -> Action {
        switch state {
        case .suspended(let create):
            switch verdict {
            case .happened(let product, let picturesAreCertain):
                claim = ClaimedProduct(create: create, entry: entry, problems: problems)
                if case .duplicate(isFirst: true)? = create.objection { return found(product, create.product, now) }
                return created(product, create.product, now, picturesAreCertain: picturesAreCertain, isFresh: false)
            case .neverHappened: return createAgain(create, now)
            case .unresolved(let message):
                // Nothing of ours can have happened: it was refused the first time.
                if case .duplicate(isFirst: true)? = create.objection {
                    return close(.failed, .failed("\(create.trouble): \(message)"))
                }
                return finish(result(.unknown, error: message))
            }
        case .ready, .recording, .sending, .waiting, .reading, .ended:
            unexpected("a create was settled")
        }
    }

    func unexpected(_ event: String) -> Never {
        preconditionFailure("\(event) in state \(state)")
    }

    // MARK: - Beginning

    mutating func begin(_ now: Context) -> Action {
        switch operation.work {
        case .adopt(let entry, _):
            if let holder = now.holder { return refuseAsStale("product \(entry.id) is '\(holder)' already") }
            guard configuration.staleCheck else { return adopted(entry) }
            return ask(.isAdoptable(entry), about: entry.id)
        // What the state knows is to be gone before it is made again or forgotten: a list may lag behind (v1 hides products
        // for a while after a write), and a saved plan may be applied twice.
        case .create(let product):
            guard let id = entry?.id else { return announce(Attempt(.create(product)), now) }
            return ask(.isGone(Loss(id: id, sequel: .create(product))), about: id)
        case .forget(let id, _):
            guard let known = entry?.id else { return close(.done, .succeeded(id)) }
            return ask(.isGone(Loss(id: known, sequel: .forget)), about: known)
        case .update(let update): return begin(.update(update), now)
        case .replace(let replacement): return begin(.replace(replacement), now)
        case .delete(let deletion): return begin(.delete(deletion), now)
        }
    }

    private mutating func begin(_ work: ExistingWork, _ now: Context) -> Action {
        configuration.staleCheck
            ? ask(.isCurrent(work, absenceAwaited: false), about: work.id) : carryOut(work, absenceAwaited: false, now)
    }

    private mutating func carryOut(_ work: ExistingWork, absenceAwaited: Bool, _ now: Context) -> Action {
        if case .update(let update) = work, let attachment = attachment(after: update) {
            guard update.keepsPictures else {
                return close(.failed, .failed("this market cannot take a picture away from a product again"))
            }
            // An earlier run was broken off behind the last one.
            if attachment.next == nil, update.isPicturesAlone {
                return ask(.isComplete(attachment), about: attachment.id)
            }
        }
        return announce(Attempt(firstStep(of: work), absenceAwaited: absenceAwaited), now)
    }

    mutating func ask(_ question: Question, about id: MarketID) -> Action {
        state = .reading(question)
        return .readProduct(id)
    }

    private func firstStep(of work: ExistingWork) -> Step {
        switch work {
        case .update(let update):
            if let attachment = attachment(after: update), let picture = attachment.next,
                update.isPicturesAlone
            {
                .attach(picture, to: attachment)
            } else {
                .update(update)
            }
        case .replace(let replacement):
            if replacement.deletesFirst {
                firstDeleteStep(of: replacement.id)
            } else {
                capabilities.provesItemPasswords ? .prove(replacement) : .create(replacement.product)
            }
        case .delete(let deletion): firstDeleteStep(of: deletion.id)
        }
    }

    func firstDeleteStep(of id: MarketID) -> Step {
        capabilities.deletesInTwoSteps ? .deleteKey(id) : .delete(id, key: nil)
    }

    private mutating func lose(_ loss: Loss, _ now: Context) -> Action {
        switch absence(awaited: loss.absenceAwaited, now) {
        case .doubtful(let wait):
            var loss = loss
            loss.absenceAwaited = true
            return pause(.confirm(loss), for: wait)
        case .unknowable: return stopUncertain()
        case .believed:
            switch loss.sequel {
            case .create(let product): return announce(Attempt(.create(product)), now)
            case .forget: return close(.done, .succeeded(operation.id), removal)
            }
        }
    }

    private mutating func compare(
        _ work: ExistingWork,
        with product: LiveProduct?,
        absenceAwaited: Bool,
        _ now: Context
    ) -> Action {
        guard let product else {
            switch absence(awaited: absenceAwaited, now) {
            case .doubtful(let wait): return pause(.reread(work), for: wait)
            case .unknowable: return stopUncertain()
            case .believed: break
            }
            // Another's doing, or this very plan's when it is carried out a second time.
            let message = "the product is gone from the market"
            guard case .delete = work else { return refuseAsStale(message) }
            return close(.stale, .skipped(message), removal)
        }
        guard !belongsToAnotherKey(product, now) else {
            let whose = now.holder.map { "is '\($0)' by now" } ?? "is another vendor's: ours is gone from the market"
            return refuseAsStale("product \(product.id) \(whose)")
        }
        let differences = StaleCheck.differences(work, entry: entry, shown: product)
        guard differences.isEmpty else {
            return refuseAsStale("the product moved since the plan: \(differences.joined(separator: "; "))")
        }
        isLookFresh = true
        var work = work
        work.refresh(from: product)
        if let mismatch = work.mismatch { return refuseAsStale(mismatch) }
        return carryOut(work, absenceAwaited: absenceAwaited, now)
    }

    /// Whether a product is provably not the one that the state knows by its number: ours is gone then, and a market that
    /// began again gave the number to another vendor, or to another product of this run.
    private func belongsToAnotherKey(_ product: LiveProduct, _ now: Context) -> Bool {
        now.holder != nil
            || Ownership(ofManaged: product.vendorID, recorded: entry?.vendorID, said: now.identity.said) == .foreign
    }

    /// A product that was read again right before its first request.
    private mutating func lookedAgain(
        _ work: ExistingWork,
        at product: LiveProduct?,
        _ attempt: Attempt,
        _ now: Context
    ) -> Action {
        isLookFresh = true
        guard let product else {
            // The request says it of a product that it is about; a create says nothing of the one that it follows.
            guard case .replace = work, capabilities.readAfterWriteDelay == .zero else { return announce(attempt, now) }
            return refuseAsStale("the product is gone from the market")
        }
        guard !belongsToAnotherKey(product, now) else {
            return refuseAsStale("product \(product.id) is another's by now: ours is gone from the market")
        }
        let differences = StaleCheck.differences(work, entry: entry, shown: product)
        guard differences.isEmpty else {
            return refuseAsStale("the product moved since the plan: \(differences.joined(separator: "; "))")
        }
        return announce(attempt, now)
    }

    /// What an attempt is to change, where nothing of it can have happened and the product was read some time ago.
    func workToLookAt(before attempt: Attempt) -> ExistingWork? {
        guard configuration.staleCheck, !isLookFresh, made == .nothing, !isOldDeleted else { return nil }
        switch (operation.work, attempt.step) {
        case (.update, .update(let update)): return .update(update)
        case (.delete(let deletion), .deleteKey), (.delete(let deletion), .delete(_, key: nil)):
            return .delete(deletion)
        case (.replace(let replacement), .create) where !replacement.deletesFirst: return .replace(replacement)
        case (.replace(let replacement), .deleteKey), (.replace(let replacement), .delete(_, key: nil)):
            return replacement.deletesFirst ? .replace(replacement) : nil
        default: return nil
        }
    }

    /// Takes a product over, as it was planned.
    ///
    /// Whose product it is was believed, not proved, so our own vendor number is not learned from it.
    private mutating func adopted(_ entry: StateEntry) -> Action {
        close(.done, .succeeded(entry.id), [.put(entry)])
    }

    /// Takes a product over, if it is there as it was when that was planned.
    private mutating func adopt(_ entry: StateEntry, shownBy product: LiveProduct?) -> Action {
        guard let product else { return refuseAsStale("the product is gone from the market") }
        guard Ownership(showing: product.vendorID, ours: entry.vendorID) != .foreign else {
            return refuseAsStale("product \(product.id) is another vendor's by now")
        }
        let fields = Set(ProductField.allCases).subtracting([.images, .thumbnail])
        let differences = WriteComparison.differences(sent: entry.applied, fields: fields, shown: product)
        guard differences.isEmpty else {
            let moves = differences.map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
            return refuseAsStale("the product moved since the plan: \(moves.joined(separator: "; "))")
        }
        return adopted(entry)
    }

    mutating func refuseAsStale(_ message: String) -> Action {
        close(.stale, .skipped(message))
    }

    /// The run stops while a product does not show, and nothing was sent yet.
    private mutating func stopUncertain() -> Action {
        close(.skipped, .skipped("the run stopped before it was certain that the product is gone"))
    }

    // MARK: - Ending

    mutating func close(
        _ status: OperationResult.Status,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = [],
        error: String? = nil
    ) -> Action {
        state = .recording(.end(result(status, error: error ?? fact.message)))
        return .record(fact, mutations)
    }

    mutating func finish(_ result: OperationResult) -> Action {
        state = .ended
        return .finish(result)
    }

    func result(_ status: OperationResult.Status, error: String?) -> OperationResult {
        OperationResult(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            status: status,
            id: made.id ?? operation.id,
            error: error,
            source: operation.source
        )
    }
}
