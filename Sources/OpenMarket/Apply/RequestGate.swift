/// Delays requests as the ``Throttle`` requires.
final class RequestGate: Sendable {
    private struct State {
        var throttle: Throttle
        /// The backend's last orders: how many sessions share the market, and their common rate.
        var orders = StateDirectives.proceed
    }

    private let state: Monitor<State>
    private let time: RunTime
    private let drain: StopSignal

    init(_ throttle: Throttle, time: RunTime, drain: StopSignal) {
        self.state = Monitor(State(throttle: throttle))
        self.time = time
        self.drain = drain
    }

    /// Waits until a request may be sent; returns the ticket for ``leave(_:after:)``.
    ///
    /// `nil` means that the run stopped during a pause that the market asked for.
    func enter() async throws -> Int? {
        while true {
            try Task.checkCancellation()
            switch state.withLock({ $0.throttle.admit(at: time.elapsed) }) {
            case .granted(let ticket): return ticket
            case .after(let duration):
                guard drain.reason == nil else { return nil }
                try await drain.pause(for: duration, on: time.clock)
            case .full: await state.wait { $0.throttle.underWay < $0.throttle.width ? true : nil }
            }
        }
    }

    /// The result of ``enter()`` if a request may be sent at once, otherwise `nil`.
    func enterAtOnce() throws -> Int? {
        try Task.checkCancellation()
        guard case .granted(let ticket) = state.withLock({ $0.throttle.admit(at: time.elapsed) }) else { return nil }
        return ticket
    }

    /// Returns a ticket; `outcome` is `nil` if the request was not sent.
    ///
    /// The result has the new width and pause if the run became slower.
    func leave(_ ticket: Int, after outcome: WriteOutcome?) -> (width: Int, pause: Duration?)? {
        let trouble = outcome?.overload
        return state.change { state in
            let slowed = state.throttle.release(
                ticket,
                overload: trouble != nil,
                retryAfter: trouble?.retryAfter,
                at: time.elapsed
            )
            return slowed ? (state.throttle.width, trouble?.retryAfter) : nil
        }
    }

    /// Applies a backend's orders on the pace of requests and the number of sessions that share the market.
    func obey(_ orders: StateDirectives) {
        let isShared = state.withLock { state in
            if orders.pause > .zero { state.throttle.pause(for: orders.pause, at: time.elapsed) }
            return (orders.peers, orders.interval) == (state.orders.peers, state.orders.interval)
        }
        guard !isShared else { return }
        state.change { state in
            state.orders = orders
            state.throttle.share(among: orders.peers, oneRequestIn: orders.interval)
        }
    }
}
