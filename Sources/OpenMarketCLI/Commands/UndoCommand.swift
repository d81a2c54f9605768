import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes an edit of the manifest back, or lists what can be taken back.",
        discussion: """
            The files of the edit get the bytes that they had before. A file that has other bytes by now is left alone. \
            Nothing is sent.

            Exit 0: done. 1: a file was changed since, or the edit is not known. 64: no terminal to ask on, and no --yes.
            """
    )

    @Argument(help: "The edit, as `undo` without it lists them.")
    var edit: String?
    @OptionGroup(title: "Manifest") var manifests: MarketFileArguments
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await output.run { context in
            var options = ManifestOptions(environment: context.environment)
            options.readsPictures = false
            let paths = ManifestSelection.files(named: manifests.files)
            let files = await ManifestLoader(options: options).load(paths).manifest?.files ?? paths
            let records = EditRecords(beside: files)
            guard let edit else { return try list(records, context) }
            try takeBack(edit, records, context)
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
        if !yes {
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
