extension ExecutionRun {
    /// Applies this session's operations, and waits for the others if it began the run.
    func carryOut(_ outcomes: RunOutcomes) async throws {
        if !isBegunHere { try await confirmIdentity() }
        while true {
            try await workThrough(outcomes)
            try await settleSuspended(outcomes)
            guard drain.reason == nil else { return try await leave(outcomes) }
            guard isBegunHere, operations.others > 0 else { return }
            try await idle()
        }
    }

    /// Waits until claiming again is worthwhile.
    func idle() async throws { try await drain.pause(for: configuration.claimInterval, on: time.clock) }

    private func workThrough(_ outcomes: RunOutcomes) async throws {
        let queue = WorkQueue(of: self, outcomes)
        let width =
            operations.isShared
            ? configuration.parallelism : min(configuration.parallelism, operations.planned.count)
        try await withThrowingTaskGroup { group in
            for _ in 0..<width { group.addTask { try await work(through: queue, outcomes) } }
            try await group.waitForAll()
        }
    }

    private func work(through queue: WorkQueue, _ outcomes: RunOutcomes) async throws {
        let journal = RunJournal(of: self, outcomes)
        /// The previous operation, whose last fact may not be written yet.
        var last: WorkQueue.Item?
        do {
            while true {
                var next = queue.nextAtOnce()
                if next == nil {
                    // An outcome is written before anything waits.
                    try await journal.flush()
                    if let item = last.take() { try await end(item, queue, outcomes) }
                    next = try await queue.next()
                }
                guard let item = next else { break }
                let rest = try await carryOut(item.sequence, journal, outcomes)
                outcomes.note(rest)
                if let item = last.take() { try await end(item, queue, outcomes) }
                if case .untouched = rest {
                    try await end(item, queue, outcomes, isBegun: false)
                } else {
                    last = item
                }
            }
        } catch {
            queue.stop()
            try await journal.giveUp(after: error)
        }
    }

    private func carryOut(
        _ sequence: Int,
        _ journal: RunJournal,
        _ outcomes: RunOutcomes
    ) async throws -> MachineResult {
        guard let assignment = operations.assignment(sequence) else { return .untouched(sequence: sequence) }
        if let refusal = assignment.refusal {
            try await journal.flush()
            return try await skip(assignment.operation, sequence, refusal, isOwn: true, outcomes)
        }
        let rest = try await carryOut(assignment, sequence, journal)
        if case .untouched = rest { try await journal.flush() }
        return rest
    }

    /// Notes that an operation's outcome is recorded, or that it was not begun.
    private func end(
        _ item: WorkQueue.Item,
        _ queue: WorkQueue,
        _ outcomes: RunOutcomes,
        isBegun: Bool = true
    ) async throws {
        guard operations.end(1, of: item.part, areBegun: isBegun) else { return }
        try await operations.close(item.part, areFinal: outcomes.areFinal(item.part.sequences))
        queue.close()
    }

    func claim(_ outcomes: RunOutcomes) async throws -> RunOperations.Claim {
        try Task.checkCancellation()
        let claim = try await operations.claim(ledger, mayBegin: drain.reason == nil)
        guard case .part(var part) = claim else { return claim }
        if let caution = part.caution {
            let quiet = configuration.quietPeriod(on: capabilities)
            try await drain.pause(for: caution + quiet, on: time.clock)
            // The chunk is kept, so that the session that gets it next waits as well.
            guard drain.reason == nil else { return .none }
        }
        if part.sequences.isEmpty {
            try await operations.close(part, areFinal: true)
        } else if part.action == .create || part.action == .replace {
            let begun = try await introduce(part, outcomes)
            part.sequences.removeAll { begun.contains($0) }
            if !begun.isEmpty, operations.end(begun.count, of: part) {
                try await operations.close(part, areFinal: outcomes.areFinal(begun.sorted()))
            }
        }
        return .part(part)
    }

    private func skip(
        _ operation: PlannedOperation,
        _ sequence: Int,
        _ refusal: OperationRefusal,
        isOwn: Bool,
        _ outcomes: RunOutcomes
    ) async throws -> MachineResult {
        try await RunJournal(of: self, outcomes).record(sequence, .skipped(refusal.reason))
        let result = OperationResult(sequence, operation, refusal, isOwn: isOwn)
        onEvent(.finished(result))
        return .finished(result)
    }

    // MARK: - Stopping

    /// Orders the run's other sessions to stop, if the reason concerns them.
    func passOnStop() async throws {
        guard operations.isShared, !leavesRest, let reason = drain.reason else { return }
        switch reason {
        case .ordered: break
        case .interrupted, .marketUnreachable, .credentials, .identity, .loss:
            try await state.order(.stop(reason.message), in: id)
        }
    }

    private func leave(_ outcomes: RunOutcomes) async throws {
        guard let reason = drain.reason else { return }
        guard operations.isShared else {
            // These do not send requests, so they need not wait for each other, and many share a commit.
            try await forEachConcurrently(outcomes.untouched, width: 1000) { sequence in
                guard let operation = operations.assignment(sequence)?.operation else { return }
                let refusal = OperationRefusal(.skipped, "not started: \(reason.message)")
                outcomes.note(try await skip(operation, sequence, refusal, isOwn: false, outcomes))
            }
            return
        }
        guard !leavesRest else { return try await operations.giveBack() }
        try await passOnStop()
        guard isBegunHere else { return }
        // The last session records the operations that were not begun, and the end of the run.
        var waited = Duration.zero
        while waited < configuration.stopPatience, try await operations.countOthers() > 0 {
            try await time.clock.sleep(for: configuration.claimInterval)
            waited += configuration.claimInterval
        }
    }
}
