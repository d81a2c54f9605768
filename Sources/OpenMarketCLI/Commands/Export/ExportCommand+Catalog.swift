import OpenMarketManifest
import OpenMarketState
import OpenMarketWorkflow

extension ExportCommand {
    /// `export` into a file, or to stdout.
    func exportCatalog(_ context: CommandContext) async throws {
        let (console, isJSON) = (context.console, context.isJSON)
        // Unlike the option, a variable for `--keep` does not require a date in the path.
        let needsDate = Invocation.current.given.contains("--keep")
        let target = try ExportTarget(out, keeping: keep, needsDate: needsDate, discardingEdits: discardEdits)
        let reporter = context.reporter()
        let (work, manifest) = try await work(reporter: reporter, context) { manifest in
            let taken = try EditRecords(beside: manifest.files).takenTables()
            try target.declare(as: format, takenEdits: taken)
        }
        guard !isJSON || !target.isStandardOutput else {
            throw CommandFailure(
                .usage,
                "--json and the export cannot both go to stdout",
                help: "use -o FILE"
            )
        }
        let options = try ExportOptions(
            to: target,
            as: format,
            columns: columns,
            details: details,
            images: images,
            delimiter: separator,
            isForSpreadsheets: excel,
            allowsEmpty: allowEmpty,
            allowsMissing: Set(allowMissing ?? []),
            restarts: noResume,
            market: manifest.settings
        )
        let access = CatalogLibraries()
        let copies = ExportCopies(beside: manifest.files, access: access)
        let outcome = try await work.export(
            to: target,
            options,
            market: manifest.settings,
            copies: copies,
            access: access,
            standardOutput: console.write(catalog:)
        )
        for line in outcome.omissions { console.note(line) }
        for line in outcome.warnings { console.printError(line) }
        try reporter.end(outcome.certificate)
        if !isJSON, !target.isStandardOutput { console.note(outcome.text(at: target.path)) }
        if let gap = outcome.otherGap { console.printError("warning: \(gap)") }
        if let pictures = outcome.pictures { console.note(pictures.text) }
        try outcome.requireWhole()
    }
}
