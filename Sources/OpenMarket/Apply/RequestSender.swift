/// Sends requests that change something on the market, for as long as the session of the state allows.
///
/// A session that has not heard from the state for too long may have been replaced: what it sends then, another one may
/// have looked for already. So all that changes something is sent by this, right behind a look at the time that is left.
package struct RequestSender: Sendable {
    private let market: any Market
    private let state: any StateSession
    private let drain: DrainSignal

    /// A sender.
    package init(_ market: any Market, in state: any StateSession, drain: DrainSignal) {
        self.market = market
        self.state = state
        self.drain = drain
    }

    /// Sends a request once, unless the time is over; then the run is stopped.
    package func perform(_ request: WriteRequest) async -> WriteOutcome {
        guard let left = state.timeToSend, left <= .zero else { return await market.perform(request) }
        let why = StateError.silent(state.location).message
        drain.stop(.ordered(why))
        return .notSent(WriteTrouble("the request was not sent: \(why)"))
    }
}

extension Market {
    /// Asks whether a product is ours, with a request that changes nothing and so needs neither journal nor time.
    func ask(
        whoseIs id: MarketID,
        by proof: MarketCapabilities.OwnershipProof = .deleteKey,
        secret: SecretReference? = nil
    ) async -> WriteOutcome {
        await perform(WriteRequest(proof == .deleteKey ? .deleteKey(id) : .proveOwnership(id), secret: secret))
    }
}

extension StateError {
    /// A state that has not confirmed for too long that a session goes on.
    static func silent(_ location: StateLocation) -> StateError {
        StateError(.io, "the state \(location) has not answered for too long, and nothing is sent without it")
    }
}
