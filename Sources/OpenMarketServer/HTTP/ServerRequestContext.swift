import Hummingbird
import NIOCore
import Synchronization

struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    let effect = Effect()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
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
