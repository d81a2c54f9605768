import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks the manifest and its pictures, offline.",
        discussion: """
            The limits are those of the manifest's market, or of --url and --api. Code hosts show a SARIF file in a pull \
            request.

            Exit 0: valid. 4: not valid; every fault has its file, line and column.

            Examples:
              openmarket validate
              openmarket validate shop --write sarif=openmarket.sarif
            """
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @Option(help: "The market's base URL; overrides the manifest.", as: .text("url"))
    var url: String?
    @OptionGroup var api: APIArguments
    @Option(help: "Also write the faults as json or sarif; repeatable.", as: .output())
    var write: [OutputOption<ReportFormat>] = []
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(check) }

    private func check(_ context: CommandContext) async throws {
        let further = try write.declared()
        let loaded = try await manifests.load(url: url, api: api, toleratesUnset: .market, context)
        try write(loaded, to: further, named: manifests.paths)
        if !context.isJSON { context.console.report(loaded.diagnostics, asResult: true, all: manifests.all) }
        try context.write(loaded.document) { loaded.text($0) }
        if loaded.hasErrors { throw CommandFailure(.invalidInput) }
    }

    private func write(_ loaded: LoadedManifest, to outputs: [OutputOption<ReportFormat>], named: [String]) throws {
        try FileRegister.current.check()
        for output in outputs {
            let document =
                switch output.format {
                case .json: loaded.document
                case .sarif:
                    SARIFReport.document(
                        loaded.diagnostics,
                        manifest: loaded.manifest?.files.first ?? named.first ?? ManifestSelection.standard,
                        folder: FileManager.default.currentDirectoryPath,
                        version: toolVersion
                    )
                }
            try AtomicFile.write(document.bytes(pretty: true) + Array("\n".utf8), to: output.file)
        }
    }
}
