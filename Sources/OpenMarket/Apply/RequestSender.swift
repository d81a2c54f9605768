/// Sends requests that change the market, as long as the session's lease allows.
///
/// A session that has not renewed its lease for too long may have been replaced, and its successor may already have
/// searched for its requests. So only this type sends changes, directly after a check of the remaining time.
package struct RequestSender: Sendable {
    private let market: any Market
    private let state: any StateSession
    private let drain: StopSignal

    package init(_ market: any Market, in state: any StateSession, drain: StopSignal) {
        self.market = market
        self.state = state
        self.drain = drain
    }

    /// Sends a request once; if the lease has expired, it stops the run instead.
    package func perform(_ request: WriteRequest) async -> WriteOutcome {
        guard let left = state.timeToSend, left <= .zero else { return await market.perform(request) }
        let why = StateError.silent(state.location).message
        drain.stop(.ordered(why))
        return .notSent(WriteTrouble("the request was not sent: \(why)"))
    }
}

extension Market {
    /// Asks whether a product is this vendor's, with a read-only request, which needs neither journal nor lease.
    func ask(
        whoseIs id: MarketID,
        by proof: MarketCapabilities.OwnershipProof = .deleteKey,
        secret: SecretReference? = nil
    ) async -> WriteOutcome {
        await perform(WriteRequest(proof == .deleteKey ? .deleteKey(id) : .proveOwnership(id), secret: secret))
    }
}

extension StateError {
    /// The error for a state that has not renewed the session for too long.
    static func silent(_ location: StateLocation) -> StateError {
        StateError(.io, "the state \(location) has not answered for too long, and no request is sent without it")
    }
}
