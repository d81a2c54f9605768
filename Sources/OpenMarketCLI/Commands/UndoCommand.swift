import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes an edit of the manifest or a run back, or lists the edits.",
        discussion: """
            The files of an edit get the bytes that they had before. A file that has other bytes by now is left alone. \
            What a run changed becomes an edit of the manifest, which `apply` carries out. Nothing is sent.

            Exit 0: done. 1: a file was changed since, or the edit or run is not known. 3: a part of the run was left \
            alone. 4: the edited manifest would not be valid. 64: no terminal to ask on, and no --yes.
            """
    )

    @Argument(help: "The edit, as `undo` without it lists them, or the run, as `history` does.")
    var past: String?
    @Option(help: "Go back to how it was after this run.", as: .text("run"))
    var after: String?
    @Option(help: "Only products whose key fits; * and ? are wild; repeatable.", as: .text("key"))
    var target: [String] = []
    @Option(help: "Not products whose key fits; repeatable.", as: .text("key"))
    var exclude: [String] = []
    @OptionGroup(title: "Writing") var writing: EditArguments
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.output.run { context in
            let run = after ?? past.flatMap { $0.hasPrefix(EditRecords.prefix) ? nil : $0 }
            if let run {
                guard after == nil || past == nil else {
                    throw CommandFailure(.usage, "--after says the run already", help: "leave '\(past ?? "")' out")
                }
                return try await takeBack(RunID(rawValue: run), context)
            }
            guard target.isEmpty, exclude.isEmpty, writing.write.isEmpty, writing.into == nil else {
                throw CommandFailure(.usage, "--target, --exclude, --write and --into go with a run")
            }
            var options = ManifestOptions(environment: context.environment)
            options.readsPictures = false
            let paths = ManifestSelection.files(named: selection.manifest.files)
            let files = await ManifestLoader(options: options).load(paths).manifest?.files ?? paths
            let records = EditRecords(beside: files)
            guard let past else { return try list(records, context) }
            try takeBack(past, records, context)
        }
    }

    private func takeBack(_ run: RunID, _ context: CommandContext) async throws {
        try writing.requireAnswer(context)
        var options = ManifestOptions(environment: context.environment)
        options.toleratesUnset = .market
        options.names = .onCommandLine
        let paths = ManifestSelection.files(named: selection.manifest.files)
        let manifest = try await EditRun.load(paths, options, context)
        let (place, scope) = try await selection.place(context)
        let filter = KeyFilter(targets: target, exclusions: exclude)
        let (undo, pictures) = try await place.backend.reading(scope) { state in
            if selection.state.namesFile { try await state.requirePresent() }
            return try await RunUndo.planned(
                of: run,
                isAfter: after != nil,
                state,
                in: manifest,
                filter: filter,
                keptIn: place.runPictures
            )
        }
        for key in undo.withoutPassword {
            context.console.note("warning: the password of '\(key)' was in a manifest, and is not written back")
        }
        let source = EditSource(.run, run.rawValue)
        try await pictures.written {
            ($0 as? CommandFailure)?.status == .partialFailure
        } _: {
            try await writing.carryOut(undo.edits, from: source, in: EditRun(manifest, options: options), context)
        }
    }

    private func list(_ records: EditRecords, _ context: CommandContext) throws {
        let edits = try records.undoable()
        try context.write(
            .object(
                of: ("format_version", .formatVersion),
                ("edits", .array(edits.map { JSONValue($0) }))
            )
        ) { _ in
            edits.isEmpty ? "Nothing to undo.\n" : edits.map { $0.line(in: records) + "\n" }.joined()
        }
    }

    private func takeBack(_ edit: String, _ records: EditRecords, _ context: CommandContext) throws {
        let console = context.console
        let record = try records.record(edit)
        if !writing.yes {
            guard console.isInteractive, !context.isJSON else {
                throw CommandFailure(
                    .usage,
                    "undo asks before it writes, and there is no terminal to ask on",
                    help: "use --yes"
                )
            }
            console.printError(record.line(in: records))
            guard console.confirms("Take it back?") else { throw CommandFailure(.failure, "nothing was written") }
        }
        let files = try records.undo(edit)
        try context.write(
            .object(
                of: ("format_version", .formatVersion),
                ("edit", .string(edit)),
                ("files", .array(files.map(JSONValue.string)))
            )
        ) { _ in
            files.isEmpty ? "Nothing to undo.\n" : files.map { "\($0.terminalSafe) is as before \(edit).\n" }.joined()
        }
    }
}
