import Logging
import OpenMarket

/// One run under way: carries out the machines' actions and feeds the results back.
struct ExecutionRun: Sendable {
    let id: RunID
    let market: any Market
    let state: any StateSession
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    let time: RunTime
    let random: @Sendable () -> Double
    let onEvent: @Sendable (ExecutionEvent) -> Void
    let drain: DrainSignal
    let gate: RequestGate
    let sender: RequestSender
    let ledger: RunLedger
    let lookup: ProductLookup
    let credentials: CredentialsWatch
    /// The keys of products that are made only once the market has confirmed who we are.
    let contested: Set<String>

    /// Carries out all operations; results in the operations' order.
    func carryOut(
        _ operations: [PlannedOperation],
        except refusals: [Int: OperationRefusal],
        finishing pendingDeletes: [Recovery.PendingDelete],
        _ outcomes: RunOutcomes
    ) async throws -> [OperationResult] {
        let phases = Dictionary(grouping: operations.indices) { operations[$0].action }
        let begins = operations.indices.filter { refusals[$0] == nil }
        let adopts = begins.contains { operations[$0].action == .adopt }
        // What was taken over because of a number that was typed is not written to before that number is confirmed.
        let writesToAdopted = adopts && begins.contains { operations[$0].action == .update }
        if writesToAdopted || begins.contains(where: { operations[$0].makesProduct }) { try await confirmIdentity() }
        if configuration.confirmsOwners { try await confirmOwners(of: begins.map { operations[$0] }) }
        if writesToAdopted { requireIdentity() }
        for action in PlannedOperation.Action.allCases {
            var sequences = phases[action] ?? []
            if action == .create || action == .replace {
                let begun = try await introduce(sequences, of: operations, outcomes, except: refusals, pendingDeletes)
                sequences.removeAll { begun.contains($0) }
            }
            let queue = SharedQueue(sequences)
            try await withThrowingTaskGroup { group in
                for _ in 0..<min(configuration.parallelism, queue.count) {
                    group.addTask {
                        try await work(through: queue, of: operations, outcomes, except: refusals, pendingDeletes)
                    }
                }
                try await group.waitForAll()
            }
        }

        try await settleSuspended(outcomes)
        if let reason = drain.reason {
            // Nothing is sent for these, so they need not wait for each other: many share a commit.
            try await forEachConcurrently(outcomes.untouched, width: 1000) { sequence in
                try await skip(operations[sequence], sequence, OperationRefusal(.skipped, reason.explanation))
            } collect: { _, rest in
                outcomes.note(rest)
            }
        }
        return outcomes.takeResults()
    }

    /// Asks the market about creates without reply, until each has ended.
    func settleSuspended(_ outcomes: RunOutcomes) async throws {
        while true {
            let batch = outcomes.takeSuspended()
            guard !batch.isEmpty else { return }
            let verdicts = try await settle(batch)
            try await forEachConcurrently(batch.indices, width: configuration.parallelism) { index in
                let verdict = verdicts[index] ?? .unresolved("outcome unknown")
                let machine = batch[index].machine
                onEvent(.settled(sequence: machine.sequence, key: machine.operation.key, verdict))
                let journal = journal()
                let rest = try await drive(machine, .settled(verdict), journal)
                try await journal.flush()
                return rest
            } collect: { _, rest in
                outcomes.note(rest)
            }
        }
    }

    /// Carries out one operation after the other.
    private func work(
        through sequences: SharedQueue<Int>,
        of operations: [PlannedOperation],
        _ outcomes: RunOutcomes,
        except refusals: [Int: OperationRefusal],
        _ pendingDeletes: [Recovery.PendingDelete]
    ) async throws {
        let journal = journal()
        do {
            while let sequence = sequences.next() {
                let operation = operations[sequence].assembled
                if let refusal = refusals[sequence] {
                    try await journal.flush()
                    outcomes.note(try await skip(operation, sequence, refusal))
                } else {
                    outcomes.note(try await carryOut(operation, sequence, journal, pendingDeletes))
                }
            }
            try await journal.flush()
        } catch {
            try await end(journal, outcomes, after: error)
        }
    }

    /// Writes down what is true where that can be, whatever ended the work.
    ///
    /// - Throws: The error; the loss of the state, where that is why it cannot be written down.
    func end(_ journal: RunJournal, _ outcomes: RunOutcomes, after error: any Error) async throws {
        do {
            try await journal.flush()
        } catch let loss {
            if let sequence = journal.unwritten { outcomes.doubt(sequence) }
            if let loss = loss as? StateError, loss.losesRun { throw loss }
        }
        throw error
    }

    /// A journal for operations that are carried out one after the other.
    func journal() -> RunJournal {
        RunJournal(of: id, in: state, ledger: ledger, drain: drain, gate: gate, onEvent: onEvent)
    }

    /// Carries out one operation, unless the run is stopping.
    func carryOut(
        _ operation: PlannedOperation,
        _ sequence: Int,
        _ journal: RunJournal,
        _ pendingDeletes: [Recovery.PendingDelete]
    ) async throws -> OperationRest {
        try Task.checkCancellation()
        guard drain.reason == nil else { return .untouched(sequence: sequence) }
        journal.begin(operation, sequence)
        let machine = OperationMachine(
            sequence: sequence,
            operation: operation,
            entry: ledger.entry(operation.key),
            capabilities: capabilities,
            configuration: configuration
        )
        let rest = try await drive(machine, .start, journal)
        if operation.action == .delete {
            journal.finish(pendingDeletes.filter { $0.operation.id == operation.id }, with: sequence)
        }
        return rest
    }

    /// Writes down that an operation was never started.
    private func skip(
        _ operation: PlannedOperation,
        _ sequence: Int,
        _ refusal: OperationRefusal
    ) async throws -> OperationRest {
        try await journal().record(sequence, .skipped(refusal.reason))
        let result = OperationResult(
            sequence: sequence,
            key: operation.key,
            action: operation.action,
            status: refusal.status,
            id: operation.id,
            error: refusal.reason,
            source: operation.source
        )
        onEvent(.finished(result))
        return .finished(result)
    }

    /// What one machine's way holds between its actions.
    private struct Course {
        /// Admits the request that is next.
        var ticket: Int?
        /// The newest id that was known when the last request was written down.
        var highWater: MarketID?
        /// What the backend said when the request that is next was written down.
        var orders = StateOrders.proceed
        var attempts = 0
        /// The last request, and what went wrong with it.
        var lastStep: (step: RequestStep, trouble: String)?
        /// The product that the reply to a create names.
        var made: MarketID?
    }

    /// Does what a machine says until it rests.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - first: What happens to it first.
    ///   - journal: Takes its facts.
    /// - Returns: Where the operation is.
    /// - Throws: What the journal throws, and `CancellationError`.
    private func drive(
        _ machine: consuming OperationMachine,
        _ first: OperationMachine.Event,
        _ journal: RunJournal
    ) async throws -> OperationRest {
        var machine = machine
        var event = first
        var course = Course()
        while true {
            switch action(of: &machine, on: event, &course) {
            case .record(.sent(let step, let newest, let imprint), let mutations):
                let imprint = complete(imprint, of: machine)
                let fact = JournalEvent.Fact.sent(step, highWater: newest, imprint: imprint)
                let isWritten = try await announce(fact, mutations, machine.sequence, &course, journal)
                event = isWritten ? .recorded : .heldBack
                guard isWritten else { continue }
                course.highWater = newest
                // Nothing is made in the place of a product before that was looked for.
                if step == .create, machine.operation.action == .create { ledger.noteMissing(machine.operation.key) }
            case .record(let fact, let mutations):
                if let result = machine.ending {
                    try await journal.close(machine.sequence, fact, mutations, result)
                    return .finished(result)
                }
                try await journal.record(machine.sequence, fact, mutations)
                event = .recorded
            case .send(let request):
                event = try await send(request, of: machine.operation, machine.sequence, &course)
            case .wait(let duration):
                reportRetry(of: machine, after: duration, course)
                try await journal.flush()
                try await drain.pause(for: duration, on: time.clock)
                event = .waited
            case .readProduct(let id):
                try await journal.flush()
                event = try await read(id)
            case .settle(let create):
                return .suspended(SuspendedOperation(machine: machine, create: create, since: time.wall()))
            case .finish(let result):
                try await journal.flush()
                onEvent(.finished(result))
                return .finished(result)
            }
        }
    }

    /// What a machine wants done about an event.
    private func action(
        of machine: inout OperationMachine,
        on event: OperationMachine.Event,
        _ course: inout Course
    ) -> OperationMachine.Action {
        let key = machine.operation.key
        let product = course.made
        course.made = nil
        let now = OperationMachine.Context(
            elapsed: time.elapsed,
            jitter: random(),
            isStopping: drain.reason != nil,
            highWater: ledger.highWater,
            identity: ledger.identity,
            holder: product.flatMap { ledger.claim($0, for: key, newerThan: course.highWater) }
                ?? event.otherProduct(of: machine).flatMap { ledger.holder(of: $0, besides: key) }
                ?? event.shownProduct.flatMap { ledger.holder(ofKeyOf: $0, besides: key) },
            freshRepeatKey: capabilities.repetition.map { _ in RepeatKey.next(random) }
        )
        let action = machine.handle(event, now)
        if let product, !action.takes(product) { ledger.release(product, for: key) }
        return action
    }

    /// An imprint with the digest of the request's body, where the request may be repeated.
    private func complete(_ imprint: RequestImprint?, of machine: OperationMachine) -> RequestImprint? {
        guard var imprint, imprint.repeatKey != nil else { return imprint }
        imprint.digest = machine.announcedRequest.flatMap(market.bodyDigest)
        return imprint
    }

    /// Writes down that a request is about to leave, once it may; says whether it may.
    private func announce(
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation],
        _ sequence: Int,
        _ course: inout Course,
        _ journal: RunJournal
    ) async throws -> Bool {
        var admitted = try gate.enterAtOnce()
        if admitted == nil {
            try await journal.flush()
            admitted = try await gate.enter()
        }
        guard let admitted else { return false }
        do {
            course.orders = try await journal.record(sequence, fact, mutations)
        } catch {
            _ = gate.leave(admitted, after: nil)
            throw error
        }
        course.ticket = admitted
        return true
    }

    /// Sends a request that was written down, unless the backend said no, or not yet.
    private func send(
        _ request: WriteRequest,
        of operation: PlannedOperation,
        _ sequence: Int,
        _ course: inout Course
    ) async throws -> OperationMachine.Event {
        let ticket = course.ticket
        course.ticket = nil
        if let why = course.orders.stop {
            if let ticket { _ = gate.leave(ticket, after: nil) }
            return .outcome(.notSent(WriteTrouble("the request was not sent: \(why)")))
        }
        if course.orders.pause > .zero {
            if let ticket { _ = gate.leave(ticket, after: nil) }
            return .postponed
        }
        let outcome = await sender.perform(request)
        if case .succeeded(let reply) = outcome, request.step == .create, let product = reply.product {
            course.made = product.id
            ledger.noteMade(product.id, by: sequence)
        }
        if let ticket { try await observe(outcome, leaving: ticket) }
        try await checkCredentials(outcome, of: operation)
        course.attempts += 1
        course.lastStep = (request.step, outcome.trouble ?? "")
        return .outcome(outcome)
    }

    private func reportRetry(of machine: OperationMachine, after duration: Duration, _ course: Course) {
        guard let (step, trouble) = course.lastStep else { return }
        onEvent(
            .retrying(
                sequence: machine.sequence,
                key: machine.operation.key,
                step: step,
                attempt: course.attempts,
                after: duration,
                reason: trouble
            )
        )
    }

    private func read(_ id: MarketID) async throws -> OperationMachine.Event {
        try Task.checkCancellation()
        do {
            return .product(try await lookup.product(id))
        } catch let error as MarketError {
            return .unreadable(error.message)
        }
    }

    /// Lets an outcome slow down or stop the whole run, and the pause that the market asks for reach all who share it.
    func observe(_ outcome: WriteOutcome, leaving ticket: Int) async throws {
        if let slowed = gate.leave(ticket, after: outcome) {
            onEvent(.slowed(width: slowed.width, pause: slowed.pause))
        }
        if ledger.observe(outcome), let trouble = outcome.trouble {
            drain.stop(.marketUnreachable(trouble))
        } else if let pause = outcome.retryAfter, pause > configuration.maximumPause {
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            drain.stop(.marketUnreachable("the market wants no request for \(seconds) s, which is too long to wait"))
        }
        if let pause = outcome.overload?.retryAfter {
            try await state.pause(for: min(pause, configuration.maximumPause))
        }
    }

    /// Finds out whether a refusal is about the credentials, and so about every request that would follow.
    ///
    /// A status says that only in part (``WriteRefusal/Kind``), and words never do. While no request was accepted yet,
    /// the market is asked for the delete keys of other products of ours: a request that holds nothing but the
    /// credentials, and has no effect.
    private func checkCredentials(_ outcome: WriteOutcome, of operation: PlannedOperation) async throws {
        credentials.observe(outcome)
        guard case .refused(let refusal) = outcome, refusal.mayBeAboutCredentials, drain.reason == nil else { return }
        // Without credentials of ours nothing was sent at all.
        guard refusal.status > 0 else { return drain.stop(.credentials(refusal.message)) }
        // Items with passwords of their own say nothing about each other.
        guard capabilities.ownershipProof == .deleteKey, credentials.wantsProof else { return }
        if refusal.kind == .credentials { return drain.stop(.credentials(refusal.message)) }
        let others = ledger.snapshot.entries.values.map(\.id).filter { $0 != operation.id }.inOrder().suffix(2)
        guard !others.isEmpty, credentials.beginProof() else {
            if credentials.areRejected { drain.stop(.credentials(refusal.message)) }
            return
        }
        for id in others.reversed() {
            guard let ticket = try await gate.enter() else { return }
            let answer = await market.ask(whoseIs: id)
            try await observe(answer, leaving: ticket)
            switch answer {
            case .succeeded: return credentials.observe(answer)
            case .refused(let refusal) where refusal.mayBeAboutCredentials: continue
            case .refused, .notSent, .uncertain: return
            }
        }
        drain.stop(.credentials(refusal.message))
    }

    /// Asks the market about creates without reply.
    private func settle(
        _ batch: [SuspendedOperation]
    ) async throws -> [Int: SettlementVerdict] {
        let creates = batch.enumerated().map { index, item in
            CreateSettlement.OpenCreate(
                index: index,
                key: item.machine.operation.action == .create ? item.machine.operation.key : nil,
                product: item.create.product.asMade(capabilities),
                secret: item.machine.operation.secret,
                highWater: item.create.highWater,
                since: item.since,
                answered: item.create.answered,
                carried: CreateSettlement.CarriedKey(item.machine.operation, configuration),
                isDuplicate: item.create.isDuplicate
            )
        }
        // Others may be at work on the same market: what they made, or may have made, is not ours.
        let basis = try await state.basis()
        let skew = time.wall() - basis.now
        let own = Set(batch.map(\.machine.sequence))
        let others = basis.unresolved.filter { !($0.run == id && own.contains($0.sequence)) }
        let rivals = others.enumerated().compactMap { index, open in
            CreateSettlement.OpenCreate(
                open,
                capabilities,
                configuration,
                index: creates.count + index,
                since: open.sentAt + skew
            )
        }
        onEvent(.settling(count: creates.count))
        let settler = CreateSettler(
            market: market,
            capabilities: capabilities,
            configuration: configuration,
            time: time,
            drain: drain
        )
        return try await settler.settle(
            creates,
            besides: rivals,
            ledger.withoutLost(basis.snapshot),
            as: ledger.identity.isProven ? ledger.identity : nil
        )
    }
}

extension OperationMachine.Event {
    /// The product that this is about, other than the one that a reply names.
    fileprivate func otherProduct(of machine: OperationMachine) -> MarketID? {
        switch self {
        case .start: if case .adopt(let entry, _) = machine.operation.work { entry.id } else { nil }
        case .product(let product): product?.id
        case .settled(.happened(let product, _)): product.id
        default: nil
        }
    }
}

extension OperationMachine.Event {
    /// The product that was read.
    fileprivate var shownProduct: LiveProduct? { if case .product(let product) = self { product } else { nil } }
}

extension OperationMachine.Action {
    /// Whether a product is now the operation's.
    fileprivate func takes(_ id: MarketID) -> Bool {
        guard case .record(_, let mutations) = self else { return false }
        return mutations.contains { if case .put(let entry) = $0 { entry.id == id } else { false } }
    }
}

extension WriteOutcome {
    /// How long the market asks to be left alone.
    fileprivate var retryAfter: Duration? {
        switch self {
        case .succeeded, .refused: nil
        case .notSent(let trouble), .uncertain(let trouble): trouble.retryAfter
        }
    }

    /// The trouble of an outcome that says that the market wants less.
    var overload: WriteTrouble? {
        switch self {
        case .notSent(let trouble), .uncertain(let trouble): trouble.isOverload ? trouble : nil
        case .succeeded, .refused: nil
        }
    }

    /// The message of an outcome that is not a success.
    fileprivate var trouble: String? {
        switch self {
        case .succeeded: nil
        case .refused(let refusal): refusal.message
        case .notSent(let trouble), .uncertain(let trouble): trouble.message
        }
    }
}
