import Synchronization

/// Where a person can look at the market, once one of its replies has said so.
final class ShopPageAddress: Sendable {
    private let named = Mutex<String?>(nil)

    var address: String? {
        get { named.withLock { $0 } }
        set { named.withLock { $0 = newValue } }
    }
}
