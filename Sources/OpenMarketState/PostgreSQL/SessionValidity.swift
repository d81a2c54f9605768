import OpenMarket
import Synchronization

/// How long a session may send, why it has to stop, and whether it is over, without asking the server.
///
/// The time counts from before the last acknowledged renewal was requested, on a clock that runs while the process is
/// paused. It is two thirds of the lease; the next session waits for the rest.
final class SessionValidity: Sendable {
    /// The server's answer to each change.
    struct Acknowledgement: Sendable {
        var expiresAt: Timestamp
        var orders: StateDirectives
    }

    fileprivate struct State {
        var lease: StateLease
        var renewedAt: ContinuousClock.Instant
        var orders = StateDirectives.proceed
        var end: StateError?
        var waiting: [AsyncStream<String>.Continuation] = []
    }

    let lifetime: Duration
    private let state: Mutex<State>

    init(lifetime: Duration, lease: StateLease, renewedAt: ContinuousClock.Instant) {
        self.lifetime = lifetime
        state = Mutex(State(lease: lease, renewedAt: renewedAt))
    }

    var renewalInterval: Duration { lifetime / 6 }

    /// The time to stop sending at.
    var deadline: ContinuousClock.Instant { state.withLock { $0.renewedAt } + lifetime * 2 / 3 }

    /// The time that requests in flight have left.
    var timeToSend: Duration {
        let (renewedAt, isOver) = state.withLock { ($0.renewedAt, $0.end != nil) }
        return isOver ? .zero : max(.zero, ContinuousClock.now.duration(to: renewedAt + lifetime * 2 / 3))
    }

    func lease() throws(StateError) -> StateLease {
        try requireValid()
        return state.withLock { $0.lease }
    }

    var orders: StateDirectives { state.withLock { $0.orders } }

    func requireValid() throws(StateError) {
        if let end = state.withLock({ $0.end }) { throw end }
    }

    func renew(_ acknowledgement: Acknowledgement, askedAt: ContinuousClock.Instant) {
        notify { state in
            state.renewedAt = max(state.renewedAt, askedAt)
            state.lease.deadline = acknowledgement.expiresAt
            state.orders = acknowledgement.orders
        }
    }

    /// Ends the session; later reasons are ignored.
    func end(_ error: StateError) {
        notify { $0.end = $0.end ?? error }
    }

    /// Waits until sending must stop, and returns the reason; `nil` if the calling task was cancelled.
    func waitForStop() async -> String? {
        let (reasons, waiting) = AsyncStream<String>.makeStream()
        notify { $0.waiting.append(waiting) }
        for await reason in reasons { return reason }
        return nil
    }

    private func notify(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            guard let reason = state.stopReason else { return }
            for waiting in state.waiting { waiting.yield(reason) }
            state.waiting = []
        }
    }
}

extension SessionValidity.State {
    fileprivate var stopReason: String? { end?.message ?? orders.stop }
}
