/// Records the facts of operations that are applied one at a time.
///
/// An operation's last fact waits only for the first fact of the next operation. Only computation happens between them,
/// and one commit writes both. So no request is sent before the previous outcome is on disk, and ``flush()`` precedes
/// every wait.
final class RunJournal {
    private struct ClosingFact {
        let event: JournalEvent
        /// The result, which is reported after the fact is written.
        let result: OperationResult
        /// Operations of earlier runs that end with this one.
        var origins: [Recovery.PendingDelete] = []
        /// The operation that begins meanwhile; it is reported after this one's end.
        var successor: (sequence: Int, operation: PlannedOperation)?
        /// The operation, if the state may have its product under another key.
        var machine: OperationMachine?
    }

    /// Resumes an operation whose product belongs to another key in the state.
    typealias Revision = (OperationMachine, _ message: String, RunJournal) async throws -> Void

    private let run: RunID
    private let state: any StateSession
    private let ledger: RunLedger
    private let drain: StopSignal
    private let gate: RequestGate
    private let onEvent: @Sendable (ExecutionEvent) -> Void
    private let revise: Revision
    private var last: ClosingFact?

    init(
        of run: RunID,
        in state: any StateSession,
        ledger: RunLedger,
        drain: StopSignal,
        gate: RequestGate,
        onEvent: @escaping @Sendable (ExecutionEvent) -> Void,
        revise: @escaping Revision
    ) {
        self.run = run
        self.state = state
        self.ledger = ledger
        self.drain = drain
        self.gate = gate
        self.onEvent = onEvent
        self.revise = revise
    }

    func begin(_ operation: PlannedOperation, _ sequence: Int) {
        if last == nil {
            onEvent(.started(sequence: sequence, operation))
        } else {
            last?.successor = (sequence, operation)
        }
    }

    /// Records a fact after the last one of the previous operation, and then applies both in memory.
    ///
    /// Both share a commit if the backend supports that.
    @discardableResult
    func record(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = []
    ) async throws -> StateDirectives {
        let event = journalEvent(sequence, fact, ledger.releasing(mutations))
        do {
            let orders = try await write([last?.event, event].compactMap(\.self))
            try await end()
            ledger.take(event)
            return orders
        } catch let error as StateError where error.code == .taken && last != nil {
            // One of the two failed; now each is written separately.
            try await flush()
        } catch let error as StateError where error.code == .taken {
            ledger.takeBackFact(of: sequence)
            throw error
        }
        ledger.takeBackFact(of: sequence)
        return try await record(sequence, fact, mutations)
    }

    /// Keeps the last fact of an operation, which is written with the next record.
    ///
    /// `mutations` are its state changes. Rethrows errors of writing.
    func close(
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation],
        _ result: OperationResult,
        of machine: OperationMachine
    ) async throws {
        try await flush()
        let event = journalEvent(result.sequence, fact, ledger.releasing(mutations))
        last = ClosingFact(event: event, result: result)
        if state.sharesRuns, event.mutations.contains(where: \.isPut) { last?.machine = machine }
    }

    /// Notes that operations of earlier runs end with the last one, if it ended.
    func finish(_ origins: @autoclosure () -> [Recovery.PendingDelete], with sequence: Int) {
        if last?.result.sequence == sequence { last?.origins = origins() }
    }

    func flush() async throws {
        while let closing = last {
            do {
                try await write([closing.event])
                try await end()
            } catch let error as StateError where error.code == .taken {
                guard let machine = closing.machine else { throw error }
                ledger.takeBackFact(of: machine.sequence)
                last = nil
                try await revise(machine, error.message, self)
                if let (sequence, operation) = closing.successor { begin(operation, sequence) }
            }
        }
    }

    /// The operation whose last fact is not written, if the journal can no longer be written.
    var unwritten: Int? { last?.result.sequence }

    /// Applies the last fact of an operation in memory after it is written.
    private func end() async throws {
        guard let closed = last else { return }
        last = nil
        ledger.take(closed.event)
        onEvent(.finished(closed.result))
        // The delete also completed an earlier run's replace.
        for pending in closed.result.status == .done ? closed.origins : [] {
            let product = ledger.entry(closed.result.key)?.id ?? pending.origin.created
            let fact: JournalEvent.Fact =
                pending.takesBack
                ? .failed("settled: the new product was not as sent and was deleted again") : .succeeded(product)
            try await write([pending.origin.next(fact)])
        }
        if let (sequence, operation) = closed.successor { onEvent(.started(sequence: sequence, operation)) }
    }

    private func journalEvent(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation]
    ) -> JournalEvent {
        let number = ledger.nextFact(of: sequence)
        return JournalEvent(run: run, sequence: sequence, number: number, fact: fact, mutations: mutations)
    }

    @discardableResult
    private func write(_ events: [JournalEvent]) async throws -> StateDirectives {
        do {
            let orders = try await state.record(events.map(ledger.withoutKnownVendor))
            gate.obey(orders)
            if let why = orders.stop { drain.stop(.ordered(why)) }
            return orders
        } catch let error as StateError where error.code == .superseded || error.code == .conflict {
            // Another session may have searched for this one's product without finding it; then only this record shows
            // it.
            for event in events where event.run == run {
                guard let product = ledger.productMade(by: event.sequence) else { continue }
                try await state.recordOrphan(product, of: event.sequence, in: run)
            }
            throw error
        }
    }
}

extension StateMutation {
    fileprivate var isPut: Bool { if case .put = self { true } else { false } }
}
