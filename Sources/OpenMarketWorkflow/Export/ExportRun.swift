package import OpenMarket
package import OpenMarketFiles
package import OpenMarketManifest

/// Exports the catalog of a market to standard output, or into a file with its certificate.
///
/// The replies are kept beside the file until it is complete.
package struct ExportRun {
    private let target: ExportTarget
    private let form: ExportForm
    private let images: String?
    private let allowsEmpty: Bool
    private let allowsMissing: Set<CatalogColumn>
    private let restarts: Bool

    /// `images` is the folder for pictures; with `nil` they are not kept.
    ///
    /// With `allowsEmpty`, an empty list is exported without a confirmation. `allowsMissing` are fields of the earlier
    /// export that no product needs to have any more. With `restarts`, nothing that an
    /// interrupted export has kept is used.
    package init(
        to target: ExportTarget,
        as format: CatalogOutput? = nil,
        columns: [CatalogColumn]? = nil,
        details: Bool = false,
        images: String? = nil,
        delimiter: UInt8? = nil,
        isForSpreadsheets: Bool = false,
        allowsEmpty: Bool = false,
        allowsMissing: Set<CatalogColumn> = [],
        restarts: Bool = false,
        market manifest: MarketOnlyManifest
    ) throws(ExportFormError) {
        self.target = target
        self.images = images
        self.allowsEmpty = allowsEmpty
        self.allowsMissing = allowsMissing
        self.restarts = restarts
        form = try ExportForm(
            target,
            format: format,
            columns: columns,
            details: details,
            keepsPictures: images != nil,
            delimiter: delimiter,
            isForSpreadsheets: isForSpreadsheets,
            market: manifest.settings
        )
    }

    /// Reads the market and writes the export; the outcome may still lack something.
    ///
    /// `name` is what messages call the export.
    package func run(
        with work: MarketWork<some MarketConnection>,
        named name: String,
        access: any CatalogFileAccess,
        standardOutput: @escaping ([UInt8]) throws -> Void = { _ in }
    ) async throws -> ExportOutcome {
        if let images { PictureLibrary.note(images) }
        try target.declareCheckpoint(named: name)
        try FileRegister.current.check()
        let checkpoint = checkpoint(work)
        var work = work
        work.client.replyLog = checkpoint
        work.client.onTotal = { [onEvent = work.onEvent] in onEvent(.advanced(.export, by: 0, total: $0)) }
        do {
            return try await work.reading { session, _ in
                try await session.export(
                    to: target,
                    as: form,
                    images: images,
                    allowsEmpty: allowsEmpty,
                    allowsMissing: allowsMissing,
                    checkpoint: checkpoint,
                    access: access,
                    standardOutput: standardOutput
                )
            }
        } catch SessionError.incompleteExport(let passes) {
            throw ExportError.unsettled(
                passes: passes,
                target.isStandardOutput ? .partWritten : .nothingWritten
            )
        } catch let error as CatalogFileError {
            throw ExportError.unwritable(target.path, error)
        }
    }

    /// The replies that an interrupted export of the same output has kept; `nil` if the output is not a file.
    private func checkpoint(_ work: MarketWork<some MarketConnection>) -> ExportCheckpoint? {
        guard target.isRegular else { return nil }
        let path = ExportCheckpoint.path(of: target.template)
        return ExportCheckpoint(
            output: target.template,
            scope: work.target.scope,
            description: work.client.profile.digest,
            details: form.request.details,
            parallelism: work.client.parallelism,
            restarts: restarts,
            tool: work.tool
        ) { [onEvent = work.onEvent] in onEvent(.checkpoint($0, path: path)) }
    }
}
