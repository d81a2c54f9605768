package import OpenMarket
import OpenMarketDescription

extension Session {
    /// Tries what a description says of writing: makes a hidden product, changes it, and removes it again.
    ///
    /// The product is in the journal before it is on the market, and stays unresolved there until it is gone: whatever ends
    /// this, the next trial or apply removes it.
    ///
    /// - Parameters:
    ///   - pictures: pictures to send, the second one where a product has room for it: files, or addresses where the market
    ///     fetches pictures itself.
    ///   - drain: ends the waiting for an earlier trial's product.
    /// - Returns: what the market did.
    /// - Throws: ``SessionError``, `MarketError` where the market cannot be read before anything was sent, and what the state
    ///   throws.
    package func tryWriting(pictures: [Picture] = [], drain: DrainSignal = DrainSignal()) async throws -> MarketTrial {
        try requireWritable()
        try await requireAccepted()
        let description = MarketDescription(of: market.profile)
        guard description.operations.create?.hidden.isEmpty == false else {
            throw SessionError.visibleTrial(market.profile.name)
        }
        let obstacles = description.unwritable(by: .create)
        guard obstacles.isEmpty else { throw SessionError.impossibleTrial(market.profile.name, reasons: obstacles) }
        try await market.requireProfile()
        let before = try await settle(drain: drain)
        let left = before.settled.filter { $0.isOpen && $0.operation.operation.isTrial }
        guard left.isEmpty else { throw SessionError.unresolved(left) }

        let held = try requireHeld()
        let mark = TrialMark(random: environment.random)
        var run = TrialRun(
            market: market,
            state: held,
            description: description,
            environment: environment,
            mark: mark,
            pictures: pictures,
            record: runRecord(manifest: nil)
        )
        try await run.begin()
        do {
            try await run.carryOut()
        } catch let error as MarketError {
            run.trial.failure = error
        }
        try await run.end()
        do {
            let after = try await settle(drain: drain)
            run.conclude(after.settled.first { $0.operation.operation.key == mark.key })
            await run.readDeleted()
        } catch let error as MarketError {
            run.noteUnread(error)
        }
        return run.trial
    }
}
