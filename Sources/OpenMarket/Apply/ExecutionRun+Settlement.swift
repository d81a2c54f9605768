import Logging

/// Creates without reply.
extension ExecutionRun {
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
                let journal = journal(outcomes)
                do {
                    outcomes.note(try await drive(machine, .settled(verdict), journal))
                    try await journal.flush()
                } catch {
                    try await end(journal, outcomes, after: error)
                }
            } collect: { _, _ in
            }
        }
    }

    /// Sends a create again that another session left without a reply, where the market carries out a repeated one once.
    ///
    /// - Parameters:
    ///   - open: The create; follows what is recorded of it.
    ///   - journal: The journal of the operations before.
    /// - Returns: What became of it; `nil` where it has to be looked for, or there is none.
    /// - Throws: What the journal throws, and `CancellationError`.
    func repeatCreate(_ open: inout UnresolvedOperation?, _ journal: RunJournal) async throws -> SettlementVerdict? {
        guard var create = open, create.isOpenCreate, capabilities.repetition != nil else { return nil }
        try await journal.flush()
        create = create.shifted(by: time.wall() - (try await state.now))
        let repeater = CreateRepeater(
            market: market,
            state: state,
            capabilities: capabilities,
            configuration: configuration,
            time: time,
            drain: drain
        )
        let verdict = try await repeater.verdict(on: &create, ledger.snapshot)
        ledger.resume(create.sequence, behind: create.facts)
        open = create
        return verdict
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
