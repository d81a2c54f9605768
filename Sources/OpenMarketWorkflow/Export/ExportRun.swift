package import OpenMarket
package import OpenMarketFiles

/// Exports the catalog of a market to standard output, or into a file with its certificate.
///
/// The replies are kept next to the file until it is complete.
package struct ExportRun {
    private let target: ExportTarget
    private let options: ExportOptions
    private let market: MarketSettings
    private let copies: ExportCopies?

    /// `copies` keeps the bytes of a table before it is edited.
    package init(
        to target: ExportTarget,
        _ options: ExportOptions,
        market: MarketSettings,
        copies: ExportCopies? = nil
    ) {
        self.target = target
        self.options = options
        self.market = market
        self.copies = copies
    }

    /// Reads the market and writes the export; the outcome may still have a gap.
    package func run(
        with work: MarketWork<some MarketConnection>,
        access: any CatalogFileAccess,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) async throws -> ExportOutcome {
        if let images = options.images { PictureLibrary.note(images) }
        try target.declareCheckpoint()
        try FileRegister.current.check()
        let checkpoint = checkpoint(work)
        var work = work
        work.client.replyLog = checkpoint
        work.client.onTotal = { [onEvent = work.onEvent] in onEvent(.advanced(.export, by: 0, total: $0)) }
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
        } catch SessionError.incompleteExport(let passes) {
            throw ExportError.unsettled(
                passes: passes,
                target.isStandardOutput ? .partWritten : .nothingWritten
            )
        } catch let error as CatalogFileError {
            throw ExportError.unwritable(target.path, error)
        }
    }

    /// The replies of an interrupted export of the same output; `nil` if the output is not a file.
    private func checkpoint(_ work: MarketWork<some MarketConnection>) -> ExportCheckpoint? {
        guard target.isRegular else { return nil }
        return ExportCheckpoint(
            output: target.template,
            scope: work.target.scope,
            description: work.client.profile.digest,
            details: options.details,
            parallelism: work.client.parallelism,
            restarts: options.restarts,
            tool: work.tool
        ) { [onEvent = work.onEvent] in onEvent(.note($0)) }
    }
}
