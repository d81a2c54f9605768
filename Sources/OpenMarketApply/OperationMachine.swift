public import OpenMarket

/// What happens to one operation, as a value: events in, actions out.
///
/// Everything that decides whether a product is made twice, lost or forgotten is decided here; the ``Executor`` only
/// carries out the actions and reports back. The rule behind it all: a create is never sent again unless the market
/// provably did nothing, or was asked and does not have the product.
public struct OperationMachine: Sendable {
    /// What the driver has to do next: exactly one at a time; its outcome is the next event.
    public enum Action: Hashable, Sendable {
        /// Write a fact; durable before ``Event/recorded``. Before ``JournalEvent/Fact/sent(_:highWater:)`` the driver
        /// waits until the request may leave at once, so that the time in the journal is that of the request.
        case record(JournalEvent.Fact, [StateMutation])
        /// Send a request, once.
        case send(WriteRequest)
        /// Let time pass; cut short when the run stops.
        case wait(Duration)
        /// Read a product in detail.
        case readProduct(ProductID)
        /// Put the operation aside until the market was asked about its create.
        case settle
        /// The operation is over.
        case finish(OperationResult)
    }

    /// What came of the last action.
    public enum Event: Hashable, Sendable {
        /// The operation may begin.
        case start
        /// The fact is durable.
        case recorded
        /// The run stopped before the request could leave; the `sent` fact was not written.
        case heldBack
        /// The request came to this.
        case outcome(WriteOutcome)
        /// The time passed, or the run stopped.
        case waited
        /// The market shows this; `nil` when it does not know the product.
        case product(LiveProduct?)
        /// The product could not be read.
        case unreadable(String)
        /// The market was asked about the create.
        case settled(SettlementVerdict)
    }

    /// What the driver knows at the moment of an event.
    public struct Circumstances: Hashable, Sendable {
        /// How long the run has been going on.
        public var elapsed: Duration
        /// A random number in 0..<1.
        public var jitter: Double
        /// Whether the run is to start nothing more, and to wait for nothing.
        public var isStopping: Bool
        /// The newest id known.
        public var highWater: ProductID?
        /// Our vendor number, where it is known.
        public var vendorID: Int64?
        /// The other key that the product belongs to which the event is about.
        public var holder: String?

        /// A moment of a run.
        public init(
            elapsed: Duration,
            jitter: Double,
            isStopping: Bool,
            highWater: ProductID?,
            vendorID: Int64? = nil,
            holder: String? = nil
        ) {
            self.elapsed = elapsed
            self.jitter = jitter
            self.isStopping = isStopping
            self.highWater = highWater
            self.vendorID = vendorID
            self.holder = holder
        }
    }

    /// The operation's index in the run.
    public let sequence: Int
    /// What is to be done.
    public private(set) var operation: Operation

    private let capabilities: MarketCapabilities
    private let configuration: ExecutorConfiguration
    /// What the state knows of the product; follows what is recorded.
    private var entry: StateEntry?
    private var stage = Stage.ready
    private var begunAt: Duration = .zero
    /// Failed attempts of the current step.
    private var attempts = 0
    /// Whether an attempt of the current step may have taken effect.
    private var mayHaveHappened = false
    private var recreations = 0
    /// What came instead of a reply to the create.
    private var unanswered = ""
    /// Whether a product that does not show was given the time that v1 hides products after a write.
    private var absenceAwaited = false
    /// Whether a request that was answered with 404 was repeated because the product does show.
    private var presenceTried = false
    private var deleteKey: String?
    /// The newest id that was known when the create left.
    private var sentHighWater: ProductID?
    /// The product that a reply to the create named and that cannot be taken for the new one.
    private(set) var answered: ProductID?
    /// The product that a create made.
    private var created: ProductID?
    /// Whether what a replace made is not what was sent, so that it has to go, and the old product stays.
    private var isUndoing = false
    /// What is wrong although the operation goes on.
    private var problems: [String] = []

    /// The steps; ``thumbnail`` is the update that follows a create.
    private enum Step: Hashable, Sendable {
        case create, update, thumbnail, deleteKey, delete

        var request: RequestStep {
            switch self {
            case .create: .create
            case .update, .thumbnail: .update
            case .deleteKey: .deleteKey
            case .delete: .delete
            }
        }
    }

    private enum Stage: Hashable, Sendable {
        case ready
        case rereading
        case pausingToReread
        case confirmingLoss
        case pausingToConfirmLoss
        case announcing(Step)
        case awaiting(Step)
        case pausing(Step)
        case confirmingAbsence(Step)
        case readingBack
        case suspending
        case suspended
        case advancing(to: Step)
        case closing(OperationResult)
        case ended
    }

    /// An operation at its beginning.
    ///
    /// - Parameters:
    ///   - sequence: Its index in the run.
    ///   - operation: What is to be done.
    ///   - entry: What the state knows under the operation's key.
    ///   - capabilities: What the market can do.
    ///   - configuration: How the run behaves.
    public init(
        sequence: Int,
        operation: Operation,
        entry: StateEntry?,
        capabilities: MarketCapabilities,
        configuration: ExecutorConfiguration
    ) {
        self.sequence = sequence
        self.operation = operation
        self.entry = entry
        self.capabilities = capabilities
        self.configuration = configuration
    }

    /// Takes an event and says what to do next.
    public mutating func handle(_ event: Event, _ now: Circumstances) -> Action {
        switch (stage, event) {
        case (.ready, .start):
            begunAt = now.elapsed
            return begin(now)
        case (.rereading, .product(let product)):
            return compare(with: product, now)
        case (.pausingToReread, .waited):
            return now.isStopping ? stopUncertain() : reread()
        case (.rereading, .unreadable(let message)):
            return close(.failed, .failed("the product could not be re-read: \(message)"))
        case (.confirmingLoss, .product(let product)):
            return loss(confirmed: product.map { isAnothers($0, now) } ?? true, now)
        case (.confirmingLoss, .unreadable(let message)):
            return close(.failed, .failed("whether the product is gone could not be read: \(message)"))
        case (.pausingToConfirmLoss, .waited):
            return now.isStopping ? stopUncertain() : confirmLoss(now)
        case (.announcing(let step), .recorded):
            stage = .awaiting(step)
            return .send(request(step))
        case (.announcing(let step), .heldBack):
            return giveUp(step, "the run stopped before the request left", now)
        case (.awaiting(let step), .outcome(.succeeded(let reply))):
            return succeeded(step, reply, now)
        case (.awaiting(let step), .outcome(.refused(let refusal))):
            return refused(step, refusal, now)
        case (.awaiting(let step), .outcome(.notSent(let trouble))):
            return retry(step, trouble, now)
        case (.awaiting(.create), .outcome(.uncertain(let trouble))):
            return suspend(trouble.message)
        case (.awaiting(let step), .outcome(.uncertain(let trouble))):
            mayHaveHappened = true
            if step == .update { absenceAwaited = false }
            // A delete key may be good for one use only, so the next attempt asks for a new one.
            return retry(step == .delete ? firstDeleteStep : step, trouble, now)
        case (.pausing(let step), .waited):
            return now.isStopping ? giveUp(step, "the run stopped before another attempt", now) : announce(step, now)
        case (.confirmingAbsence(let step), .product(let product)):
            return product == nil ? absent(step, now) : present(step, now)
        case (.confirmingAbsence(let step), .unreadable(let message)):
            return giveUp(
                step,
                "the market answers 404, and whether the product exists cannot be read: \(message)",
                now
            )
        case (.readingBack, .product(let product?)):
            return updated(product)
        case (.readingBack, .product(nil)), (.readingBack, .unreadable):
            return giveUp(.update, "the market did not say what it made of the update", now)
        case (.suspending, .recorded):
            stage = .suspended
            return .settle
        case (.suspended, .settled(let verdict)):
            return settled(verdict, now)
        case (.advancing(let step), .recorded):
            attempts = 0
            mayHaveHappened = false
            return announce(step, now)
        case (.closing(let result), .recorded):
            stage = .ended
            return .finish(result)
        default:
            preconditionFailure("event \(event) at stage \(stage)")
        }
    }

    // MARK: - Beginning

    private mutating func begin(_ now: Circumstances) -> Action {
        switch operation.action {
        case .adopt:
            guard let entry = operation.entry else {
                return close(.failed, .failed("the plan does not say what to adopt"))
            }
            if let holder = now.holder { return refuseAsStale("product \(entry.id) is '\(holder)' already") }
            // Whose product it is was believed, not proved, so our own vendor number is not learned from it.
            return close(.done, .succeeded(entry.id), [.put(entry)])
        case .create, .forget:
            return confirmLoss(now)
        case .update, .replace, .delete:
            guard operation.id != nil else {
                return close(.failed, .failed("the plan does not say which product"))
            }
            return configuration.staleCheck ? reread() : announce(firstStep, now)
        }
    }

    private mutating func reread() -> Action {
        stage = .rereading
        return .readProduct(operation.id ?? ProductID(0))
    }

    /// Makes sure that the product that the state knows is gone, before it is made anew or forgotten.
    ///
    /// A list may lag behind (v1 hides products for a while after a write), and a saved plan may be applied twice.
    private mutating func confirmLoss(_ now: Circumstances) -> Action {
        guard let id = entry?.id else {
            return operation.action == .forget ? close(.done, .succeeded(operation.id)) : announce(.create, now)
        }
        stage = .confirmingLoss
        return .readProduct(id)
    }

    private mutating func loss(confirmed: Bool, _ now: Circumstances) -> Action {
        guard confirmed else {
            return refuseAsStale("product \(entry?.id.description ?? "") is on the market after all")
        }
        if let wait = awaitAbsence(now) {
            stage = .pausingToConfirmLoss
            return .wait(wait)
        }
        guard absenceAwaited else { return stopUncertain() }
        return operation.action == .forget ? close(.done, .succeeded(operation.id), removal) : announce(.create, now)
    }

    /// Whether a product is provably not the one that the state knows by its number: ours is gone then, and a market that
    /// began anew gave the number to somebody else, or to another product of this run.
    private func isAnothers(_ product: LiveProduct, _ now: Circumstances) -> Bool {
        if now.holder != nil { return true }
        guard let theirs = product.vendorID, let ours = now.vendorID ?? entry?.vendorID else { return false }
        return theirs != ours
    }

    /// The run stops while a product does not show, and nothing was sent yet.
    private mutating func stopUncertain() -> Action {
        close(.skipped, .skipped("the run stopped before it was certain that the product is gone"))
    }

    /// The step of an operation on a product that exists.
    private var firstStep: Step {
        switch operation.action {
        case .update: .update
        case .delete: firstDeleteStep
        case .adopt, .create, .replace, .forget: .create
        }
    }

    private var firstDeleteStep: Step { capabilities.deletesInTwoSteps ? .deleteKey : .delete }

    private mutating func compare(with product: LiveProduct?, _ now: Circumstances) -> Action {
        guard let product else {
            if let wait = awaitAbsence(now) {
                stage = .pausingToReread
                return .wait(wait)
            }
            guard absenceAwaited else { return stopUncertain() }
            // Somebody else's doing, or this very plan's when it is carried out a second time.
            let message = "the product is gone from the market"
            return operation.action == .delete
                ? close(.stale, .skipped(message), removal) : refuseAsStale(message)
        }
        guard !isAnothers(product, now) else {
            let whose = now.holder.map { "is '\($0)' by now" } ?? "is another vendor's: ours is gone from the market"
            return refuseAsStale("product \(product.id) \(whose)")
        }
        let differences = StaleCheck.differences(operation, entry: entry, shown: product)
        guard differences.isEmpty else {
            return refuseAsStale("the product moved since the plan: \(differences.joined(separator: "; "))")
        }
        operation.refresh(from: product)
        if let misfit = operation.misfit { return refuseAsStale(misfit) }
        return announce(firstStep, now)
    }

    private mutating func refuseAsStale(_ message: String) -> Action {
        close(.stale, .skipped(message))
    }

    // MARK: - Requests

    private mutating func announce(_ step: Step, _ now: Circumstances) -> Action {
        stage = .announcing(step)
        if step == .create { (sentHighWater, answered) = (now.highWater, nil) }
        return .record(.sent(step.request, highWater: step == .create ? now.highWater : nil), [])
    }

    private func request(_ step: Step) -> WriteRequest {
        // Every operation that gets here has an id where its step needs one.
        let id = target
        return switch step {
        case .create: operation.createRequest
        case .update: operation.updateRequest(id)
        case .thumbnail: operation.thumbnailRequest(created ?? id, entry: entry)
        case .deleteKey: WriteRequest(.deleteKey(id), secret: operation.secret)
        case .delete: WriteRequest(.delete(id, key: deleteKey), secret: operation.secret)
        }
    }

    /// The product that updates and deletes are about.
    private var target: ProductID {
        (isUndoing ? created : nil) ?? operation.id ?? ProductID(0)
    }

    private mutating func succeeded(_ step: Step, _ reply: WriteReply, _ now: Circumstances) -> Action {
        switch step {
        case .create:
            // A reply without the product is no proof of anything: ask.
            guard let product = reply.product else { return suspend("the reply does not show the product") }
            if let doubt = operation.doubt(about: product, newerThan: sentHighWater, now) {
                answered = product.id
                return suspend("the reply shows \(doubt)")
            }
            return createdProduct(product)
        case .update:
            guard let product = reply.product else {
                mayHaveHappened = true
                stage = .readingBack
                return .readProduct(target)
            }
            return updated(product)
        case .thumbnail:
            guard var entry else { return next(after: .thumbnail, []) }
            entry.applied.thumbnail = operation.desired.thumbnail
            entry.thumbnailURL = reply.product?.thumbnailURL ?? entry.thumbnailURL
            entry.issuedAt = reply.product?.issuedAt ?? entry.issuedAt
            return next(after: .thumbnail, [.put(entry)])
        case .deleteKey:
            guard let key = reply.deleteKey else {
                return retry(step, WriteTrouble("the market gave no key for the delete"), now)
            }
            deleteKey = key
            return announce(.delete, now)
        case .delete:
            return conclude(removal)
        }
    }

    /// An update that took effect.
    private mutating func updated(_ product: LiveProduct) -> Action {
        problems += WriteComparison.differences(
            sent: operation.outcome,
            fields: operation.comparedFields,
            shown: product
        ).map(\.description)
        let entry = StateEntry(updated: product, by: operation, id: target, previous: entry)
        return conclude([.put(entry)] + vendor(of: product))
    }

    /// A create that took effect, shown by its reply or found on the market.
    private mutating func createdProduct(
        _ product: LiveProduct,
        picturesAreCertain: Bool = true,
        isFresh: Bool = true
    ) -> Action {
        let differences = operation.differences(of: product, isFresh: isFresh)
        problems += differences.map(\.description)
        created = product.id
        if operation.action == .replace, !differences.isEmpty {
            guard isFresh else {
                // That it has our name is too little to delete it for.
                stage = .ended
                return .finish(result(.unknown, error: operation.undecided(about: product.id, problems)))
            }
            return undo(vendor(of: product))
        }
        let entry = StateEntry(
            created: product,
            for: operation,
            previous: entry,
            picturesAreCertain: picturesAreCertain
        )
        return next(after: .create, [.put(entry)] + vendor(of: product))
    }

    /// Takes back what a replace made, for it is not what was sent: the old product stays, and the key goes on meaning it.
    ///
    /// That the state does not mean the new product tells a later run which of the two has to go.
    private mutating func undo(_ mutations: [StateMutation]) -> Action {
        isUndoing = true
        stage = .advancing(to: firstDeleteStep)
        return .record(.advanced(.create, created: created), mutations)
    }

    /// Goes on after a step of a create or replace, or ends.
    private mutating func next(after step: Step, _ mutations: [StateMutation]) -> Action {
        for case .put(let entry) in mutations { self.entry = entry }
        let following: Step? =
            if step == .create, operation.needsThumbnailRequest(capabilities, entry: entry) {
                .thumbnail
            } else if operation.action == .replace {
                firstDeleteStep
            } else {
                nil
            }
        guard let following else { return conclude(mutations) }
        stage = .advancing(to: following)
        return .record(.advanced(step.request, created: created), mutations)
    }

    /// All steps are through; what went wrong on the way makes it a failure.
    private mutating func conclude(_ mutations: [StateMutation]) -> Action {
        guard problems.isEmpty else {
            var message = problems.joined(separator: "; ")
            if isUndoing {
                message =
                    "the new product \(target) was not as sent, so it was deleted again; "
                    + "product \(operation.id?.description ?? "") stays as it was: \(message)"
                created = nil
            }
            return close(.failed, .failed(message), mutations)
        }
        return close(.done, .succeeded(created ?? operation.id), mutations)
    }

    private func vendor(of product: LiveProduct?) -> [StateMutation] {
        product?.vendorID.map { [.vendor($0)] } ?? []
    }

    /// Drops the product from the state, unless the key has come to mean another product.
    private var removal: [StateMutation] {
        guard !isUndoing, let entry, operation.id == nil || entry.id == operation.id else { return [] }
        return [.remove(key: operation.key)]
    }

    // MARK: - Trouble

    private mutating func refused(_ step: Step, _ refusal: WriteRefusal, _ now: Circumstances) -> Action {
        guard refusal.kind == .notFound, step != .create, step != .thumbnail else {
            return fail(step, refusal.message)
        }
        if step == .update, capabilities.authentication == .vendor { return fail(step, refusal.message) }
        // A product is dropped from the state only when it does not show either: v1 hides products for a while after a
        // write and answers a wrong password with 404 too, and a market of another API knows no such address.
        stage = .confirmingAbsence(step)
        return .readProduct(target)
    }

    /// How long to wait before "not found" may be believed; `nil` when it may be now, or when there is no time left.
    private mutating func awaitAbsence(_ now: Circumstances) -> Duration? {
        guard !absenceAwaited else { return nil }
        guard capabilities.readAfterWriteDelay > .zero else {
            absenceAwaited = true
            return nil
        }
        guard !now.isStopping else { return nil }
        absenceAwaited = true
        // Believing it drops the product from the state or makes it anew, so late effects of earlier requests count.
        return configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
    }

    /// 404, and the product does not show.
    private mutating func absent(_ step: Step, _ now: Circumstances) -> Action {
        if let wait = awaitAbsence(now) {
            stage = .pausing(step)
            return .wait(wait)
        }
        let message = "the product is gone from the market"
        guard absenceAwaited else { return giveUp(step, message, now) }
        return step == .update ? fail(step, message) : conclude(removal)
    }

    /// 404, and the product shows: it was hidden for a moment, or the password is wrong.
    private mutating func present(_ step: Step, _ now: Circumstances) -> Action {
        guard presenceTried else {
            presenceTried = true
            return announce(step, now)
        }
        let why =
            switch capabilities.authentication {
            case .itemPassword: "its password is not ours"
            case .vendor: "it may speak another API than the one that is set"
            }
        return fail(step, "the market answers 404 although the product exists: \(why)")
    }

    private mutating func retry(_ step: Step, _ trouble: WriteTrouble, _ now: Circumstances) -> Action {
        attempts += 1
        let delay = configuration.delays.delay(
            attempt: attempts,
            jitter: now.jitter,
            retryAfter: trouble.retryAfter
        )
        guard !now.isStopping, attempts < configuration.maximumAttempts,
            now.elapsed + delay - begunAt <= configuration.operationBudget
        else {
            return giveUp(step, trouble.message, now)
        }
        stage = .pausing(step)
        return .wait(delay)
    }

    /// No more attempts of a step.
    private mutating func giveUp(_ step: Step, _ message: String, _ now: Circumstances) -> Action {
        guard created == nil else { return fail(step, message) }
        if mayHaveHappened {
            return close(.unknown, .unknown(step.request, message))
        }
        return now.isStopping ? close(.skipped, .skipped(message)) : close(.failed, .failed(message))
    }

    /// A step that will not succeed.
    private mutating func fail(_ step: Step, _ message: String) -> Action {
        if step == .thumbnail {
            // The product is there; the next plan shows the thumbnail as a change.
            problems.append("the thumbnail was not set: \(message)")
            return next(after: .thumbnail, [])
        }
        guard created != nil else { return close(.failed, .failed(message)) }
        // One product of a replace must still go: the operation stays unsettled, so that nobody forgets it.
        let error =
            isUndoing
            ? "the new product \(target) is not as sent (\(problems.joined(separator: "; "))) and could not be "
                + "deleted again yet, product \(operation.id?.description ?? "") stays: \(message)"
            : "the new product exists, the old one could not be deleted yet: \(message)"
        return close(.failed, .unknown(step.request, message), error: error)
    }

    // MARK: - Creates without reply

    private mutating func suspend(_ message: String) -> Action {
        unanswered = message
        stage = .suspending
        return .record(.unknown(.create, message), [])
    }

    private mutating func settled(_ verdict: SettlementVerdict, _ now: Circumstances) -> Action {
        switch verdict {
        case .happened(let product, let picturesAreCertain):
            return createdProduct(product, picturesAreCertain: picturesAreCertain, isFresh: false)
        case .neverHappened:
            recreations += 1
            let message = "the create got no reply, and the market does not have the product: \(unanswered)"
            if now.isStopping { return close(.skipped, .skipped(message)) }
            guard recreations <= configuration.maximumRecreations else { return close(.failed, .failed(message)) }
            attempts = 0
            begunAt = now.elapsed
            return announce(.create, now)
        case .undecided(let message):
            stage = .ended
            return .finish(result(.unknown, error: message))
        }
    }

    // MARK: - Ending

    private mutating func close(
        _ status: OperationResult.Status,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = [],
        error: String? = nil
    ) -> Action {
        stage = .closing(result(status, error: error ?? fact.message))
        return .record(fact, mutations)
    }

    private func result(_ status: OperationResult.Status, error: String?) -> OperationResult {
        OperationResult(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            status: status,
            id: created ?? operation.id ?? operation.entry?.id,
            error: error,
            source: operation.source
        )
    }
}

extension JournalEvent.Fact {
    /// The message of a fact that is no success.
    fileprivate var message: String? {
        switch self {
        case .failed(let message), .unknown(_, let message), .skipped(let message): message
        case .sent, .advanced, .succeeded: nil
        }
    }
}
