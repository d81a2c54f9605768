package import OpenMarket

extension Session {
    /// Joins a run that another machine began, until no work is left for this session; returns its own results.
    ///
    /// The session has joined `run` already, and `manifest` is the local copy of the one that it was planned from.
    /// `drain` ends only this part of the run; the other sessions continue.
    package func work(
        in run: RunUnderWay,
        with manifest: Manifest,
        drain: StopSignal = StopSignal()
    ) async throws -> RunResult {
        try requireWritable()
        try market.profile.requireKnownChanges()
        try await requireAccepted()
        let state = try requireHeld()
        let local = LocalOperations(manifest)
        onEvent(.runJoined(run.record.id, operations: run.operations))
        let executor = executor(in: state)
        do {
            return try await drain.obeyed {
                try await executor.work(
                    in: run.record.id,
                    vendorID: manifest.market.vendorID,
                    drain: drain,
                    adapting: local.adapted
                )
            }
        } catch let lost as LostRun {
            throw lost.reason
        }
    }
}
