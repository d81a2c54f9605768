/// A run in progress: performs the machines' actions and feeds the results back.
struct ExecutionRun: Sendable {
    let id: RunID
    let market: any Market
    let state: any StateSession
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    let time: RunTime
    let random: @Sendable () -> Double
    let onEvent: @Sendable (ExecutionEvent) -> Void
    let drain: StopSignal
    let gate: RequestGate
    let ledger: RunLedger
    let lookup: ProductLookup
    let credentials: CredentialsWatch
    /// The keys of products that are created only after the market has confirmed the vendor identity.
    var contested: Set<String> = []
    let operations: RunOperations
    private let uploads = SharedUploads()
    /// The unfinished deletes of earlier runs; their operations are in `operations`.
    var pendingDeletes: [Recovery.PendingDelete] = []
    /// Whether this session began the run, so that the whole run stops with it.
    var isBegunHere = false

    /// Whether other sessions continue with the rest of this session's work.
    var leavesRest: Bool { !isBegunHere && drain.reason.map { !$0.concernsAll } ?? false }

    /// Applies one operation, unless the run is stopping.
    func carryOut(_ assignment: Assignment, _ sequence: Int, _ journal: RunJournal) async throws -> MachineResult {
        try Task.checkCancellation()
        let operation = assignment.operation
        guard drain.reason == nil else { return .untouched(sequence: sequence) }
        journal.begin(operation, sequence)
        var unresolved = assignment.unresolved
        let verdict = try await repeatCreate(&unresolved, journal)
        let machine = OperationMachine(
            sequence: sequence,
            operation: operation,
            entry: ledger.entry(operation.key),
            capabilities: capabilities,
            configuration: configuration,
            resumption: unresolved
        )
        var rest = try await drive(machine, .start, journal)
        if case .suspended(let suspended) = rest, let verdict {
            rest = try await drive(suspended.machine, .settled(verdict), journal)
        }
        if operation.action == .delete {
            journal.finish(pendingDeletes.filter { $0.operation.id == operation.id }, with: sequence)
        }
        return rest
    }

    private struct Course {
        var ticket: Int?
        /// The newest id when the last request was recorded.
        var highWater: MarketID?
        /// The backend's reply when the next request was recorded.
        var orders = StateDirectives.proceed
        var attempts = 0
        var lastStep: (step: RequestStep, trouble: String)?
        var made: MarketID?
    }

    /// Performs a machine's actions, beginning with the event `first`, until it rests.
    ///
    /// Rethrows the journal's errors and throws `CancellationError`.
    func drive(
        _ machine: consuming OperationMachine,
        _ first: OperationMachine.Event,
        _ journal: RunJournal
    ) async throws -> MachineResult {
        var machine = machine
        var event = first
        var course = Course()
        while true {
            let action = self.action(of: &machine, on: event, &course)
            if !action.leadsToRequest, let ticket = course.ticket.take() { _ = gate.leave(ticket, after: nil) }
            switch action {
            case .record(.sent(let step, let newest, var fingerprint), let mutations):
                // It shows a later run whether it can repeat the request.
                if fingerprint?.idempotencyKey != nil {
                    fingerprint?.digest = machine.announcedRequest.flatMap(market.bodyDigest)
                }
                let fact = JournalEvent.Fact.sent(step, highWater: newest, fingerprint: fingerprint)
                let isWritten = try await announce(fact, mutations, machine.sequence, &course, journal)
                event = isWritten ? .recorded : .heldBack
                guard isWritten else { continue }
                course.highWater = newest
                // A create is sent only after the state's product was searched for.
                if step == .create, machine.operation.action == .create { ledger.noteMissing(machine.operation.key) }
            case .record(let fact, let mutations):
                if let result = machine.ending {
                    // Another session performs the operations that this one skips.
                    if result.status == .skipped, leavesRest { return .untouched(sequence: machine.sequence) }
                    try await journal.close(fact, mutations, result, of: machine)
                    return .finished(result)
                }
                do {
                    try await journal.record(machine.sequence, fact, mutations)
                    event = .recorded
                } catch let error as StateError where error.code == .taken {
                    if let product = machine.made.id { ledger.release(product, for: machine.operation.key) }
                    event = .taken(error.message)
                }
            case .send(let request):
                event = try await send(request, of: machine.operation, machine.sequence, &course)
            case .wait(let duration):
                reportRetry(of: machine, after: duration, course)
                try await journal.flush()
                try await drain.pause(for: duration, on: time.clock)
                event = .waited
            case .readProduct(let id):
                try await journal.flush()
                // A product is read when the request may be sent, because others may change it while the request waits.
                if machine.readsForRequest, course.ticket == nil {
                    course.ticket = try await gate.enter()
                    guard course.ticket != nil else {
                        event = .heldBack
                        continue
                    }
                }
                do {
                    try Task.checkCancellation()
                    event = .product(try await lookup.product(id))
                } catch let error as MarketError {
                    event = .unreadable(error.message)
                } catch {
                    if let ticket = course.ticket { _ = gate.leave(ticket, after: nil) }
                    throw error
                }
            case .settle(let create):
                return .suspended(SuspendedOperation(machine: machine, create: create, since: time.wall()))
            case .finish(let result):
                try await journal.flush()
                onEvent(.finished(result))
                return .finished(result)
            }
        }
    }

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
                ?? event.subject(of: machine).flatMap { ledger.holder(of: $0.id, shownAs: $0.shown, besides: key) },
            // 128 random bits.
            freshIdempotencyKey: capabilities.repetition.map { _ in
                (0..<4).map { _ in String(UInt32(random() * 0x1p32), radix: 16, width: 8) }.joined()
            }
        )
        var action = machine.handle(event, now)
        if case .record(let fact, let mutations) = action {
            let mutations = machine.operation.renaming(with: fact) + mutations
            action = .record(fact, configuration.withOrigin(mutations, of: machine.operation))
        }
        if let loss = machine.loss { drain.stop(.loss(loss)) }
        if let product, !action.takes(product) { ledger.release(product, for: key) }
        return action
    }

    /// Records a request as soon as it may be sent; returns whether it may.
    private func announce(
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation],
        _ sequence: Int,
        _ course: inout Course,
        _ journal: RunJournal
    ) async throws -> Bool {
        var admitted = try course.ticket.take() ?? gate.enterAtOnce()
        if admitted == nil {
            try await journal.flush()
            admitted = try await gate.enter()
        }
        guard let admitted else { return false }
        if case .sent(.update, _, _) = fact, case .loss? = drain.reason {
            _ = gate.leave(admitted, after: nil)
            return false
        }
        do {
            course.orders = try await journal.record(sequence, fact, mutations)
        } catch {
            // The other tasks are not cancelled: they end their operations, and may wait for the ticket.
            _ = gate.leave(admitted, after: nil)
            throw error
        }
        course.ticket = admitted
        return true
    }

    /// Sends a recorded request, unless the backend refused or postponed it.
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
        let outcome = await perform(request)
        if case .succeeded(let reply) = outcome, request.step == .create, let product = reply.product {
            course.made = product.id
            ledger.noteMade(product.id, by: sequence)
        }
        if let ticket { try await observe(outcome, leaving: ticket) }
        try await checkCredentials(outcome, of: operation)
        course.attempts += 1
        course.lastStep = (request.step, outcome.message ?? "")
        return .outcome(outcome)
    }

    private func perform(_ request: WriteRequest) async -> WriteOutcome {
        guard case .upload(let picture) = request.kind else { return await state.send(request, to: market, drain) }
        let lifetime = capabilities.pictureReferenceLifetime
        return await uploads.outcome(of: picture.digest, knownFor: lifetime, { time.elapsed }) {
            await state.send(request, to: market, drain)
        }
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

    /// Applies an outcome to the whole run: it may slow or stop it.
    ///
    /// A pause that the market requests reaches all sessions.
    func observe(_ outcome: WriteOutcome, leaving ticket: Int) async throws {
        if let slowed = gate.leave(ticket, after: outcome) {
            onEvent(.slowed(width: slowed.width, pause: slowed.pause))
        }
        if ledger.observe(outcome, limit: configuration.breakerThreshold), let trouble = outcome.trouble {
            drain.stop(.marketUnreachable(trouble.message))
        } else if let pause = outcome.trouble?.retryAfter, pause > RetryDelays.longestPause {
            let seconds = Int((pause / .seconds(1)).rounded(.up))
            drain.stop(.marketUnreachable("the market accepts requests again in \(seconds) s, too long to wait"))
        }
        if let pause = outcome.overload?.retryAfter {
            try await state.order(.pause(min(pause, RetryDelays.longestPause)), in: id)
        }
    }

    /// Checks whether a refusal is about the credentials, and so affects every later request.
    ///
    /// A status shows that only in part (``WriteRefusal/Kind``), and message texts never do. As long as no request was
    /// accepted, the run requests the delete keys of other own products. Such a request contains only the credentials,
    /// and is read-only.
    private func checkCredentials(_ outcome: WriteOutcome, of operation: PlannedOperation) async throws {
        credentials.observe(outcome)
        guard case .refused(let refusal) = outcome, refusal.mayBeAboutCredentials, drain.reason == nil else { return }
        // Without credentials, requests are not sent.
        guard refusal.status > 0 else { return drain.stop(.credentials(refusal.message)) }
        // Passwords of single items are independent of each other.
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
}

extension PlannedOperation {
    /// The renamed key, which the first fact of an operation that has an effect carries; later ones do not change it.
    fileprivate func renaming(with fact: JournalEvent.Fact) -> [StateMutation] {
        guard let renamedFrom, fact.status != .failed, fact.status != .skipped else { return [] }
        return [.rename(from: renamedFrom, to: key)]
    }
}

extension OperationMachine.Event {
    /// The product that the event is about, other than the one in a reply, as the market shows it now.
    fileprivate func subject(of machine: OperationMachine) -> (id: MarketID, shown: LiveProduct?)? {
        switch self {
        case .start: if case .adopt(let entry, _) = machine.operation.work { (entry.id, nil) } else { nil }
        case .product(let product?): (product.id, product)
        case .settled(.happened(let product, _)): (product.id, nil)
        default: nil
        }
    }
}

extension OperationMachine.Action {
    /// Whether this action sends a request, or leads directly to one.
    fileprivate var leadsToRequest: Bool {
        switch self {
        case .record(.sent, _), .send, .readProduct: true
        case .record, .wait, .settle, .finish: false
        }
    }

    fileprivate func takes(_ id: MarketID) -> Bool {
        guard case .record(_, let mutations) = self else { return false }
        return mutations.contains { if case .put(let entry) = $0 { entry.id == id } else { false } }
    }
}
