import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes an edit of the manifest or a run back, or lists edits and runs.",
        discussion: """
            Restores the bytes of an edit's files. A file that changed since is left alone. An edit that took values \
            from the market stays, and so does one that listed products that are managed by now. The changes of a run \
            become an edit of the manifest, which `apply` carries out. So do the rejected changes of a saved plan. \
            Only the manifest changes.

            Exit 0: done. 1: a file was changed since, the edit stays, or the edit or run is unknown. 3: a part of the \
            run was left alone. 4: the edited manifest would not be valid. 6: the decisions are about another plan. \
            64: neither a terminal nor --yes.

            Examples:
              openmarket undo
              openmarket undo 20261128T164530Z-71c323 --target 'lamp-*'
              openmarket undo plan.json --decisions decisions.json
            """
    )

    @Argument(help: "The edit or the run, as `undo` without it lists them, or a saved plan.")
    var past: String?
    @Option(help: "Go back to how it was after this run.", as: .text("run"))
    var after: String?
    @Option(help: "Undo the changes of a saved plan in the manifest that these decisions reject.", as: .file("json"))
    var decisions: String?
    @OptionGroup(title: "Choosing") var choosing: ChoosingArguments
    @Option(
        name: .customLong("where"),
        help: "Only matching products, such as 'stock>0'; repeatable, all must match.",
        as: .text("condition")
    )
    var conditions: [String] = []
    @Option(help: "The manifest file that lists deleted products again.", as: .file("yaml", "yml"))
    var into: String?
    @OptionGroup(title: "Writing") var writing: EditArguments
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.output.run { context in
            if let decisions {
                guard let past, after == nil else {
                    throw CommandFailure(.usage, "--decisions needs a saved plan")
                }
                return try await takeBack(rejectedBy: decisions, of: past, context)
            }
            let run = after ?? past.flatMap { $0.hasPrefix(EditRecords.prefix) ? nil : $0 }
            if let run {
                guard after == nil || past == nil else {
                    throw CommandFailure(.usage, "--after takes only one run", help: "leave '\(past ?? "")' out")
                }
                return try await takeBack(RunID(rawValue: run), context)
            }
            guard try choosing.filter().takesAll, conditions.isEmpty, writing.write.isEmpty, into == nil else {
                throw CommandFailure(
                    .usage,
                    "--target, --target-file, --exclude, --where, --write and --into go with a run or a plan"
                )
            }
            var options = try ManifestOptions(
                context.environment,
                url: selection.url,
                api: selection.api,
                toleratesUnset: .market
            )
            options.readsPictures = false
            let paths = ManifestSelection.files(named: selection.manifest.files)
            let manifest = await ManifestLoader(options: options).load(paths).manifest
            let files = manifest?.files ?? paths
            let records = EditRecords(beside: files)
            let market = manifest?.market ?? .blank
            let place = try await selection.state.place(manifestFiles: files, market: market, console: context.console)
            if let past {
                try records.requireUndoable(past, in: await place.known(for: market))
                return try takeBack(past, records, context)
            }
            let undoable = UndoList(
                edits: try records.undoable(),
                runs: try await place.runs(on: market, isRequired: selection.state.namesFile)
            )
            try context.write(undoable.document) { _ in undoable.text(in: records) }
        }
    }

    private func takeBack(_ run: RunID, _ context: CommandContext) async throws {
        let (manifest, options) = try await manifest(context)
        let (filter, conditions) = try products()
        let (place, scope) = try await selection.place(context)
        let (undo, pictures) = try await place.backend.reading(scope) { state in
            if selection.state.namesFile { try await state.requirePresent() }
            return try await RunUndo.planned(
                of: run,
                isAfter: after != nil,
                state,
                in: manifest,
                into: into,
                filter: filter,
                where: conditions,
                keptIn: place.keptPictures
            )
        }
        noteMissing(undo.withoutPassword, context)
        let source = EditSource(.run, run.rawValue)
        try await pictures.written {
            ($0 as? CommandFailure)?.status == .partialFailure
        } _: {
            try await writing.carryOut(undo.edits, from: source, in: EditRun(manifest, options: options), context)
        }
    }

    private func takeBack(rejectedBy file: String, of plan: String, _ context: CommandContext) async throws {
        let saved = try SavedPlan(file: plan)
        SecretLookup(environment: context.environment).found(of: saved)
        let approved = try Set(saved.decided(byFile: file).plan.plan.operations.map(\.key))
        let (manifest, options) = try await manifest(context)
        let (filter, conditions) = try products()
        let chosen = try filter.narrowed(toUndo: saved.plan.operations, by: conditions, in: manifest)
        var edits = saved.plan.edits(isAdjusted: manifest.isAdjusted) { chosen.takes($0) && !approved.contains($0) }
        noteMissing(edits.dropWrittenPasswords(), context)
        var edit = try EditRun(manifest, options: options)
        edit.destination = into
        try await writing.carryOut(edits, from: EditSource(.decisions, file), in: edit, context)
    }

    private func manifest(_ context: CommandContext) async throws -> (Manifest, ManifestOptions) {
        try writing.requireAnswer(context)
        var options = ManifestOptions(environment: context.environment)
        options.toleratesUnset = .market
        return (
            try await EditRun.load(ManifestSelection.files(named: selection.manifest.files), options, context), options
        )
    }

    private func products() throws -> (filter: KeyFilter, conditions: [ProductCondition]) {
        (try choosing.filter(), try conditions.map { try ProductCondition($0) })
    }

    private func noteMissing(_ passwords: [String], _ context: CommandContext) {
        for key in passwords {
            context.console.note("warning: the password of '\(key)' was in a manifest, and is not written back")
        }
    }

    private func takeBack(_ edit: String, _ records: EditRecords, _ context: CommandContext) throws {
        let console = context.console
        let record = try records.record(edit)
        if !writing.yes {
            try writing.requireTerminal(context)
            console.printError(record.line(in: records))
            try writing.confirm("Take it back?", context)
        }
        let (files, fault) = try records.undo(edit)
        try context.write(
            .object(
                of: ("format_version", .formatVersion),
                ("edit", .string(edit)),
                ("files", .array(files.map(JSONValue.string)))
            )
        ) { _ in
            files.isEmpty && fault == nil
                ? "No edits to undo.\n" : files.map { "\($0.terminalSafe) is as before \(edit).\n" }.joined()
        }
        if let fault { throw fault }
    }
}
