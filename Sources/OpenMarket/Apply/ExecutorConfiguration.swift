/// How a run behaves; the standing values suit a market on the network.
package struct ExecutorConfiguration: Sendable {
    /// How many operations are under way at once.
    package var parallelism = Parallelism.standard
    /// How many requests a second at most; `nil` sets no limit.
    package var rate: Double?
    /// Re-read each product just before writing and refuse what moved: for saved plans.
    package var staleCheck = false
    /// Ask the market whether what is taken over or made again is ours before anything else is sent (v2).
    package var confirmsOwners = true
    /// Whether new products carry the manifest's keys: the market takes them, and the manifest agrees.
    package var sendsKeys = false
    /// The delays between attempts.
    var delays = RetryDelays()
    /// How often one request is sent at most.
    var maximumAttempts = 6
    /// For how long an operation may go on trying.
    var operationBudget: Duration = .seconds(120)
    /// How long after a create without reply the market may still carry it out.
    package var settleDelay: Duration = .seconds(3)
    /// How often a create that did not happen is sent again in one run.
    var maximumRecreations = 3
    /// After how many failures to reach the market in a row the run stops.
    var breakerThreshold = 20
    /// The longest pause of the whole run that the market may ask for; when it asks for more, the run stops.
    var maximumPause: Duration = .seconds(300)
    /// How many operations of a run that several sessions carry out one of them takes at a time, twins apart.
    var chunkSize = 256
    /// How long a session that finds nothing to do waits before it looks again what the others of its run have left.
    var claimInterval: Duration = .milliseconds(500)
    /// How long a run that is to stop waits for the other sessions that carry it out.
    var stopPatience: Duration = .seconds(5)

    /// The standing values.
    package init() {}

    /// The quiet period after a create without reply: the market may carry it out late, and show it later still.
    func quietPeriod(readAfterWriteDelay: Duration) -> Duration {
        settleDelay + readAfterWriteDelay
    }
}
