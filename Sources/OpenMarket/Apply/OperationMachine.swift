/// The state machine of one operation: events in, actions out.
///
/// All decisions that could duplicate, lose or forget a product are here. The ``Executor`` only performs the actions
/// and reports outcomes. A create is repeated only if one of these holds:
///
/// - The request provably had no effect.
/// - The market answered that it does not have the product.
/// - The market applies a repeated request only once.
struct OperationMachine: Sendable {
    /// The operation's index in the run.
    let sequence: Int
    let operation: PlannedOperation
    /// The state's entry for the operation's key, with all recorded changes.
    var entry: StateEntry?
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    /// The progress of an ended session, without pending requests.
    var resumption: UnresolvedOperation?
    var state = State.ready
    var recreations = 0
    var made = Made.nothing
    /// Whether the new product must be deleted because it contradicts the stated vendor identity.
    var isContradicted = false
    var isOldDeleted = false
    /// Problems that do not stop the operation.
    var problems: [String] = []
    var uploads: [UploadedPicture] = []
    /// The state's entry for a new product after it has its pictures.
    var draft: StateEntry?
    /// Whether the product was read since the last wait or request.
    var isLookFresh = false
    /// The product as read before the first request.
    var seen: LiveProduct?
    /// The values that the market removed although no request named them, for messages; no further request may do the
    /// same.
    var loss: String?
    /// The data to restore if the state refuses the product of a create.
    var claim: ClaimedProduct?

    /// The result if the fact being recorded ends the operation; `nil` if something follows it.
    var ending: OperationResult? {
        if case .recording(.end(let result)) = state { result } else { nil }
    }

    // MARK: - Events

    mutating func handle(_ event: Event, _ now: Context) -> Action {
        switch (state, event) {
        case (.ready, .start): return resumption.map { resume($0, now) } ?? begin(now)
        case (.recording(let fact), .recorded): return recorded(fact, now)
        case (.recording(.advance), .taken(let message)), (.recording(.end), .taken(let message)): return taken(message)
        case (.recording(.request(let attempt)), .heldBack):
            return giveUp(attempt, "the run stopped before the request left", now)
        case (.sending(let attempt), .postponed): return announce(attempt, now)
        case (.sending(let attempt), .outcome(.succeeded(let reply))): return succeeded(attempt, reply, now)
        case (.sending(let attempt), .outcome(.refused(let refusal))): return refused(attempt, refusal, now)
        case (.sending(let attempt), .outcome(.notSent(let trouble))):
            return retry(renewed(attempt, after: trouble), trouble, now)
        case (.sending(let attempt), .outcome(.uncertain(let trouble))): return unheard(attempt, trouble, now)
        case (.waiting(let pause), .waited): return waited(pause, now)
        case (.reading(.isStill(let attempt, _)), .heldBack):
            return giveUp(attempt, "the run stopped before the product was read again", now)
        case (.reading, .heldBack): return close(.skipped("the run stopped before the product was read again"))
        case (.reading(let question), .product(let product)): return read(product, question, now)
        case (.reading(let question), .unreadable(let message)): return notRead(message, question, now)
        case (.suspended(let create), .settled(let verdict)): return settled(create, verdict, now)
        default: preconditionFailure("\(event) in state \(state)")
        }
    }

    private mutating func recorded(_ fact: Fact, _ now: Context) -> Action {
        switch fact {
        case .request(let attempt):
            state = .sending(attempt)
            isLookFresh = false
            return .send(request(attempt))
        case .lost(let create):
            state = .suspended(create)
            return .settle(create)
        case .advance(let step):
            claim = nil
            return announce(Attempt(step), now)
        case .end(let result):
            return finish(result)
        }
    }

    private mutating func waited(_ pause: Pause, _ now: Context) -> Action {
        isLookFresh = false
        switch pause {
        case .ask(let question, let id) where !now.isStopping: return ask(question, about: id)
        case .ask(.isAttached(let attempt, _), _), .ask(.hasPictures(let attempt, _), _):
            return giveUp(attempt, "the run stopped before the pictures were checked", now)
        case .ask: return stopUncertain()
        case .retry(let attempt):
            return now.isStopping
                ? giveUp(attempt, "the run stopped before another attempt", now) : announce(attempt, now)
        }
    }

    private mutating func read(_ product: LiveProduct?, _ question: Question, _ now: Context) -> Action {
        switch question {
        case .isCurrent(let work, let absenceAwaited):
            return compare(work, with: product, absenceAwaited: absenceAwaited, now)
        case .isStill(let attempt, let work):
            return lookedAgain(work, at: product, attempt, now)
        case .isAdoptable(let entry):
            return adopt(entry, shownBy: product)
        case .isGone(let loss):
            guard product.map({ belongsToAnotherKey($0, now) }) ?? true else {
                return refuseAsStale("product \(loss.id) is on the market after all")
            }
            return lose(loss, now)
        case .exists(let attempt):
            return product == nil ? absent(attempt, now) : present(attempt, now)
        case .isUpdated(let update):
            return product.map { updated($0, by: update, now) } ?? unanswered(update)
        case .isAttached(let attempt, let attachment):
            return recounted(attachment, on: product, attempt, now)
        case .hasPictures(var attempt, let update):
            switch product.flatMap({ update.isCarriedOut(on: $0, capabilities) }) {
            case true?: return product.map { updated($0, by: update, now) } ?? unanswered(update)
            case false?:
                attempt.mayHaveHappened = false
                return announce(attempt, now)
            case nil: return giveUp(attempt, "the product does not show the state of its pictures", now)
            }
        case .isComplete(let attachment):
            return attached(attachment, shownBy: product)
        }
    }

    private mutating func notRead(_ message: String, _ question: Question, _ now: Context) -> Action {
        switch question {
        case .isCurrent, .isAdoptable:
            return close(.failed("the product could not be re-read: \(message)"))
        case .isStill(let attempt, _):
            return giveUp(attempt, "the product could not be re-read: \(message)", now)
        case .isGone:
            return close(.failed("the product's absence could not be checked: \(message)"))
        case .exists(let attempt):
            return giveUp(
                attempt,
                "the market answers 404, and the product's existence cannot be checked: \(message)",
                now
            )
        case .isUpdated(let update):
            return unanswered(update)
        case .isAttached(let attempt, _), .hasPictures(let attempt, _):
            return giveUp(attempt, "the pictures of the product could not be read: \(message)", now)
        case .isComplete(let attachment):
            return attached(attachment, shownBy: nil)
        }
    }

    private mutating func settled(_ create: LostCreate, _ verdict: SettlementVerdict, _ now: Context) -> Action {
        switch verdict {
        case .happened(let product, let picturesAreCertain):
            claim = ClaimedProduct(create: create, entry: entry, problems: problems)
            if case .duplicate(isFirst: true)? = create.objection { return found(product, create.product, now) }
            return created(product, create.product, now, picturesAreCertain: picturesAreCertain, isFresh: false)
        case .neverHappened: return createAgain(create, now)
        case .unresolved(let message, _):
            // The create had no effect, because its first attempt was refused.
            if case .duplicate(isFirst: true)? = create.objection {
                return close(.failed("\(create.trouble): \(message)"))
            }
            return finish(result(.unknown, error: message))
        }
    }

    // MARK: - Beginning

    mutating func begin(_ now: Context) -> Action {
        switch operation.work {
        case .adopt(let entry, _):
            if let holder = now.holder { return refuseAsStale("product \(entry.id) is '\(holder)' already") }
            // Its ownership was assumed, not proved, so it does not confirm the vendor number.
            guard configuration.staleCheck else { return close(.succeeded(entry.id), [.put(entry)]) }
            return ask(.isAdoptable(entry), about: entry.id)
        // A product of the state must be gone before it is created again or forgotten. A list may be outdated (v1 hides
        // products for a while after a write), and a saved plan may be applied twice.
        case .create(let product):
            guard let id = entry?.id else { return announce(Attempt(.create(product)), now) }
            return ask(.isGone(Loss(id: id, create: product)), about: id)
        case .forget(let id, _):
            guard let known = entry?.id else { return close(.succeeded(id)) }
            return ask(.isGone(Loss(id: known)), about: known)
        case .rename(let id, _): return close(.succeeded(id))
        case .update(let update): return begin(.update(update), now)
        case .replace(let replacement): return begin(.replace(replacement), now)
        case .delete(let deletion): return begin(.delete(deletion), now)
        }
    }

    private var looksBeforeWriting: Bool {
        configuration.staleCheck || capabilities.listOmitsNothing && capabilities.showsDetails
            || operation.action == .update && capabilities.readsBeforeUpdating
    }

    private mutating func begin(_ work: ExistingWork, _ now: Context) -> Action {
        looksBeforeWriting
            ? ask(.isCurrent(work, absenceAwaited: false), about: work.id) : carryOut(work, absenceAwaited: false, now)
    }

    private mutating func carryOut(_ work: ExistingWork, absenceAwaited: Bool, _ now: Context) -> Action {
        if case .update(let update) = work, let attachment = attachment(after: update) {
            guard update.keepsPictures else {
                return close(.failed("this market cannot take a picture away from a product again"))
            }
            // An earlier run was interrupted after the last picture.
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
            return pause(.ask(.isGone(loss), about: loss.id), for: wait)
        case .unknowable: return stopUncertain()
        case .believed:
            guard let product = loss.create else { return close(.succeeded(operation.id), removal) }
            return announce(Attempt(.create(product)), now)
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
            case .doubtful(let wait):
                return pause(.ask(.isCurrent(work, absenceAwaited: true), about: work.id), for: wait)
            case .unknowable: return stopUncertain()
            case .believed: break
            }
            // Another client deleted it, or an earlier run of the same plan.
            if case .delete = work { return close(.skipped(Self.gone), removal, as: .stale) }
            return refuseAsStale(Self.gone)
        }
        if let change = change(of: work, shownBy: product, now) { return refuseAsStale(change) }
        (isLookFresh, seen) = (true, product)
        var work = work
        work.refresh(from: product)
        if let mismatch = work.mismatch { return refuseAsStale(mismatch) }
        return carryOut(work, absenceAwaited: absenceAwaited, now)
    }

    /// The product's change since the plan, as a message; `nil` if the product is as planned.
    private func change(of work: ExistingWork, shownBy product: LiveProduct, _ now: Context) -> String? {
        guard !belongsToAnotherKey(product, now) else {
            let whose = now.holder.map { "is '\($0)' by now" } ?? "is another vendor's: yours is gone from the market"
            return "product \(product.id) \(whose)"
        }
        let differences = StaleCheck.differences(work, entry: entry, shown: product)
        return differences.isEmpty ? nil : "the product moved since the plan: \(differences.joined(separator: "; "))"
    }

    /// Whether a product provably is not the one that the state has under its id.
    ///
    /// The own product is gone then: a reset market (ids reused) gave the id to another vendor, or to another product
    /// of this run.
    private func belongsToAnotherKey(_ product: LiveProduct, _ now: Context) -> Bool {
        now.holder != nil
            || Ownership(ofManaged: product.vendorID, recorded: entry?.vendorID, said: now.identity.said) == .foreign
    }

    /// Handles the repeated read directly before the first request.
    private mutating func lookedAgain(
        _ work: ExistingWork,
        at product: LiveProduct?,
        _ attempt: Attempt,
        _ now: Context
    ) -> Action {
        isLookFresh = true
        guard let product else {
            // The request itself notices a missing product; a create does not notice the product that it replaces.
            guard case .replace = work, capabilities.readAfterWriteDelay == .zero else { return announce(attempt, now) }
            return refuseAsStale(Self.gone)
        }
        if let change = change(of: work, shownBy: product, now) { return refuseAsStale(change) }
        if !attempt.mayHaveHappened { seen = product }
        return announce(attempt, now)
    }

    /// The work of an attempt that cannot have taken effect and whose product was read some time ago.
    func workToLookAt(before attempt: Attempt) -> ExistingWork? {
        guard looksBeforeWriting, !isLookFresh, made == .nothing, !isOldDeleted else { return nil }
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

    private mutating func adopt(_ entry: StateEntry, shownBy product: LiveProduct?) -> Action {
        guard let product else { return refuseAsStale(Self.gone) }
        guard Ownership(showing: product.vendorID, ours: entry.vendorID) != .foreign else {
            return refuseAsStale("product \(product.id) is another vendor's by now")
        }
        let fields = Set(ProductField.allCases).subtracting([.images, .thumbnail])
        let differences = WriteComparison.differences(sent: entry.applied, fields: fields, shown: product)
        guard differences.isEmpty else {
            let moves = differences.map { "\($0.field.rawValue) was \($0.sent), is \($0.shown)" }
            return refuseAsStale("the product moved since the plan: \(moves.joined(separator: "; "))")
        }
        return close(.succeeded(entry.id), [.put(entry)])
    }

    static var gone: String { "the product is gone from the market" }

    mutating func refuseAsStale(_ message: String) -> Action {
        close(.skipped(message), as: .stale)
    }

    /// Handles a stop of the run while a product does not show and before the first request.
    private mutating func stopUncertain() -> Action {
        close(.skipped("the run stopped before it was certain that the product is gone"))
    }

    // MARK: - Ending

    /// Ends the operation with a fact; `status` and `error` default to the fact's status and message.
    mutating func close(
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = [],
        as status: OperationResult.Status? = nil,
        error: String? = nil
    ) -> Action {
        state = .recording(.end(result(status ?? .init(fact.status), error: error ?? fact.message)))
        return .record(fact, mutations)
    }

    mutating func finish(_ result: OperationResult) -> Action {
        state = .ended
        return .finish(result)
    }

    func result(_ status: OperationResult.Status, error: String?) -> OperationResult {
        var result = OperationResult(sequence, operation, status, error: error)
        result.id = made.id ?? operation.id
        return result
    }
}
