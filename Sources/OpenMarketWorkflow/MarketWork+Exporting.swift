package import OpenMarket
package import OpenMarketFiles

extension MarketWork {
    /// Exports the catalog of a market to standard output, or into a file with its certificate.
    ///
    /// The replies are kept next to the file until it is complete; the outcome may still have a gap. `copies` keeps the
    /// bytes of a table before it is edited.
    package func export(
        to target: ExportTarget,
        _ options: ExportOptions,
        market: MarketSettings,
        copies: ExportCopies? = nil,
        access: any CatalogFileAccess,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) async throws -> ExportOutcome {
        if let images = options.images { PictureLibrary.note(images) }
        try target.declareCheckpoint()
        try FileRegister.current.check()
        let checkpoint = checkpoint(of: target, options)
        var work = self
        work.client.replyLog = checkpoint
        work.client.onTotal = { [onEvent] in onEvent(.advanced(.export, by: 0, total: $0)) }
        do {
            var outcome = try await work.reading { session, _ in
                try await session.export(
                    to: target,
                    options,
                    market: market,
                    checkpoint: checkpoint,
                    access: access,
                    standardOutput: standardOutput
                )
            }
            do { try copies?.keep(target.path, outcome.certificate) } catch { outcome.copyFault = "\(error)" }
            return outcome
        } catch let error as CatalogFileError {
            throw CommandFailure(.failure, "cannot write \(target.path): \(error)", help: error.help)
        }
    }

    /// The replies of an interrupted export of the same output; `nil` if the output is not a file.
    private func checkpoint(of target: ExportTarget, _ options: ExportOptions) -> ExportCheckpoint? {
        guard target.isRegular else { return nil }
        return ExportCheckpoint(
            output: target.template,
            scope: self.target.scope,
            description: client.profile.digest,
            details: options.details,
            parallelism: client.parallelism,
            restarts: options.restarts,
            tool: tool
        ) { [onEvent] in onEvent(.note($0)) }
    }
}
