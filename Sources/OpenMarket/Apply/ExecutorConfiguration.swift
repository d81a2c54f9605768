/// The settings of a run; the defaults suit a market on the network.
package struct ExecutorConfiguration: Sendable {
    package var parallelism = Parallelism.standard
    /// In requests per second; `nil` sets no limit.
    package var rate: Double?
    /// Reads each product again just before writing and refuses changed ones: for saved plans.
    package var staleCheck = false
    /// Asks the market whether adopted or replaced products are this vendor's before anything else is sent (v2).
    package var confirmsOwners = true
    /// Whether new products carry the manifest's keys: the market accepts them, and the manifest enables them.
    package var sendsKeys = false
    /// How the state names the files that list products; `nil` if it is not told.
    package var origins: (any OriginNames)?
    var delays = RetryDelays()
    var maximumAttempts = 6
    /// How long after a create without a reply the market may still apply it; `nil` uses the market's description.
    package var settleDelay: Duration?
    /// How often a failed create is sent again in one run.
    var maximumRecreations = 3
    /// The number of consecutive connection failures that stops the run.
    var breakerThreshold = 20
    /// How many operations a session takes at a time from a shared run, not counting those that join by name.
    var chunkSize = 256
    /// How long an idle session waits before it tries to claim work again.
    var claimInterval: Duration = .milliseconds(500)
    /// How long a stopping run waits for its other sessions.
    var stopPatience: Duration = .seconds(5)

    package init() {}

    /// The quiet period after a create without a reply: the market may apply it late, and show it even later.
    func quietPeriod(on capabilities: MarketCapabilities) -> Duration {
        (settleDelay ?? capabilities.settleDelay) + capabilities.readAfterWriteDelay
    }

    /// The changes by an operation, with the origin of its product.
    ///
    /// A row of a table changes a product, but its table need not list the product for ever.
    func withOrigin(_ mutations: [StateMutation], of operation: PlannedOperation) -> [StateMutation] {
        guard let origins, let source = operation.source, source.table == nil else { return mutations }
        return mutations.map { mutation in
            guard case .put(var entry) = mutation else { return mutation }
            entry.origin = origins.origin(of: source.file)
            return .put(entry)
        }
    }
}
