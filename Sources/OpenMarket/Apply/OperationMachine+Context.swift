extension OperationMachine {
    /// The driver's knowledge at the time of an event.
    struct Context: Hashable, Sendable {
        var elapsed: Duration
        /// A random number in 0..<1.
        var jitter: Double
        /// Whether the run must not start new requests and must not wait.
        var isStopping: Bool
        var highWater: MarketID?
        var identity: VendorIdentity = VendorIdentity()
        /// Another key that the event's product belongs to.
        var holder: String?
        /// An unused idempotency key; `nil` if the market does not support repeated requests.
        var freshIdempotencyKey: String?
    }
}
