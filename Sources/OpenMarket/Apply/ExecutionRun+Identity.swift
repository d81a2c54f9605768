/// Before creates run concurrently, the market must confirm the vendor identity.
///
/// A create under the wrong vendor gives a second listing. So does a create based on an own product that was taken for
/// another vendor's.
extension ExecutionRun {
    /// Whether the vendor identity must be certain before creates on this market.
    private var needsIdentity: Bool { capabilities.ownershipProof == .deleteKey && !ledger.identity.isProven }

    /// Confirms the identity facts that the run needs before its operations begin.
    ///
    /// `operations` are those that are not refused. Rethrows the state's errors and throws `CancellationError`.
    func confirm(for operations: [PlannedOperation]) async throws {
        // Products adopted by a typed vendor number are not written to before that number is confirmed.
        let writesToAdopted =
            operations.contains { $0.action == .adopt } && operations.contains { $0.action == .update }
        if writesToAdopted || operations.contains(where: \.makesProduct) { try await confirmIdentity() }
        if configuration.confirmsOwners { try await confirmOwners(of: operations) }
        // Their ownership rests on the number.
        if writesToAdopted, needsIdentity { stopUnconfirmed() }
    }

    /// Stops the run if the market shows another vendor than stated; returns whether it does.
    @discardableResult
    func stopIfContradicted() -> Bool {
        guard let contradiction = ledger.identity.contradiction else { return false }
        drain.stop(.identity(contradiction))
        return true
    }

    /// Confirms the vendor identity, with read-only requests about products that may be this vendor's.
    ///
    /// If the market does not answer, the reply to the first create decides (``introduce(_:_:)``).
    func confirmIdentity() async throws {
        guard !stopIfContradicted(), needsIdentity, drain.reason == nil else { return }
        for witness in ledger.identity.witnesses {
            guard let answer = try await answer(about: witness) else { return }
            switch answer {
            case .succeeded:
                credentials.observe(answer)
                ledger.learn { $0.confirm(witness.vendorID, by: .deleteKey(witness.id)) }
                stopIfContradicted()
                return
            case .refused(let refusal) where refusal.kind == .credentials:
                return drain.stop(.credentials(refusal.message))
            case .refused where !witness.isManaged:
                // Either it is another vendor's and the number is wrong, or the credentials are wrong: in both cases
                // nothing is created.
                ledger.learn { $0.deny(witness) }
                stopIfContradicted()
                return
            case .refused: continue
            case .notSent, .uncertain: return
            }
        }
    }

    /// Requests a product's delete key until the market answers; this is read-only.
    ///
    /// The last error is returned if there is no answer; `nil` means that the run stopped before.
    private func answer(about witness: VendorIdentity.Witness) async throws -> WriteOutcome? {
        try await drain.untilAnswered(configuration, on: time.clock, jitter: random) {
            guard let ticket = try await gate.enter() else { return nil }
            let outcome = await market.ask(whoseIs: witness.id)
            try await observe(outcome, leaving: ticket)
            return outcome
        }
    }

    /// Asks the market about one product of each vendor whose products are adopted or replaced, except the proven
    /// vendor.
    ///
    /// An `id` in a manifest or a claimed number does not prove it. Another vendor's product could not be deleted after
    /// its replacement exists, and an adopted one could never be written to.
    private func confirmOwners(of operations: [PlannedOperation]) async throws {
        guard capabilities.ownershipProof == .deleteKey else { return }
        for operation in operations {
            guard drain.reason == nil else { return }
            var entry = operation.action == .replace ? ledger.entry(operation.key) : nil
            if case .adopt(let adopted, _) = operation.work { entry = adopted }
            guard let id = entry?.id, let vendor = entry?.vendorID else { continue }
            let identity = ledger.identity
            if identity.isProven, Ownership(showing: vendor, ours: identity.confirmed) == .ours { continue }
            let witness = VendorIdentity.Witness(id: id, vendorID: vendor, isManaged: false)
            guard let answer = try await answer(about: witness) else { return }
            switch answer {
            case .succeeded:
                credentials.observe(answer)
                ledger.learn { $0.confirm(vendor, by: .deleteKey(id)) }
                stopIfContradicted()
            case .refused(let refusal) where refusal.kind == .credentials:
                drain.stop(.credentials(refusal.message))
            case .refused(let refusal):
                // If it was deleted since the plan, the next one is used.
                if refusal.status == 404, try await lookup.product(id) == nil { continue }
                drain.stop(
                    .identity(VendorContradiction(claimed: vendor, confirmed: nil, evidence: .deniedProduct(id)))
                )
            case .notSent(let trouble), .uncertain(let trouble): drain.stop(.marketUnreachable(trouble.message))
            }
        }
    }

    /// Stops a run whose claimed vendor number nothing confirms.
    private func stopUnconfirmed() {
        guard let claim = ledger.identity.claim else { return }
        drain.stop(.identity(VendorContradiction(claimed: claim, confirmed: nil, evidence: .nothing)))
    }

    /// Sends creates one at a time until a reply shows the vendor identity.
    ///
    /// Products whose names are not on the market come first, so that one that must be deleted again is the only one of
    /// its name. Others follow only after the market reported this client's vendor number once.
    ///
    /// Returns the operations that were begun. Rethrows the journal's errors and throws `CancellationError`.
    func introduce(_ part: WorkPart, _ outcomes: RunOutcomes) async throws -> Set<Int> {
        guard needsIdentity, !part.sequences.isEmpty else { return [] }
        var (own, namesakes): ([Int], [Int]) = ([], [])
        for sequence in part.sequences {
            guard let assignment = operations.assignment(sequence), assignment.refusal == nil else { continue }
            if contested.contains(assignment.operation.key) { namesakes.append(sequence) } else { own.append(sequence) }
        }
        var begun = try await introduce(own, outcomes)
        guard needsIdentity, drain.reason == nil, !namesakes.isEmpty else { return begun }
        if ledger.identity.isClaimRemembered {
            begun.formUnion(try await introduce(namesakes, outcomes))
        } else {
            stopUnconfirmed()
        }
        return begun
    }

    /// Sends creates one at a time until a reply shows the vendor identity, or a product is created without showing it.
    ///
    /// Returns the operations that were begun.
    private func introduce(_ sequences: [Int], _ outcomes: RunOutcomes) async throws -> Set<Int> {
        var begun: Set<Int> = []
        for sequence in sequences {
            guard needsIdentity, drain.reason == nil, let assignment = operations.assignment(sequence) else { break }
            begun.insert(sequence)
            let journal = RunJournal(of: self, outcomes)
            let rest = try await carryOut(assignment, sequence, journal)
            if case .untouched = rest {
                begun.remove(sequence)
                break
            }
            outcomes.note(rest)
            try await journal.flush()
            try await settleSuspended(outcomes)
            if !stopIfContradicted(), needsIdentity, case .finished(let result) = rest, result.status == .done {
                // The market accepts the vendor without showing it, so the rest need not wait.
                break
            }
        }
        return begun
    }
}
