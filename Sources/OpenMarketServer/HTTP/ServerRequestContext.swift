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

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Which product a writing request touched.
    final class Effect: Sendable {
        private let id = Mutex<Int64?>(nil)

        var product: Int64? {
            get { id.withLock { $0 } }
            set { id.withLock { $0 = newValue } }
        }
    }
}
