import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

/// What all uses of `export` need.
extension ExportCommand {
    /// The market and the state, none of whose files the export replaces, and what the manifest says of the market.
    func work(
        writingTo path: String,
        as written: CatalogOutput = .text,
        isCertified: Bool = false,
        earlier: String? = nil,
        reporter: SessionReporter? = nil,
        _ context: CommandContext
    ) async throws -> (MarketWork<ClientConfiguration>, MarketOnlyManifest) {
        let console = context.console
        let manifest = try MarketOnlyManifest(selection, market, context)
        let target = try MarketTarget(manifest)
        let place = try await state.place(manifestFiles: manifest.files, market: manifest.settings, console: console)
        for file in earlier.map({ [$0, CertifiedExport.certificate(of: $0)] }) ?? [] {
            FileRegister.current.note(file, as: .earlierExport)
        }
        let replaceable: FileRole = isCertified ? .ownExport : []
        try FileRegister.current.declare(
            path,
            named: Setting.out.flag,
            as: written.content,
            checksName: format != nil,
            mayBeCompressed: true,
            replacing: replaceable,
            allowsStandardOutput: true
        )
        if isCertified, path != "-" {
            let certificate = CertifiedExport.certificate(of: path)
            let name = "the certificate of \(Setting.out.flag)"
            try FileRegister.current.declare(certificate, named: name, as: .certificate, replacing: replaceable)
        }
        var client = try market.clientConfiguration(target, console: console)
        client.patience = wait ?? .zero
        let reporter = reporter ?? SessionReporter(isJSON: false, console: console)
        return (MarketWork(target: target, client: client, state: place, reporter: reporter), manifest)
    }

    /// Says what an export leaves behind that could not be completed: the catalog changed too fast, or a library failed.
    static func explaining<Result>(
        _ path: String,
        _ remains: String,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch SessionError.incompleteExport(let passes) {
            throw CommandFailure(
                .failure,
                "\(CatalogSummary.unsettledWords(passes: passes)); \(remains)",
                help: "try again when the market changes less; of a described market, `market probe` shows its pages"
            )
        } catch let error as CatalogFileError {
            throw CommandFailure(.failure, "cannot write \(path.terminalSafe): \(error.message)", help: error.help)
        }
    }
}
