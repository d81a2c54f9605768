import Hummingbird
import NIOCore
import Synchronization

struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let effect = Effect()
    /// The share of the memory budget that the request's body takes.
    let reservation = Holder()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Holds a share of the memory budget as long as the context lives.
    final class Holder: Sendable {
        private let reservation = Mutex<BodyBudget.Reservation?>(nil)

        func hold(_ reservation: BodyBudget.Reservation) {
            self.reservation.withLock { $0 = reservation }
        }
    }

    /// Records the product that a writing request changed, and why a request was wrong.
    final class Effect: Sendable {
        private let id = Mutex<Int64?>(nil)
        private let fault = Mutex<String?>(nil)

        var product: Int64? {
            get { id.withLock { $0 } }
            set { id.withLock { $0 = newValue } }
        }

        var reason: String? {
            get { fault.withLock { $0 } }
            set { fault.withLock { $0 = newValue } }
        }
    }
}
