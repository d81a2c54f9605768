@testable import OpenMarket
import Synchronization

/// Several sessions in one run.
extension MemoryState {
    /// Two thirds of a session's lifetime, from its last use on.
    var takeoverDelay: Duration { lifetime.map { $0 - $0 / 3 } ?? .zero }

    func join(_ scope: MarketScope, for command: String) async throws -> (any StateSession)? {
        let now = wallTime()
        let number = contents.withLock { contents -> Int64? in
            let live = contents.holders(of: scope).filter { $0.isValid(at: now) }
            guard let run = live.lazy.compactMap(\.run).first else { return nil }
            let number = contents.add(to: scope, command, until: deadline(from: now))
            contents.takePart(number, of: scope, in: run, at: now)
            return number
        }
        return number.map { MemorySession(backend: self, scope: scope, number: $0) }
    }

    /// Extends a session's deadline, as a session on another machine does by itself; returns whether it still exists.
    func renew(_ scope: MarketScope, _ number: Int64) -> Bool {
        let now = wallTime()
        return contents.withLock { contents in
            guard contents.holders[scope]?[number] != nil else { return false }
            contents.holders[scope]?[number]?.lease.deadline = deadline(from: now)
            return true
        }
    }

    func runUnderWay(_ scope: MarketScope) -> RunUnderWay? {
        let now = wallTime()
        return contents.withLock { contents in
            let live = contents.holders(of: scope).filter { $0.isValid(at: now) }
            guard let id = live.lazy.compactMap(\.run).first, let records = contents.markets[scope],
                let run = records.runs.first(where: { $0.record.id == id && $0.finishedAt == nil })
            else { return nil }
            return RunUnderWay(
                record: run.record,
                startedAt: run.startedAt,
                operations: run.operations.count,
                totals: run.counted,
                participants: run.participants,
                stop: run.stop,
                now: now
            )
        }
    }

    // MARK: - For its sessions

    func takePart(_ scope: MarketScope, _ number: Int64, in run: RunID) {
        let now = wallTime()
        contents.withLock { $0.takePart(number, of: scope, in: run, at: now) }
    }

    /// Leaves a run; returns whether no other session takes part.
    func leave(_ scope: MarketScope, _ number: Int64, _ run: RunID) throws -> Bool {
        let now = wallTime()
        return try contents.withLock { contents in
            guard contents.holders[scope]?[number] != nil else { throw StateError.superseded(location, number) }
            let isLast = !contents.holders(of: scope).contains {
                $0.run == run && $0.lease.number != number && $0.isValid(at: now)
            }
            if !isLast {
                contents.holders[scope]?[number]?.run = nil
                contents.markets[scope]?.release(run, of: number)
            }
            contents.noteEnd(of: number, scope, at: now)
            return isLast
        }
    }

    func claim(_ scope: MarketScope, _ number: Int64) throws -> RunClaim {
        let now = wallTime()
        contents.withLock { contents in
            for holder in contents.holders(of: scope) where !holder.isValid(at: now) && holder.lease.number != number {
                contents.end(holder, of: scope, at: now)
            }
        }
        wakeStopped()
        var claim = RunClaim.wait
        try commit(scope, number, "claim") { records, _, holders in
            guard let run = holders[number]?.run else { throw StateError.superseded(location, number) }
            claim = records.claim(run, for: number, among: holders)
        }
        return claim
    }

    func finish(_ scope: MarketScope, _ number: Int64, _ chunk: Int, as progress: ChunkProgress) throws {
        let run = contents.withLock { $0.holders[scope]?[number]?.run }
        try commit(scope, number, "chunk \(chunk): \(progress)") { records, _, _ in
            guard let index = records.runs.firstIndex(where: { $0.record.id == run }),
                records.runs[index].chunks.indices.contains(chunk),
                records.runs[index].chunks[chunk].session == number
            else { throw StateError(.conflict, "session \(number) does not have chunk \(chunk)") }
            records.runs[index].chunks[chunk].progress = progress.rawValue
            if progress == .returned { records.runs[index].chunks[chunk].session = nil }
        }
    }

    /// Makes all sessions leave the market alone for a while.
    func pause(_ scope: MarketScope, _ number: Int64, for duration: Duration) throws {
        let until = wallTime() + duration
        try commit(scope, number, "pause \(duration)") { _, _, _ in }
        contents.withLock { contents in
            contents.pausedUntil[scope] = max(contents.pausedUntil[scope] ?? .epoch, until)
        }
    }

    /// Waits until a session must stop, or has ended.
    func waitForStop(_ scope: MarketScope, _ number: Int64) async -> String? {
        let id = contents.withLock { contents in
            contents.nextWaiter += 1
            return contents.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    guard !Task.isCancelled else { return true }
                    contents.waiters[id] = Waiter(scope: scope, session: number, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume(returning: nil) } else { wakeStopped() }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: nil)
        }
    }

    /// Wakes the tasks whose session must stop, or has ended.
    func wakeStopped() {
        let woken = contents.withLock { contents in
            contents.waiters.compactMap { id, waiter -> (id: UInt64, waiter: Waiter, why: String)? in
                let holder = contents.holders[waiter.scope]?[waiter.session]
                let why =
                    holder.map { contents.stop(of: $0, waiter.scope) }
                    ?? StateError.superseded(location, waiter.session).message
                return why.map { (id, waiter, $0) }
            }
        }
        for (id, _, why) in woken {
            contents.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: why)
        }
    }
}

extension MemoryState.Contents {
    func holders(of scope: MarketScope) -> [MemoryState.Holder] {
        (holders[scope] ?? [:]).values.sorted { $0.lease.number < $1.lease.number }
    }

    mutating func add(to scope: MarketScope, _ command: String, until deadline: Timestamp?) -> Int64 {
        let number = (sessions[scope] ?? 0) + 1
        if number == 1 { order.append(scope) }
        sessions[scope] = number
        holders[scope, default: [:]][number] = MemoryState.Holder(
            lease: StateLease(number: number, deadline: deadline),
            command: command
        )
        return number
    }

    /// Ends a session, whether it still exists or not.
    mutating func end(_ holder: MemoryState.Holder, of scope: MarketScope, at now: Timestamp) {
        noteEnd(of: holder.lease.number, scope, at: now)
        holders[scope]?[holder.lease.number] = nil
    }

    mutating func takePart(_ number: Int64, of scope: MarketScope, in run: RunID, at now: Timestamp) {
        guard let holder = holders[scope]?[number],
            let index = markets[scope]?.runs.firstIndex(where: { $0.record.id == run })
        else { return }
        holders[scope]?[number]?.run = run
        markets[scope]?.runs[index].participants.append(
            RunUnderWay.Participant(session: number, host: "memory", process: 0, command: holder.command, since: now)
        )
    }

    mutating func noteEnd(of number: Int64, _ scope: MarketScope, at now: Timestamp) {
        guard let run = holders[scope]?[number]?.run,
            let index = markets[scope]?.runs.firstIndex(where: { $0.record.id == run }),
            let place = markets[scope]?.runs[index].participants.firstIndex(where: { $0.session == number })
        else { return }
        markets[scope]?.runs[index].participants[place].endedAt = now
    }

    /// Why a session must send nothing more.
    func stop(of holder: MemoryState.Holder, _ scope: MarketScope) -> String? {
        if let stopReason { return stopReason }
        guard let run = holder.run else { return nil }
        return markets[scope]?.runs.first { $0.record.id == run }?.stop
    }

    func orders(to holder: MemoryState.Holder, of scope: MarketScope, at now: Timestamp) -> StateDirectives {
        StateDirectives(
            stop: stop(of: holder, scope),
            pause: max(.zero, (pausedUntil[scope] ?? .epoch) - now),
            peers: (holders[scope] ?? [:]).values.count { $0.isValid(at: now) },
            interval: holder.run.flatMap { run in
                markets[scope]?.runs.first { $0.record.id == run }?.interval
            } ?? .zero
        )
    }
}

extension MarketRecords {
    /// Products that sessions created after their end.
    var orphanedProducts: [OrphanedProduct] {
        orphans.compactMap { orphan in
            guard let run = runs.first(where: { $0.record.id == orphan.run }),
                run.operations.indices.contains(orphan.sequence)
            else { return nil }
            return OrphanedProduct(
                id: orphan.id,
                run: orphan.run,
                sequence: orphan.sequence,
                operation: run.operations[orphan.sequence].operation
            )
        }
    }

    mutating func claim(_ run: RunID, for number: Int64, among holders: [Int64: MemoryState.Holder]) -> RunClaim {
        guard let index = runs.firstIndex(where: { $0.record.id == run }) else { return .none(others: 0) }
        let others = holders.values.count { $0.run == run && $0.lease.number != number }
        let open = runs[index].chunks.indices.filter { runs[index].chunks[$0].progress == 0 }
        guard runs[index].stop == nil else { return .none(others: others) }
        let phase = open.map { runs[index].chunks[$0].cut.phase }.min()
        let free = open.first { chunk in
            let chunk = runs[index].chunks[chunk]
            return chunk.cut.phase == phase && (chunk.session.map { holders[$0]?.run != run } ?? true)
        }
        // A finished chunk whose session was lost before it settled its unknown outcomes.
        let abandoned = runs[index].chunks.firstIndex { chunk in
            chunk.progress == ChunkProgress.known.rawValue && chunk.session.map { holders[$0]?.run != run } ?? false
        }
        guard let free = free ?? abandoned else { return phase == nil ? .none(others: others) : .wait }
        let isTakenOver = runs[index].chunks[free].session != nil
        runs[index].chunks[free].session = number
        let unresolvedOnes = Dictionary(
            unresolved.lazy.filter { $0.run == run }.map { ($0.sequence, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let operations = runs[index].chunks[free].cut.sequences.map { sequence in
            let row = runs[index].operations[sequence]
            return ClaimedOperation(
                sequence: sequence,
                operation: row.operation,
                facts: row.facts.count,
                unresolved: unresolvedOnes[sequence]
            )
        }
        return .chunk(
            ClaimedChunk(
                number: free,
                phase: runs[index].chunks[free].cut.phase,
                operations: operations,
                entries: operations.compactMap { snapshot.entries[$0.operation.key] },
                isTakenOver: isTakenOver
            )
        )
    }

    /// Leaves unchanged what a session could not settle before it left a run.
    mutating func release(_ run: RunID, of number: Int64) {
        guard let index = runs.firstIndex(where: { $0.record.id == run }) else { return }
        for chunk in runs[index].chunks.indices
        where runs[index].chunks[chunk].session == number
            && runs[index].chunks[chunk].progress == ChunkProgress.known.rawValue
        {
            runs[index].chunks[chunk].session = nil
        }
    }

    /// Closes a run, or only notes the totals of a session that leaves it.
    mutating func finish(
        _ run: RunID,
        _ totals: RunTotals,
        interrupted: Bool,
        isLast: Bool,
        at now: Timestamp
    ) throws(StateError) {
        guard let index = runs.firstIndex(where: { $0.record.id == run }) else { throw .unknownRun(run) }
        let isShared = !runs[index].chunks.isEmpty
        if isShared { runs[index].stale += totals.stale }
        runs[index].interrupted = runs[index].interrupted || interrupted
        guard isLast else { return }
        if isShared, let why = runs[index].stop {
            for sequence in runs[index].operations.indices where runs[index].operations[sequence].facts.isEmpty {
                runs[index].operations[sequence].take(.skipped("not started: \(why)"), at: now)
            }
        }
        liveRuns.remove(run)
        runs[index].finishedAt = now
        runs[index].totals = isShared ? runs[index].counted : totals
    }
}

extension MarketRecords.Run {
    /// The totals so far, from the facts.
    var counted: RunTotals { RunTotals(operations.map { ($0.status, 1) }, stale: stale) }
}
