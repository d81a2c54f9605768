import OpenMarket
import Synchronization

/// The progress of sending one request, as evidence of its possible effects at the market.
///
/// A body is requested only after a connection is open and the head is written. A market that never received the body
/// of a POST cannot have acted on it. So a request whose body was not requested provably had no effect.
final class SendProgress: Sendable {
    private let bodyWasAskedFor = Atomic(false)
    private let fault = Mutex<MarketError?>(nil)

    /// Whether the body, or its end, may have been sent.
    var mayHaveArrived: Bool { bodyWasAskedFor.load(ordering: .acquiring) }

    /// The error for a picture that changed while it was sent.
    var inputFault: MarketError? { fault.withLock { $0 } }

    /// Records that the HTTP client requests the body.
    func bodyIsAskedFor() { bodyWasAskedFor.store(true, ordering: .releasing) }

    /// Records an error on this side.
    func fail(_ error: MarketError) { fault.withLock { $0 = error } }
}
