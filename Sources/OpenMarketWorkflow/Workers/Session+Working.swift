package import OpenMarket

extension Session {
    /// Takes part in a run that another machine began, until there is nothing left for this one to do.
    ///
    /// - Parameters:
    ///   - run: The run, in which the session takes part already.
    ///   - manifest: The manifest that it was planned from, as it was read here.
    ///   - interruption: How this part of it can be interrupted; the other sessions go on.
    /// - Returns: How the operations ended that this session carried out.
    /// - Throws: ``JoiningError/pictureMissing(path:key:)``, ``SessionError``, `MarketError`, what the state throws, and
    ///   `CancellationError`.
    package func work(
        in run: RunUnderWay,
        with manifest: Manifest,
        interruption: RunInterruption = RunInterruption()
    ) async throws -> RunResult {
        try requireWritable()
        try await requireAccepted()
        let state = try requireHeld()
        let local = LocalOperations(manifest)
        onEvent(.runJoined(run.record.id, operations: run.operations))
        let executor = executor(in: state)
        do {
            return try await interruption.run { drain in
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
