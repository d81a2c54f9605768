import Hummingbird
import NIOCore
import Synchronization

/// What a request carries through the middlewares.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection, for the faults that cut it.
    let channel: any Channel
    /// What the handler did.
    let effect = Effect()
    /// What the request's body takes of the memory for bodies.
    let reservation = Holder()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Holds a share of the memory for as long as the context lives.
    final class Holder: Sendable {
        private let reservation = Mutex<BodyBudget.Reservation?>(nil)

        func hold(_ reservation: BodyBudget.Reservation) {
            self.reservation.withLock { $0 = reservation }
        }
    }

    /// Which product a writing request touched, and what was wrong with a request.
    final class Effect: Sendable {
        private let id = Mutex<Int64?>(nil)
        private let fault = Mutex<String?>(nil)

        var product: Int64? {
            get { id.withLock { $0 } }
            set { id.withLock { $0 = newValue } }
        }

        /// What was wrong with the request.
        var reason: String? {
            get { fault.withLock { $0 } }
            set { fault.withLock { $0 = newValue } }
        }
    }
}
