import ArgumentParser
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct StateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Shows and edits the state, which remembers the managed products.",
        discussion: """
            The market is that of the manifest, or of --url and --api. If the state has only one market, it need not \
            be named.
            """,
        subcommands: [
            StateListCommand.self, StateShowCommand.self, StateForgetCommand.self, StateMoveCommand.self,
            StateExportCommand.self, StateImportCommand.self, StateCopyCommand.self, StateInitCommand.self,
            StateUnlockCommand.self,
        ]
    )
}

struct StateSelection: ParsableArguments {
    @OptionGroup var manifest: MarketFileArguments
    @Option(help: "The market's base URL; overrides the manifest.", as: .text("url"))
    var url: String?
    @OptionGroup var api: APIArguments
    @OptionGroup var state: StateArguments
    @OptionGroup var output: OutputOptions

    func reading(_ body: (any StateReader, CommandContext) async throws -> Void) async throws {
        try await output.run(reader: .streaming) { context in
            let (place, scope) = try await place(context)
            try await place.backend.reading(scope) { reader in
                if state.namesFile { try await reader.requirePresent() }
                if let remark = try await reader.remark() { context.console.printError("warning: \(remark)") }
                try await body(reader, context)
            }
        }
    }

    func writing(_ command: String, _ body: (any StateSession, CommandContext) async throws -> Void) async throws {
        try await output.run { context in
            let (place, scope) = try await place(context)
            try await place.backend.holding(scope, for: command) { try await body($0, context) }
        }
    }

    /// The state and its market.
    func place(_ context: CommandContext) async throws -> (place: OpenedState, scope: MarketScope) {
        func manifest(_ toleratesUnset: ManifestOptions.Unset) throws -> MarketOnlyManifest {
            try MarketOnlyManifest(
                files: self.manifest.files,
                try ManifestOptions(context.environment, url: url, api: api, toleratesUnset: toleratesUnset)
            )
        }
        let market = try manifest(.market)
        let place = try await state.place(
            manifestFiles: market.files,
            market: market.settings,
            console: context.console
        )
        if let known = try await place.backend.market(fitting: market.settings) { return (place, known) }
        return (place, try MarketTarget(manifest(.secrets)).scope)
    }
}

struct StateListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the managed products.")

    @Argument(help: "Only matching keys; * and ? are wildcards.")
    var key: String?
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            let (entries, console) = (try await state.snapshot().entries, context.console)
            let places = entries.placesByKey(fitting: key)
            if context.isJSON {
                try StateDocument.list(places, of: entries) { try console.write(json: $0) }
            } else {
                try entries.list(places) { try console.write($0) }
            }
        }
    }
}

struct StateShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a product's entry in the state.",
        discussion: "Exit 0: shown. 1: the key is not in the state."
    )

    @Argument(help: "The product's key.")
    var key: String
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            guard let entry = try await state.entry(key) else {
                throw CommandFailure(.failure, StateError.unknownKey(key).message, help: "openmarket state list")
            }
            try context.write(entry.document) { _ in entry.text }
        }
    }
}

struct StateForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Stops managing a product; the market keeps it.",
        discussion: "Exit 0: done. 1: the key is not in the state. 7: a run holds the lock."
    )

    @Argument(help: "The product's key.")
    var key: String
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.writing("state forget") { state, context in
            let entry = try await state.forget(key)
            try context.report(
                entry.document,
                "Forgot '\(key.terminalSafe)'; product \(entry.id) stays on the market."
            )
        }
    }
}

struct StateMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Gives a product another key; the market is not touched.",
        discussion: "Exit 0: done. 1: the key is not in the state, or the new one already is. 7: a run holds the lock."
    )

    @Argument(help: "The product's key.")
    var old: String
    @Argument(help: "Its new key.")
    var new: String
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.writing("state move") { state, context in
            try await state.rename(old, to: new)
            let entry = try await state.entry(new)
            try context.report(entry?.document ?? .null, "'\(old.terminalSafe)' is now '\(new.terminalSafe)'.")
        }
    }
}

struct StateExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the state as JSON Lines, the same bytes for the same state.",
        discussion: "Exit 0: written. 1: the market is not in the state; no file is written."
    )

    @Option(name: .shortAndLong, help: "The file, written atomically. (default: stdout)", as: .file())
    var out: String?
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, context in
            let console = context.console
            let out = out.flatMap { StandardStreams.isOutput($0) ? nil : $0 }
            try FileRegister.current.declare(out, named: "--out", as: .jsonl)
            guard let out else {
                try await StateDocument.export(state) { try console.write(json: $0) }
                return
            }
            try await StateDocument.export(state, toFile: out)
        }
    }
}

struct StateImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Reads a state from JSON Lines, atomically.",
        discussion: """
            Exit 0: done. 1: the state has products, and --replace is not given. 4: the file is not such a state, or \
            is of another market. 7: a run holds the lock.
            """
    )

    @Argument(help: "The file; - is standard input.", completion: .file())
    var input: String
    @Flag(help: "Take the lines of another market for this one's.")
    var acceptOtherMarket = false
    @Flag(help: "Replace products that the state already has.")
    var replace = false
    @OptionGroup var selection: StateSelection

    func run() async throws {
        let text = try StateDocument.text(ofFile: input)
        try await selection.writing("state import") { state, context in
            let count: Int
            do {
                count = try await StateDocument.import(
                    text,
                    into: state,
                    acceptingOtherMarket: acceptOtherMarket,
                    replacing: replace
                )
            } catch let error as StateError where error.code == .conflict {
                throw CommandFailure(
                    .failure,
                    error.message,
                    help: "--replace replaces them by the imported ones"
                )
            }
            let document = JSONValue.object(of: ("format_version", .formatVersion), ("products", .integer(count)))
            try context.report(document, "Imported \(counted(count, "product")).")
        }
    }
}

struct StateCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Moves a state to another place: products, runs and unresolved operations.",
        discussion: """
            Both are locked meanwhile. The old state then names the new place, and only `history`, `status` and `state \
            list` still read it. After an interruption the same command continues.

            Exit 0: moved. 1: the state is empty, or the new place already has one of the markets. 7: a run holds one of them.

            Example:
              openmarket state copy .openmarket/state.db postgresql:///shop
            """
    )

    @Argument(help: "The state to move: a file or a postgresql:// address.", completion: .file(extensions: ["db"]))
    var from: String
    @Argument(help: "The new place.", completion: .file(extensions: ["db"]))
    var to: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { context in
            let places = try [(from, "<from>"), (to, "<to>")].map { location, name in
                try OpenedState(StateLocation(location), besides: [], named: name, warning: context.console)
            }
            let copied = try await StateCopy(from: places[0].backend, to: places[1].backend).run()
            guard !context.isJSON else {
                return try context.console.write(document: StateCopy.document(copied))
            }
            for market in copied {
                context.console.note(
                    "Moved \(market.scope.url.terminalSafe): \(counted(market.products, "product")), "
                        + "\(counted(market.runs, "run")), \(market.unresolved) unresolved."
                )
            }
        }
    }
}

struct StateInitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Creates the tables of a state in a database, or prints the SQL for it.",
        discussion: """
            Not needed if the account may create a schema: the first `apply` does it. An administrator runs the \
            printed SQL once for accounts that only read and change rows.

            Exit 0: the tables are there. 1: the database cannot be reached or refuses.
            """
    )

    @Argument(help: "The state: a postgresql:// address; `schema=NAME` in its query names the schema.")
    var state: String
    @Flag(help: "Print the SQL without connecting.")
    var printSQL = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.run { context in
            let location = StateLocation(state)
            let place = try OpenedState(location, besides: [], warning: printSQL ? nil : context.console)
            guard let definition = place.backend.definition else {
                throw CommandFailure(.usage, "the state \(location) is a file, which every run creates by itself")
            }
            if printSQL { return try context.console.write(definition) }
            try await place.backend.prepare()
            context.console.note("The state \(location) is ready.")
        }
    }
}

struct StateUnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Removes the lock of a dead run; refuses while that run lives.",
        discussion: "Exit 0: removed, or not locked. 7: the run lives."
    )

    @Flag(help: "Also end a run that holds a state in a database; it stops and can no longer change the state.")
    var force = false
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.output.run { context in
            let (place, scope) = try await selection.place(context)
            let holder = try await place.backend.unlock(scope, force: force)
            try context.report(
                .object(of: ("format_version", .formatVersion), ("holder", holder.map(JSONValue.string) ?? .null)),
                holder.map { "Removed the lock of \($0.terminalSafe)." } ?? "The state was not locked."
            )
        }
    }
}
