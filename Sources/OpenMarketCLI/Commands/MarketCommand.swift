import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketWorkflow

struct MarketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "market",
        abstract: "Lists, shows, checks and tries descriptions of markets.",
        discussion: "A description is one YAML file about how a market's API is read and written: docs/markets.md.",
        subcommands: [
            MarketListCommand.self, MarketCheckCommand.self, MarketShowCommand.self, MarketProbeCommand.self,
        ]
    )
}

struct MarketListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the built-in markets.",
        discussion: "Every other market is a file; its path names it."
    )

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(list) }

    private func list(_ context: CommandContext) async throws {
        try context.write(BuiltInMarket.list) { _ in
            BuiltInMarket.allCases.map { "\($0.rawValue)  \($0.described.about ?? "")\n" }.joined()
        }
    }
}

struct MarketCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a market's description offline, and lists the operations that it supports.",
        discussion: """
            Lists the keys that a manifest needs, and the supported operations with reasons for the others. Lists the \
            proofs of completeness, and every request. With --replay it reads a recorded conversation instead of a \
            market, and prints its products.

            Exit 0: valid. 4: not valid; every fault has its file, line and column. 10: the recording does not prove \
            that its products are complete, or some rows cannot be read completely.
            """
    )

    @Argument(
        help: "The description, or the name of a built-in market; - is standard input.",
        completion: .file(extensions: ["yaml", "yml"])
    )
    var file: String
    @Option(help: "A recorded conversation to read: requests and replies as JSON Lines.", as: .file("jsonl"))
    var replay: String?
    @Option(help: "Fills a parameter of the market's description; repeatable.", as: .parameter)
    var marketParameter: [MarketParameter] = []
    @Flag(help: "List every fault, not only the first of each kind if there are many.")
    var all = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(check) }

    private func check(_ context: CommandContext) async throws {
        let check = try MarketCheck(named: file)
        if check.market != nil, let replay { return try await read(replay, as: check, context) }
        if !context.isJSON { context.console.report(check.diagnostics, asResult: true, all: all) }
        try context.write(check.report) { check.text($0) }
        if !check.diagnostics.isEmpty { throw CommandFailure(.invalidInput) }
    }

    /// Checks a recorded conversation against the description.
    private func read(_ recording: String, as check: MarketCheck, _ context: CommandContext) async throws {
        let profile = try check.profile(marketParameter.byName())
        let bytes = try InputFile.bytes(of: recording)
        let conversation: RecordedConversation
        do throws(RecordedConversation.Fault) {
            conversation = try RecordedConversation(bytes)
        } catch {
            throw CommandFailure(.invalidInput, "\(recording.terminalSafe):\(error.line): \(error.message)")
        }
        let inspection = try await MarketInspection(over: ClientConfiguration(replaying: conversation, as: profile))
        let console = context.console
        if context.isJSON {
            let file = ("file", JSONValue.string(check.file))
            try console.write(document: inspection.document(of: file, showsProducts: true))
        } else {
            try console.write(catalog: inspection.products)
            try console.write("\n" + inspection.text(console.outputStyle))
        }
        try inspection.requireSound()
    }
}

struct MarketShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a market's description, as a start for another one.",
        discussion: """
            The bytes are the file's own. With --json they are a text in a document.

            Exit 0: shown. 4: the file is not a valid description.

            Example:
              openmarket market show v2b >shop.market.yaml
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A built-in market (\(BuiltInMarket.allCases.map(\.rawValue).joined(separator: ", "))), or a description's path.",
            valueName: "name|path"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var name: String
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(show) }

    private func show(_ context: CommandContext) async throws {
        let console = context.console
        let check = try MarketCheck(named: name)
        guard let market = check.market else {
            throw CommandFailure(.invalidInput, faults: check.diagnostics)
        }
        guard context.isJSON else { return try console.write(catalog: check.document) }
        try console.write(document: check.source(named: market.name))
    }
}
