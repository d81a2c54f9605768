import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks the manifest and its pictures, offline.",
        discussion: "Exit 0: valid. 4: not valid, every fault at its file, line and column."
    )

    @OptionGroup(title: "Manifest") var manifests: ManifestArguments
    @Option(name: .setting(.url), help: "The market's base URL; overrides the manifest.")
    var url: String?
    @OptionGroup var api: APIArguments
    @Option(
        name: .setting(.write),
        help: ArgumentHelp("Also write the faults as json or sarif; repeatable.", valueName: "format=file")
    )
    var write: [OutputOption<ReportFormat>] = []
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(check) }

    private func check(_ context: CommandContext) async throws {
        let console = context.console
        let further = try write.declared()
        let loaded = try await manifests.load(url: url, api: api, toleratesUnset: .market, context)
        try write(loaded, to: further, named: manifests.paths)
        if context.isJSON {
            try console.write(document: loaded.document)
        } else {
            console.report(loaded.diagnostics, to: .output, all: manifests.all)
            try console.write(Self.summary(loaded, style: console.outputStyle))
        }
        if loaded.hasErrors { throw CommandFailure(.invalidInput) }
    }

    private func write(_ loaded: LoadedManifest, to outputs: [OutputOption<ReportFormat>], named: [String]) throws {
        try FileRegister.current.check()
        for output in outputs {
            let document =
                switch output.format {
                case .json: loaded.document
                case .sarif:
                    SARIFReport(
                        diagnostics: loaded.diagnostics,
                        manifest: loaded.manifest?.files.first ?? named.first ?? "openmarket.yaml",
                        folder: FileManager.default.currentDirectoryPath,
                        version: toolVersion
                    ).document
                }
            try AtomicFile.write(document.bytes(pretty: true) + Array("\n".utf8), to: output.file)
        }
    }

    /// The last lines of the report: what the manifest holds, or how much is wrong with it.
    static func summary(_ loaded: LoadedManifest, style: Style) -> String {
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
            return "\n" + style(.boldRed, "✗ not valid: ") + DiagnosticRenderer.count(loaded.diagnostics) + "\n"
        }
        let listings = manifest.listings
        let present = listings.present
        let pictures = Dictionary(
            listings.pictures(ofTombstones: false).joined().map { ($0.digest, $0.byteCount) }
        ) { first, _ in first }
        let bytes = pictures.values.reduce(0, +)
        var facts = [counted(present.count, "product")]
        if !pictures.isEmpty { facts.append("\(counted(pictures.count, "picture")) (\(byteCount(bytes)))") }
        let onSale = present.count { listings.sale(at: $0)?.salePrice != nil }
        if onSale > 0 { facts.append("\(onSale) on sale") }
        let protected = present.count { listings.isProtected(at: $0) }
        if protected > 0 { facts.append("\(protected) protected") }
        let absent = manifest.listings.count - present.count
        if absent > 0 { facts.append(counted(absent, "tombstone")) }
        let warnings =
            loaded.diagnostics.isEmpty ? "" : style(.yellow, ", \(DiagnosticRenderer.count(loaded.diagnostics))")
        let files = manifest.files.count == 1 ? manifest.files[0].terminalSafe : counted(manifest.files.count, "file")
        return style(.boldGreen, "✓ valid") + "  \(files): \(facts.joined(separator: ", "))\(warnings)\n"
    }
}
