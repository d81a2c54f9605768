import Synchronization

/// Lets requests leave as the ``Throttle`` allows; the waiting around the value.
final class RequestGate: Sendable {
    private struct State {
        var throttle: Throttle
        /// How many sessions share the market, and how fast they may be together, as was ordered last.
        var orders = StateOrders.proceed
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let time: RunTime
    private let drain: DrainSignal

    init(_ throttle: Throttle, time: RunTime, drain: DrainSignal) {
        self.state = Mutex(State(throttle: throttle))
        self.time = time
        self.drain = drain
    }

    /// Waits until a request may leave.
    ///
    /// - Returns: What to give back with ``leave(_:after:)``; `nil` when the run stopped while the market wanted a pause.
    func enter() async throws -> Int? {
        while true {
            try Task.checkCancellation()
            switch state.withLock({ $0.throttle.admit(at: time.elapsed) }) {
            case .granted(let ticket): return ticket
            case .after(let duration):
                guard drain.reason == nil else { return nil }
                try await drain.pause(for: duration, on: time.clock)
            case .full: await returned()
            }
        }
    }

    /// What ``enter()`` returns, where a request may leave at once; else `nil`.
    func enterAtOnce() throws -> Int? {
        try Task.checkCancellation()
        guard case .granted(let ticket) = state.withLock({ $0.throttle.admit(at: time.elapsed) }) else { return nil }
        return ticket
    }

    /// Gives a request back; `outcome` is `nil` when it never left.
    ///
    /// - Returns: The new width and pause where the run became slower.
    func leave(_ ticket: Int, after outcome: WriteOutcome?) -> (width: Int, pause: Duration?)? {
        let trouble = outcome?.overload
        let (slowed, woken) = state.withLock { state in
            let slowed = state.throttle.release(
                ticket,
                overload: trouble != nil,
                retryAfter: trouble?.retryAfter,
                at: time.elapsed
            )
            let woken = state.waiters
            state.waiters = []
            return (slowed ? (state.throttle.width, trouble?.retryAfter) : nil, woken)
        }
        for waiter in woken { waiter.resume() }
        return slowed
    }

    /// Does what a backend says of when requests may leave, and of how many share the market.
    func obey(_ orders: StateOrders) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if orders.pause > .zero { state.throttle.pause(for: orders.pause, at: time.elapsed) }
            guard (orders.peers, orders.interval) != (state.orders.peers, state.orders.interval) else { return [] }
            state.orders = orders
            state.throttle.share(among: orders.peers, oneRequestIn: orders.interval)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in woken { waiter.resume() }
    }

    /// Waits until a request comes back.
    private func returned() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.throttle.underWay >= state.throttle.width else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
