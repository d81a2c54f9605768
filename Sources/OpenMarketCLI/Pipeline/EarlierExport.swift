import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketReview
import OpenMarketWorkflow

/// An export that was made before, in any format.
struct EarlierExport: Sendable {
    let path: String

    /// Reads its rows.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 where it is not an export, and what `body` throws.
    func rows(_ body: (CatalogRow) throws -> Void) throws {
        guard ExportFormat(fileName: path) != .manifest else {
            throw CommandFailure(
                .invalidInput,
                "\(path.terminalSafe) is a manifest, and not all that the market showed",
                help: "`openmarket plan` compares the market with a manifest"
            )
        }
        do {
            try CatalogFile(path).rows(body)
        } catch let error as CatalogFileError {
            throw CommandFailure(
                .invalidInput,
                "cannot read the export \(path.terminalSafe): \(error.message)",
                help: error.help
            )
        }
    }
}
