package import OpenMarket
import OpenMarketDescription

extension Session {
    /// Probes the writes of a description: creates a hidden product, changes it, and removes it again.
    ///
    /// The product is in the journal before it is on the market, and stays unresolved there until it is gone. If the
    /// probe ends early, the next probe or apply removes it.
    ///
    /// The second of `pictures` is sent if a product has room for it. They are files, or addresses if the market
    /// fetches pictures itself. `drain` ends the waiting for an earlier probe's product.
    ///
    /// Throws `MarketError` only if the market cannot be read before anything was sent.
    package func tryWriting(pictures: [Picture] = [], drain: StopSignal = StopSignal()) async throws -> WriteProbe {
        try requireWritable()
        try await requireAccepted()
        let description = MarketDescription(of: market.profile)
        guard description.operations.create?.hidden.isEmpty == false else {
            throw CommandFailure(
                .refused,
                "\(market.profile.name) does not describe how a product is hidden from buyers "
                    + "('operations.create.hidden'); no change was sent",
                help: "write which values hide it, such as hidden: {/status: draft}"
            )
        }
        let obstacles = description.unwritable(by: .create)
        guard obstacles.isEmpty else {
            let name = market.profile.name
            let reason = MarketCapabilities.obstacleMessage("a product of a trial", .create, on: name, obstacles)
            throw CommandFailure(
                .refused,
                "\(reason); no change was sent",
                help: "correct the description: `openmarket market check` prints the same"
            )
        }
        try await market.requireProfile()
        let before = try await settle(drain: drain)
        let left = before.settled.filter { $0.isOpen && $0.operation.operation.isTrial }
        guard left.isEmpty else { throw CommandFailure.unresolved(left) }

        var run = TrialRun(self, in: try requireHeld(), description, pictures: pictures)
        try await run.begin()
        do {
            try await run.carryOut()
        } catch let error as MarketError {
            run.trial.failure = error
        }
        try await run.end()
        do {
            let after = try await settle(drain: drain)
            run.conclude(after.settled.first { $0.operation.operation.key == run.mark.key })
            await run.readDeleted()
        } catch let error as MarketError {
            run.noteUnread(error)
        }
        return run.trial
    }
}
