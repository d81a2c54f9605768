extension ExecutionRun {
    private enum Ending: Sendable {
        case done
        case failed(any Error)
        /// The session was ordered to stop; the work ends by itself.
        case stopped
        /// The lease has expired: requests may not be sent or pending any more.
        case expired
    }

    /// Applies this session's operations; an order to stop triggers the drain signal, and the end of the lease cancels
    /// the work.
    ///
    /// Rethrows the work's errors. Throws `StateError` with `superseded` or `io` if the work was cancelled because the
    /// session has ended or the state does not answer.
    func carryOutUnderLease(_ outcomes: RunOutcomes) async throws {
        try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                do { try await carryOut(outcomes) } catch { return .failed(error) }
                return .done
            }
            group.addTask {
                if let why = await state.waitForStop() { drain.stop(.ordered(why)) }
                return .stopped
            }
            if operations.isShared {
                group.addTask {
                    await drain.given()
                    do {
                        if !Task.isCancelled { try await passOnStop() }
                        return .stopped
                    } catch {
                        return .failed(error)
                    }
                }
            }
            if state.timeToSend != nil { group.addTask { await expiry() ? .expired : .stopped } }
            defer { group.cancelAll() }
            var isExpired = false
            while let ending = try await group.next() {
                switch ending {
                case .done: return
                case .failed(let error):
                    guard isExpired, error is CancellationError, !Task.isCancelled else { throw error }
                    // This throws if the session has ended.
                    _ = try await state.lease
                    throw StateError.silent(state.location)
                case .stopped: continue
                case .expired:
                    isExpired = true
                    drain.stop(.ordered(StateError.silent(state.location).message))
                    group.cancelAll()
                }
            }
            throw CancellationError()
        }
    }

    /// Waits until the lease ends, which each renewal postpones; false means that the task was cancelled before.
    private func expiry() async -> Bool {
        while let left = state.timeToSend {
            guard left > .zero else { return true }
            do { try await time.clock.sleep(for: left) } catch { return false }
        }
        return false
    }
}
