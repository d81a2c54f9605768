extension StateSession {
    /// Sends a request that changes the market once; if the session's lease has expired, it stops the run instead.
    ///
    /// A session that has not renewed its lease for too long may have been replaced, and its successor may already have
    /// searched for its requests. So only this function sends changes, directly after a check of the remaining time.
    package func send(_ request: WriteRequest, to market: any Market, _ drain: StopSignal) async -> WriteOutcome {
        guard let left = timeToSend, left <= .zero else { return await market.perform(request) }
        let why = StateError.silent(location).message
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
