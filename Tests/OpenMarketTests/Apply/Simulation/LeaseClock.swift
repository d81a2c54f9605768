@testable import OpenMarketTestSupport
import Synchronization

/// What the machine of a session knows of its time, by its own clock, as a session on another machine than the state does.
final class LeaseClock: Sendable {
    private struct State {
        var renewedAt: Duration
        var isOver = false
    }

    private let simulation: Simulation
    private let period: Duration
    private let state: Mutex<State>

    /// A session that begins now, and may send for so long from each renewal on.
    init(_ simulation: Simulation, period: Duration) {
        self.simulation = simulation
        self.period = period
        state = Mutex(State(renewedAt: simulation.now))
    }

    var now: Duration { simulation.now }

    var timeToSend: Duration {
        state.withLock { $0.isOver ? .zero : max(.zero, $0.renewedAt + period - now) }
    }

    /// The backend confirmed what it was asked at a moment.
    func renew(_ askedAt: Duration) { state.withLock { $0.renewedAt = max($0.renewedAt, askedAt) } }

    /// The backend says that the session is over.
    func end() { state.withLock { $0.isOver = true } }
}
