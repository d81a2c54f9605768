import OpenMarket
import Synchronization

/// Until when a session may send, why it has to stop, and whether it is over: what is known of it without asking the server.
///
/// The time counts from before the last acknowledged renewal was asked for, on a clock that a pause of the process does not
/// stop. It is two thirds of the lease: whoever takes the session's place waits for the rest.
final class SessionValidity: Sendable {
    /// What the server says with each change.
    struct Acknowledgement: Sendable {
        var expiresAt: Timestamp
        var orders: StateOrders
    }

    fileprivate struct State {
        var lease: StateLease
        var renewedAt: ContinuousClock.Instant
        var orders = StateOrders.proceed
        var end: StateError?
        var waiting: [Int: CheckedContinuation<String?, Never>] = [:]
        var waited = 0
    }

    let lifetime: Duration
    private let state: Mutex<State>

    init(lifetime: Duration, lease: StateLease, renewedAt: ContinuousClock.Instant) {
        self.lifetime = lifetime
        state = Mutex(State(lease: lease, renewedAt: renewedAt))
    }

    /// How often a session is renewed.
    var renewalInterval: Duration { lifetime / 6 }

    /// From when on nothing may be sent.
    var deadline: ContinuousClock.Instant { state.withLock { $0.renewedAt } + lifetime * 2 / 3 }

    /// How much longer requests may be under way.
    var timeToSend: Duration {
        let (renewedAt, isOver) = state.withLock { ($0.renewedAt, $0.end != nil) }
        return isOver ? .zero : max(.zero, ContinuousClock.now.duration(to: renewedAt + lifetime * 2 / 3))
    }

    /// The session's lease.
    ///
    /// - Throws: ``StateError`` where it is over.
    func lease() throws(StateError) -> StateLease {
        try requireValid()
        return state.withLock { $0.lease }
    }

    /// What was ordered last.
    var orders: StateOrders { state.withLock { $0.orders } }

    /// Makes sure that the session is not over.
    ///
    /// - Throws: ``StateError``.
    func requireValid() throws(StateError) {
        if let end = state.withLock({ $0.end }) { throw end }
    }

    /// Takes over that the server renewed the session.
    func renew(_ acknowledgement: Acknowledgement, askedAt: ContinuousClock.Instant) {
        notify { state in
            state.renewedAt = max(state.renewedAt, askedAt)
            state.lease.deadline = acknowledgement.expiresAt
            state.orders = acknowledgement.orders
        }
    }

    /// Ends it; the first reason stays.
    func end(_ error: StateError) {
        notify { $0.end = $0.end ?? error }
    }

    /// Waits until nothing more may be sent.
    ///
    /// - Returns: Why; `nil` when the calling task was cancelled.
    func stopOrdered() async -> String? {
        let number = state.withLock { state in
            state.waited += 1
            return state.waited
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state -> String?? in
                    if let reason = state.stopReason { return .some(reason) }
                    if Task.isCancelled { return .some(nil) }
                    state.waiting[number] = continuation
                    return .none
                }
                if let reason { continuation.resume(returning: reason) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }

    private func notify(_ change: (inout State) -> Void) {
        let (reason, waiting) = state.withLock { state -> (String?, [CheckedContinuation<String?, Never>]) in
            change(&state)
            guard let reason = state.stopReason else { return (nil, []) }
            defer { state.waiting = [:] }
            return (reason, Array(state.waiting.values))
        }
        for continuation in waiting { continuation.resume(returning: reason) }
    }
}

extension SessionValidity.State {
    fileprivate var stopReason: String? { end?.message ?? orders.stop }
}
