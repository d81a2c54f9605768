import OpenMarket
import Synchronization

/// How far the sending of one request came, for telling afterwards what may have happened at the market.
///
/// A body is asked for only once a connection is open and the head is written. A market that was never given the body of
/// a POST cannot have acted on it, so a request whose body was not asked for provably did nothing.
final class SendProgress: Sendable {
    private let bodyWasAskedFor = Atomic(false)
    private let fault = Mutex<MarketError?>(nil)

    /// Whether the body, or its end, may have left.
    var mayHaveArrived: Bool { bodyWasAskedFor.load(ordering: .acquiring) }

    /// A picture that was found changed while it was sent.
    var inputFault: MarketError? { fault.withLock { $0 } }

    /// Notes that the body is being taken.
    func bodyIsAskedFor() { bodyWasAskedFor.store(true, ordering: .releasing) }

    /// Notes a fault of our own.
    func fail(_ error: MarketError) { fault.withLock { $0 = error } }
}
