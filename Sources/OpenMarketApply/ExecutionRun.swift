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
    let ledger: RunLedger
    let lookup: ProductLookup
    let credentials: CredentialsWatch
    /// The keys of products that are made only once the market has confirmed who we are.
    let contested: Set<String>

    /// Carries out all operations; results in the operations' order.
    func carryOut(
        _ operations: [PlannedOperation],
        except refusals: [Int: OperationRefusal],
        finishing pendingDeletes: [Recovery.PendingDelete]
    ) async throws -> [OperationResult] {
        let outcomes = RunOutcomes(count: operations.count)
        let phases = Dictionary(grouping: operations.indices) { operations[$0].action }
        let begins = operations.indices.filter { refusals[$0] == nil }
        let adopts = begins.contains { operations[$0].action == .adopt }
        // What was taken over because of a number that somebody typed is not written to before that number is confirmed.
        let writesToAdopted = adopts && begins.contains { operations[$0].action == .update }
        if writesToAdopted || begins.contains(where: { operations[$0].makesProduct }) { try await confirmIdentity() }
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
                let verdict = verdicts[index] ?? .undecided("nobody knows")
                let machine = batch[index].machine
                onEvent(.settled(sequence: machine.sequence, key: machine.operation.key, verdict))
                var last: ClosingFact?
                let rest = try await drive(machine, .settled(verdict), after: &last)
                try await write(&last)
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
        var last: ClosingFact?
        do {
            while let sequence = sequences.next() {
                let operation = operations[sequence].assembled
                if let refusal = refusals[sequence] {
                    try await write(&last)
                    outcomes.note(try await skip(operation, sequence, refusal))
                } else {
                    outcomes.note(try await carryOut(operation, sequence, after: &last, pendingDeletes))
                }
            }
        } catch {
            // Whatever ends the run, what is true is written down where that can be.
            try? await write(&last)
            throw error
        }
        try await write(&last)
    }

    /// Carries out one operation, unless the run is stopping.
    func carryOut(
        _ operation: PlannedOperation,
        _ sequence: Int,
        after last: inout ClosingFact?,
        _ pendingDeletes: [Recovery.PendingDelete]
    ) async throws -> OperationRest {
        try Task.checkCancellation()
        guard drain.reason == nil else { return .untouched(sequence: sequence) }
        if last == nil {
            onEvent(.started(sequence: sequence, operation))
        } else {
            last?.successor = (sequence, operation)
        }
        let machine = OperationMachine(
            sequence: sequence,
            operation: operation,
            entry: ledger.entry(operation.key),
            capabilities: capabilities,
            configuration: configuration
        )
        let rest = try await drive(machine, .start, after: &last)
        if operation.action == .delete, last?.result.sequence == sequence {
            last?.origins = pendingDeletes.filter { $0.operation.id == operation.id }
        }
        return rest
    }

    /// Writes down that an operation was never started.
    private func skip(
        _ operation: PlannedOperation,
        _ sequence: Int,
        _ refusal: OperationRefusal
    ) async throws -> OperationRest {
        try await record(sequence, .skipped(refusal.reason))
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

    /// Does what a machine says until it rests.
    ///
    /// - Parameters:
    ///   - machine: The machine.
    ///   - first: What happens to it first.
    ///   - last: The last fact of the operation before, which is written at the latest before anything is waited for;
    ///     then that of this one.
    /// - Returns: Where the operation is.
    /// - Throws: What the journal throws, and `CancellationError`.
    private func drive(
        _ machine: consuming OperationMachine,
        _ first: OperationMachine.Event,
        after last: inout ClosingFact?
    ) async throws -> OperationRest {
        var machine = machine
        var event = first
        var ticket: Int?
        var highWater: ProductID?
        var attempt = 0
        var pending: (step: RequestStep, reason: String)?
        // The product that the reply to a create names.
        var made: ProductID?
        // What the backend said when the request that is next was written down.
        var orders = StateOrders.proceed
        while true {
            let key = machine.operation.key
            let product = made
            made = nil
            let now = OperationMachine.Circumstances(
                elapsed: time.elapsed,
                jitter: random(),
                isStopping: drain.reason != nil,
                highWater: ledger.highWater,
                identity: ledger.identity,
                holder: product.flatMap { ledger.claim($0, for: key, newerThan: highWater) }
                    ?? event.otherProduct(of: machine).flatMap { ledger.holder(of: $0, besides: key) }
            )
            let action = machine.handle(event, now)
            if let product, !action.takes(product) { ledger.unclaim(product, for: key) }
            switch action {
            case .record(.sent(let step, let newest), let mutations):
                var admitted = try gate.enterAtOnce()
                if admitted == nil {
                    try await write(&last)
                    admitted = try await gate.enter()
                }
                guard let entered = admitted else {
                    event = .heldBack
                    continue
                }
                do {
                    let fact = JournalEvent.Fact.sent(step, highWater: newest)
                    orders = try await record(machine.sequence, fact, mutations, after: &last)
                } catch {
                    _ = gate.leave(entered, after: nil)
                    throw error
                }
                // Nothing is made in the place of a product before that was looked for.
                if step == .create, machine.operation.action == .create { ledger.lose(key) }
                ticket = entered
                highWater = newest
                event = .recorded
            case .record(let fact, let mutations):
                if let result = machine.ending {
                    try await write(&last)
                    let mutations = ledger.releasing(mutations)
                    last = ClosingFact(event: journalEvent(machine.sequence, fact, mutations), result: result)
                    return .finished(result)
                }
                try await record(machine.sequence, fact, mutations, after: &last)
                event = .recorded
            case .send(let request):
                if case .stop(let why) = orders {
                    if let entered = ticket { _ = gate.leave(entered, after: nil) }
                    ticket = nil
                    event = .outcome(.notSent(WriteTrouble("the request was not sent: \(why)")))
                    continue
                }
                let outcome = await market.perform(request)
                if let entered = ticket { observe(outcome, leaving: entered) }
                ticket = nil
                try await weigh(outcome, of: machine.operation)
                attempt += 1
                pending = (request.step, outcome.trouble ?? "")
                if case .succeeded(let reply) = outcome, request.step == .create { made = reply.product?.id }
                event = .outcome(outcome)
            case .wait(let duration):
                if let (step, reason) = pending {
                    onEvent(
                        .retrying(
                            sequence: machine.sequence,
                            key: machine.operation.key,
                            step: step,
                            attempt: attempt,
                            after: duration,
                            reason: reason
                        )
                    )
                }
                try await write(&last)
                try await drain.pause(for: duration, on: time.clock)
                event = .waited
            case .readProduct(let id):
                try await write(&last)
                try Task.checkCancellation()
                do {
                    event = .product(try await lookup.product(id))
                } catch let error as MarketError {
                    event = .unreadable(error.message)
                }
            case .settle(let create):
                return .suspended(SuspendedOperation(machine: machine, create: create, since: time.wall()))
            case .finish(let result):
                try await write(&last)
                onEvent(.finished(result))
                return .finished(result)
            }
        }
    }

    /// Writes a fact, and follows it in memory.
    @discardableResult
    private func record(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = []
    ) async throws -> StateOrders {
        var last: ClosingFact?
        return try await record(sequence, fact, mutations, after: &last)
    }

    /// Writes a fact behind the last one of the operation before, both in one commit where the backend can, and follows
    /// them in memory.
    @discardableResult
    private func record(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation],
        after last: inout ClosingFact?
    ) async throws -> StateOrders {
        let event = journalEvent(sequence, fact, ledger.releasing(mutations))
        let orders = try await obey([last?.event, event].compactMap(\.self))
        try await end(&last)
        ledger.apply(event.mutations)
        return orders
    }

    /// Writes the last fact of an operation.
    func write(_ last: inout ClosingFact?) async throws {
        guard let event = last?.event else { return }
        try await obey([event])
        try await end(&last)
    }

    /// Follows the last fact of an operation in memory, once it is written.
    private func end(_ last: inout ClosingFact?) async throws {
        guard let closed = last else { return }
        last = nil
        ledger.apply(closed.event.mutations)
        onEvent(.finished(closed.result))
        if closed.result.status == .done {
            // The delete was the rest of an earlier run's replace: that one is over, too.
            for pending in closed.origins {
                let product = ledger.entry(closed.result.key)?.id ?? pending.origin.created
                try await obey([
                    JournalEvent(
                        run: pending.origin.run,
                        sequence: pending.origin.sequence,
                        number: pending.origin.facts + 1,
                        fact: pending.takesBack
                            ? .failed("settled: the new product was not as sent and was deleted again")
                            : .succeeded(product)
                    )
                ])
            }
        }
        if let (sequence, operation) = closed.successor { onEvent(.started(sequence: sequence, operation)) }
    }

    private func journalEvent(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation]
    ) -> JournalEvent {
        JournalEvent(
            run: id,
            sequence: sequence,
            number: ledger.nextFact(of: sequence),
            fact: fact,
            mutations: mutations
        )
    }

    /// Writes facts, and ends the run where the backend says so.
    @discardableResult
    private func obey(_ events: [JournalEvent]) async throws -> StateOrders {
        let orders = try await state.record(events)
        if case .stop(let why) = orders { drain.stop(.ordered(why)) }
        return orders
    }

    /// Lets an outcome slow down or stop the whole run.
    func observe(_ outcome: WriteOutcome, leaving ticket: Int) {
        if let slowed = gate.leave(ticket, after: outcome) {
            onEvent(.slowed(width: slowed.width, pause: slowed.pause))
        }
        if ledger.observe(outcome), let trouble = outcome.trouble {
            drain.stop(.marketUnreachable(trouble))
        } else if let pause = outcome.retryAfter, pause > configuration.maximumPause {
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            drain.stop(.marketUnreachable("the market wants no request for \(seconds) s, which is too long to wait"))
        }
    }

    /// Finds out whether a refusal is about the credentials, and so about every request that would follow.
    ///
    /// A status tells that only in part (``WriteRefusal/Kind``), and words never do. While no request was accepted yet,
    /// the market is asked for the delete keys of other products of ours: a request that holds nothing but the
    /// credentials, and has no effect.
    private func weigh(_ outcome: WriteOutcome, of operation: PlannedOperation) async throws {
        credentials.observe(outcome)
        guard case .refused(let refusal) = outcome, refusal.mayBeAboutCredentials, drain.reason == nil else { return }
        // Without credentials of ours nothing was sent at all.
        guard refusal.status > 0 else { return drain.stop(.credentials(refusal.message)) }
        // Items with passwords of their own say nothing about each other.
        guard capabilities.authentication == .vendor, credentials.wantsProof else { return }
        if refusal.kind == .credentials { return drain.stop(.credentials(refusal.message)) }
        let others = ledger.snapshot.entries.values.map(\.id).filter { $0 != operation.id }.sorted().suffix(2)
        guard !others.isEmpty, credentials.beginProof() else {
            if credentials.isHopeless { drain.stop(.credentials(refusal.message)) }
            return
        }
        for id in others.reversed() {
            guard let ticket = try await gate.enter() else { return }
            let answer = await market.perform(WriteRequest(.deleteKey(id)))
            observe(answer, leaving: ticket)
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
                product: item.create.product,
                secret: item.machine.operation.secret,
                highWater: item.create.highWater,
                since: item.since,
                answered: item.create.answered
            )
        }
        // Others may be at work on the same market: what they made, or may have made, is not ours.
        let basis = try await state.settlementBasis()
        let skew = time.wall() - basis.now
        let own = Set(batch.map(\.machine.sequence))
        let others = basis.unsettled.filter { $0.isOpenCreate && !($0.run == id && own.contains($0.sequence)) }
        let rivals = others.enumerated().compactMap { index, open in
            open.operation.newProduct.map { product in
                CreateSettlement.OpenCreate(
                    index: creates.count + index,
                    key: open.operation.action == .create ? open.operation.key : nil,
                    product: product,
                    secret: open.operation.secret,
                    highWater: open.highWater,
                    since: open.sentAt + skew
                )
            }
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
    fileprivate func otherProduct(of machine: OperationMachine) -> ProductID? {
        switch self {
        case .start: if case .adopt(let entry, _) = machine.operation.work { entry.id } else { nil }
        case .product(let product): product?.id
        default: nil
        }
    }
}

extension OperationMachine.Action {
    /// Whether a product is now the operation's.
    fileprivate func takes(_ id: ProductID) -> Bool {
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

    /// The message of an outcome that is no success.
    fileprivate var trouble: String? {
        switch self {
        case .succeeded: nil
        case .refused(let refusal): refusal.message
        case .notSent(let trouble), .uncertain(let trouble): trouble.message
        }
    }
}
