extension OperationMachine {
    /// What the driver knows at the moment of an event.
    struct Context: Hashable, Sendable {
        /// How long the run has been going on.
        var elapsed: Duration
        /// A random number in 0..<1.
        var jitter: Double
        /// Whether the run is to start nothing more, and to wait for nothing.
        var isStopping: Bool
        /// The newest id known.
        var highWater: MarketID?
        /// Who we are, and what of it the market has confirmed.
        var identity: VendorIdentity
        /// The other key that the product belongs to which the event is about.
        var holder: String?
        /// A repeat key that no request has; `nil` where the market does not know repeated requests.
        var freshRepeatKey: String?

        /// A moment of a run.
        init(
            elapsed: Duration,
            jitter: Double,
            isStopping: Bool,
            highWater: MarketID?,
            identity: VendorIdentity = VendorIdentity(),
            holder: String? = nil,
            freshRepeatKey: String? = nil
        ) {
            self.elapsed = elapsed
            self.jitter = jitter
            self.isStopping = isStopping
            self.highWater = highWater
            self.identity = identity
            self.holder = holder
            self.freshRepeatKey = freshRepeatKey
        }
    }
}
