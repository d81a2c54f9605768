extension ExecutionRun {
    func settleSuspended(_ outcomes: RunOutcomes) async throws {
        while true {
            let batch = outcomes.takeSuspended()
            guard !batch.isEmpty else { return }
            let verdicts = try await settle(batch)
            try await forEachConcurrently(batch.indices, width: configuration.parallelism) { index in
                let verdict = verdicts[index] ?? .unresolved("outcome unknown")
                let machine = batch[index].machine
                onEvent(.settled(sequence: machine.sequence, key: machine.operation.key, verdict))
                let journal = RunJournal(of: self, outcomes)
                do {
                    outcomes.note(try await drive(machine, .settled(verdict), journal))
                    try await journal.flush()
                } catch {
                    try await journal.giveUp(after: error)
                }
            }
        }
    }

    /// Repeats a create that another session left without a reply, if the market applies a repeated request once.
    ///
    /// `open` is updated with everything that is recorded; `journal` has the earlier operations.
    ///
    /// `nil` means that the create must be searched for, or that there is none. Rethrows the journal's errors and
    /// throws `CancellationError`.
    func repeatCreate(_ open: inout UnresolvedOperation?, _ journal: RunJournal) async throws -> SettlementVerdict? {
        guard var create = open, create.isOpenCreate, capabilities.repetition != nil else { return nil }
        try await journal.flush()
        create = create.shifted(by: time.wall() - (try await state.now))
        let verdict = try await settler.repeated(&create, in: state, ledger.snapshot)
        ledger.resume(create.sequence, behind: create.facts)
        open = create
        return verdict
    }

    private var settler: CreateSettler {
        CreateSettler(
            market: market,
            capabilities: capabilities,
            configuration: configuration,
            time: time,
            drain: drain
        )
    }

    private func settle(_ batch: [SuspendedOperation]) async throws -> [Int: SettlementVerdict] {
        let creates = batch.enumerated().map { index, item in
            CreateSettlement.OpenCreate(
                index: index,
                key: item.machine.operation.action == .create ? item.machine.operation.key : nil,
                product: item.create.product.asMade(capabilities),
                secret: item.machine.operation.secret,
                highWater: item.create.highWater,
                since: item.since,
                answered: item.create.answered,
                replaced: item.machine.operation.succession?.id,
                isOwn: item.machine.resumption == nil,
                carried: configuration.sendsKeys ? item.machine.operation.key : nil,
                isDuplicate: item.create.isDuplicate,
                isRefusedAtOnce: item.create.objection == .duplicate(isFirst: true)
            )
        }
        let own = Set(batch.map(\.machine.sequence))
        onEvent(.settling(count: creates.count))
        return try await settler.settle(creates, as: ledger.identity.isProven ? ledger.identity : nil) {
            // Other sessions may work on the same market: products that they created, or may have created, are
            // excluded.
            let basis = try await state.basis()
            let skew = time.wall() - basis.now
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
            return CreateSettler.Knowledge(
                snapshot: ledger.withoutLost(basis.snapshot),
                rivals: rivals,
                taken: Set(others.flatMap(\.products))
            )
        }
    }
}
