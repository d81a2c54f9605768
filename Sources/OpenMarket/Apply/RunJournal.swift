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

    private let run: ExecutionRun
    private let outcomes: RunOutcomes
    private var last: ClosingFact?

    init(of run: ExecutionRun, _ outcomes: RunOutcomes) {
        self.run = run
        self.outcomes = outcomes
    }

    func begin(_ operation: PlannedOperation, _ sequence: Int) {
        if last == nil {
            run.onEvent(.started(sequence: sequence, operation))
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
        let event = journalEvent(sequence, fact, run.ledger.releasing(mutations))
        do {
            let orders = try await write([last?.event, event].compactMap(\.self))
            try await end()
            run.ledger.take(event)
            return orders
        } catch let error as StateError where error.code == .taken && last != nil {
            // One of the two failed; now each is written separately.
            try await flush()
        } catch let error as StateError where error.code == .taken {
            run.ledger.takeBackFact(of: sequence)
            throw error
        }
        run.ledger.takeBackFact(of: sequence)
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
        let event = journalEvent(result.sequence, fact, run.ledger.releasing(mutations))
        last = ClosingFact(event: event, result: result)
        let mayBeTaken =
            run.state.sharesRuns && event.mutations.contains { if case .put = $0 { true } else { false } }
        if mayBeTaken { last?.machine = machine }
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
                run.ledger.takeBackFact(of: machine.sequence)
                last = nil
                outcomes.doubt(machine.sequence)
                if let product = machine.ending?.id { run.ledger.release(product, for: machine.operation.key) }
                outcomes.note(try await run.drive(machine, .taken(error.message), self))
                if let (sequence, operation) = closing.successor { begin(operation, sequence) }
            }
        }
    }

    /// Records the outcomes if possible.
    ///
    /// Throws the error, or the loss of the state if that prevents recording.
    func giveUp(after error: any Error) async throws {
        do {
            try await flush()
        } catch let loss {
            if let sequence = last?.result.sequence { outcomes.doubt(sequence) }
            if let loss = loss as? StateError, loss.losesRun { throw loss }
        }
        throw error
    }

    /// Applies the last fact of an operation in memory after it is written.
    private func end() async throws {
        guard let closed = last else { return }
        last = nil
        run.ledger.take(closed.event)
        run.onEvent(.finished(closed.result))
        // The delete also completed an earlier run's replace.
        for pending in closed.result.status == .done ? closed.origins : [] {
            let product = run.ledger.entry(closed.result.key)?.id ?? pending.origin.created
            let fact: JournalEvent.Fact =
                pending.takesBack
                ? .failed("settled: the new product was not as sent and was deleted again") : .succeeded(product)
            try await write([pending.origin.next(fact)])
        }
        if let (sequence, operation) = closed.successor { run.onEvent(.started(sequence: sequence, operation)) }
    }

    private func journalEvent(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation]
    ) -> JournalEvent {
        let number = run.ledger.nextFact(of: sequence)
        return JournalEvent(run: run.id, sequence: sequence, number: number, fact: fact, mutations: mutations)
    }

    @discardableResult
    private func write(_ events: [JournalEvent]) async throws -> StateDirectives {
        do {
            let orders = try await run.state.record(events.map(run.ledger.withoutKnownVendor))
            run.gate.obey(orders)
            if let why = orders.stop { run.drain.stop(.ordered(why)) }
            return orders
        } catch let error as StateError where error.code == .superseded || error.code == .conflict {
            // Another session may have searched for this one's product without finding it; then only this record shows
            // it.
            for event in events where event.run == run.id {
                guard let product = run.ledger.productMade(by: event.sequence) else { continue }
                try await run.state.recordOrphan(product, of: event.sequence, in: run.id)
            }
            throw error
        }
    }
}
