/// Writes down what becomes of the operations that are carried out one after the other.
///
/// The last fact of an operation waits for the first one of the next, and for nothing else: nothing but computing lies
/// between the two, and a disk that has taken one has taken both, at the price of one commit. So no request leaves before
/// the outcome of the one before it is on the disk, and ``flush()`` comes before anything is waited for.
final class RunJournal {
    /// The last fact of an operation, on its way.
    private struct ClosingFact {
        let event: JournalEvent
        /// How the operation ended; reported once the fact is written.
        let result: OperationResult
        /// Operations of earlier runs that end with this one.
        var origins: [Recovery.PendingDelete] = []
        /// The operation that begins meanwhile; reported after this one's end.
        var successor: (sequence: Int, operation: PlannedOperation)?
        /// The operation, where the state may know its product as another key's.
        var machine: OperationMachine?
    }

    /// Takes an operation back into work whose product the state knows as another key's.
    typealias Revision = (OperationMachine, _ message: String, RunJournal) async throws -> Void

    private let run: RunID
    private let state: any StateSession
    private let ledger: RunLedger
    private let drain: DrainSignal
    private let gate: RequestGate
    private let onEvent: @Sendable (ExecutionEvent) -> Void
    private let revise: Revision
    private var last: ClosingFact?

    /// A journal with nothing on its way.
    init(
        of run: RunID,
        in state: any StateSession,
        ledger: RunLedger,
        drain: DrainSignal,
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

    /// Takes note that an operation begins.
    func begin(_ operation: PlannedOperation, _ sequence: Int) {
        if last == nil {
            onEvent(.started(sequence: sequence, operation))
        } else {
            last?.successor = (sequence, operation)
        }
    }

    /// Writes a fact behind the last one of the operation before, both in one commit where the backend can, and follows
    /// them in memory.
    @discardableResult
    func record(
        _ sequence: Int,
        _ fact: JournalEvent.Fact,
        _ mutations: [StateMutation] = []
    ) async throws -> StateOrders {
        let event = journalEvent(sequence, fact, ledger.releasing(mutations))
        do {
            let orders = try await write([last?.event, event].compactMap(\.self))
            try await end()
            ledger.take(event)
            return orders
        } catch let error as StateError where error.code == .taken && last != nil {
            // One of the two; now each is written by itself.
            try await flush()
        } catch let error as StateError where error.code == .taken {
            ledger.takeBackFact(of: sequence)
            throw error
        }
        ledger.takeBackFact(of: sequence)
        return try await record(sequence, fact, mutations)
    }

    /// Takes the last fact of an operation, which is written with the next record.
    ///
    /// - Parameters:
    ///   - fact: The fact.
    ///   - mutations: What it means for the state.
    ///   - result: How the operation ends.
    ///   - machine: The operation.
    /// - Throws: What writing throws.
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

    /// Takes note that operations of earlier runs end with the last one, where it ended.
    func finish(_ origins: @autoclosure () -> [Recovery.PendingDelete], with sequence: Int) {
        if last?.result.sequence == sequence { last?.origins = origins() }
    }

    /// Writes what is on its way.
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

    /// The operation whose last fact is not written, where the journal cannot be written any more.
    var unwritten: Int? { last?.result.sequence }

    /// Follows the last fact of an operation in memory, once it is written.
    private func end() async throws {
        guard let closed = last else { return }
        last = nil
        ledger.take(closed.event)
        onEvent(.finished(closed.result))
        // The delete was the rest of an earlier run's replace: that one is over, too.
        for pending in closed.result.status == .done ? closed.origins : [] {
            let product = ledger.entry(closed.result.key)?.id ?? pending.origin.created
            try await write([
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

    /// Writes facts, and does what the backend says.
    @discardableResult
    private func write(_ events: [JournalEvent]) async throws -> StateOrders {
        do {
            let orders = try await state.record(events.map(ledger.withoutKnownVendor))
            gate.obey(orders)
            if let why = orders.stop { drain.stop(.ordered(why)) }
            return orders
        } catch let error as StateError where error.code == .superseded || error.code == .conflict {
            // Another session has looked for what this one sent, and may not have found it: then nothing else knows the product.
            for event in events where event.run == run {
                guard let product = ledger.productMade(by: event.sequence) else { continue }
                try await state.disown(product, of: event.sequence, in: run)
            }
            throw error
        }
    }
}

extension StateMutation {
    /// Whether a key comes to mean a product by it.
    fileprivate var isPut: Bool { if case .put = self { true } else { false } }
}
