import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketState
import OpenMarketWorkflow

struct EditArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Option(help: "A patch instead of the edits.", as: .output())
    var write: [OutputOption<DriftFormat>] = []

    /// Shows edits, asks, and writes them; throws ``CommandFailure`` with exit 3 if some are left alone.
    func carryOut(
        _ edits: [ProductEdit],
        from source: EditSource,
        in run: EditRun,
        _ context: CommandContext
    ) async throws {
        try FileRegister.current.check()
        for line in run.heading { context.console.note(line) }
        let planned = try run.planned(edits)
        try await run.requireValid(planned)
        try show(planned, context)
        var id: String?
        if write.isEmpty {
            if !planned.isEmpty { try confirm(planned.question, context) }
            id = try run.write(planned, from: source, tool: toolVersion)
        }
        for output in write {
            try AtomicFile.write(run.patch(planned), to: output.file, permissions: AtomicFile.readableByAll)
        }
        try report(planned, written: id, context)
        guard planned.isComplete else { throw CommandFailure(.partialFailure) }
    }

    /// Shows edits for people, those that are left alone on stderr.
    func show(_ planned: PlannedEdits, _ context: CommandContext) throws {
        guard !context.isJSON else { return }
        for line in planned.leftAlone(context.console.errorStyle) { context.console.printError(line) }
        try context.console.write(planned.text(context.console.outputStyle))
    }

    /// Reports a written edit or a patch.
    func report(_ planned: PlannedEdits, written id: String?, _ context: CommandContext) throws {
        guard !context.isJSON else { return try context.console.write(document: planned.document(written: id)) }
        if !write.isEmpty || id != nil { try context.console.write(planned.outcome(written: id)) }
    }

    /// Declares the patches; requires a terminal, or an option that makes it needless.
    func requireAnswer(_ context: CommandContext) throws {
        _ = try write.declared()
        try requireTerminal(context)
    }

    /// Requires a terminal, or an option that makes it needless.
    func requireTerminal(_ context: CommandContext) throws {
        guard !yes, write.isEmpty else { return }
        try context.requireTerminal(help: "use --yes, or --write diff=FILE for a patch")
    }

    func confirm(_ question: String, _ context: CommandContext) throws {
        guard yes || context.console.confirms("\n" + question) else {
            throw CommandFailure(.failure, "no file was written")
        }
    }
}

extension EditRun {
    /// Reads manifests that are to be edited, and reports their faults; throws ``CommandFailure`` with exit 4.
    static func load(
        _ paths: [String],
        _ options: ManifestOptions,
        adjusts: Bool = false,
        created: String? = nil,
        _ context: CommandContext
    ) async throws -> Manifest {
        let loaded = try await load(paths, options, adjusts: adjusts, created: created) { edit in
            context.console.note("\(edit) was interrupted between two files, and was taken back first.")
        }
        context.console.report(loaded.diagnostics.filter { $0.severity == .error })
        return try loaded.valid(otherwise: "no file was written")
    }
}

/// How a table becomes an edit.
struct TableArguments: ParsableArguments {
    @Option(help: "The side that counts if table and manifest both changed a value. (default: neither)")
    var prefer: TableEdits.Side?

    @Option(help: "The manifest file that lists new products.", as: .file("yaml", "yml"))
    var into: String?

    @Flag(help: "The table lists all products: remove those without a row.")
    var complete = false

    func rules(maximumDelete: Policies.Bound?, allowsNamesakes: Bool) -> TableEdits.Rules {
        var rules = TableEdits.Rules()
        rules.prefers = prefer
        rules.destination = into
        rules.isComplete = complete
        rules.maximumDelete = maximumDelete
        rules.allowsNamesakes = allowsNamesakes
        return rules
    }
}

/// The same with the options that `plan` and `apply` have for every manifest.
struct TableEditArguments: ParsableArguments {
    @OptionGroup var table: TableArguments

    @Option(help: "How many products may be removed. (default: 30% above 10 products)", as: .bound)
    var maxDelete: Policies.Bound?

    @Flag(help: "Accept new keys and moved values although they look like mistakes.")
    var allowNamesakes = false

    var rules: TableEdits.Rules { table.rules(maximumDelete: maxDelete, allowsNamesakes: allowNamesakes) }
}

extension TableEdit {
    /// Reads a table and the manifests that it edits, and reports their faults.
    ///
    /// Throws ``CommandFailure`` with exit 4 for them.
    static func load(
        _ table: String,
        of paths: [String],
        _ options: ManifestOptions,
        _ rules: TableEdits.Rules,
        state: StateArguments,
        _ context: CommandContext,
        filter: (Manifest) throws -> KeyFilter = { _ in KeyFilter() }
    ) async throws -> TableEdit {
        try await TableEdit(table, of: paths, options, rules, copies: CatalogLibraries(), filter: filter) { manifest in
            try await state.place(manifestFiles: manifest.files, market: manifest.market, console: context.console)
        } valid: { loaded in
            // Other faults of the manifest do not concern an edit.
            context.console.report(
                loaded.diagnostics.filter { fault in
                    fault.severity == .error || (fault.location.map { ManifestLoader.isTable($0.file) } ?? false)
                }
            )
            return try loaded.valid(otherwise: "no file was written")
        } onTakenBack: { edit in
            context.console.note("\(edit) was interrupted between two files, and was taken back first.")
        }
    }
}

extension Console {
    /// Reports all that blocks a table; throws ``CommandFailure`` with exit 4 for errors, 5 for refusals.
    func requireSound(_ edits: TableEdits) throws {
        report(edits.diagnostics)
        guard !edits.diagnostics.contains(where: { $0.severity == .error }) else {
            throw CommandFailure(
                .invalidInput,
                "the table is not valid: \(edits.diagnostics.counted); no file was written"
            )
        }
        for refusal in edits.refusals {
            let isEmpty = refusal.override == .emptyManifest
            for line in refusal.lines(errorStyle) {
                printError(isEmpty ? line.replacing("--allow-empty", with: "--max-delete") : line)
            }
        }
        guard edits.refusals.isEmpty else { throw CommandFailure(.refused) }
    }
}
