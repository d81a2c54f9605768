/// Looks after the session of a run while its work goes on.
struct SessionWatch: Sendable {
    let state: any StateSession
    let drain: DrainSignal
    let clock: any Clock<Duration>
    /// Passes it on to other sessions that the work is to stop; `nil` where there are none.
    var onDrain: (@Sendable () async throws -> Void)?

    private enum Ending<Value: Sendable>: Sendable {
        case done(Value)
        case failed(any Error)
        /// The session was ordered to stop; the work ends by itself.
        case stopped
        /// Nothing may be sent any more, nor be under way.
        case expired
    }

    /// Does the work, which is to stop when the session is ordered to, and is cancelled when its time to send is over.
    ///
    /// - Throws: What the work throws; `StateError`, `superseded` or `io`, where it was cancelled because the session is over
    ///   or the state does not answer.
    func during<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Ending<Value>.self) { group in
            group.addTask {
                do { return .done(try await work()) } catch { return .failed(error) }
            }
            group.addTask {
                if let why = await state.stopOrdered() { drain.stop(.ordered(why)) }
                return .stopped
            }
            if let onDrain {
                group.addTask {
                    await drain.given()
                    do {
                        if !Task.isCancelled { try await onDrain() }
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
                case .done(let value): return value
                case .failed(let error):
                    guard isExpired, error is CancellationError, !Task.isCancelled else { throw error }
                    // A session that is over says so itself.
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

    /// Waits until nothing may be sent any more; each renewal moves that moment on.
    ///
    /// - Returns: `false` when the task was cancelled before.
    private func expiry() async -> Bool {
        while let left = state.timeToSend {
            guard left > .zero else { return true }
            do { try await clock.sleep(for: left) } catch { return false }
        }
        return false
    }
}
