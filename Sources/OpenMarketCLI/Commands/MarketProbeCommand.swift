import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketManifest
import OpenMarketWorkflow

struct MarketProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Reads a live market, and compares its replies with its description. Writes only with --write.",
        discussion: """
            Prints each field's number of rows, types and values. Lists fields of the replies that the description \
            omits, and the proof of completeness that holds. Without --write it sends only GET requests. With --write \
            it creates a hidden product, changes it, removes it, and prints the wrong lines of the description.

            Exit 0: all products were read. 3: the product of --write could not be removed; the next apply removes it. \
            4: the market differs from the description. 5: the description does not hide the product of --write, or \
            was not accepted. 8: credentials rejected. 9: the market cannot be reached. 10: the read products cannot \
            be proved complete, or some rows cannot be read completely.

            Examples:
              openmarket market probe https://shop.example --api shop.market.yaml
              openmarket market probe https://shop.example --api shop.market.yaml --write
            """
    )

    @Argument(help: "The market's base URL; overrides the manifest.")
    var address: String?
    @OptionGroup var manifest: MarketFileArguments
    @Flag(help: "Create a hidden product, change it and remove it again.")
    var write = false
    @Option(
        name: .customLong("picture-url"),
        help: "With --write, a picture for a market that fetches them itself; twice for two.",
        as: .text("url")
    )
    var pictureURLs: [String] = []
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Carrying out") var execution: ExecutionArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.runCancellable(probe) }

    private func probe(_ context: CommandContext) async throws {
        let options = try ManifestOptions(context.environment, url: address ?? market.url, api: market.api)
        let manifest = try MarketOnlyManifest(files: self.manifest.files, options)
        let target = try MarketTarget(manifest)
        let configuration = try market.clientConfiguration(target, console: context.console)
        if write {
            try target.profile.requireWritable()
            try target.requireCredentialsToWrite()
        }
        let inspection = try await MarketInspection(over: configuration)
        let isReadable = inspection.failure == nil
        let trial = write && isReadable ? try await tryWriting(manifest, context) : nil
        let url = ("url", JSONValue.string(target.url))
        try context.write(inspection.document(of: url, showsProducts: false, with: trial)) { style in
            inspection.text(style)
                + (trial.map { "\n" + $0.text(style) } ?? "")
        }
        if let trial {
            context.console.report(trial.diagnostics(in: manifest.settings.descriptionFile ?? trial.key))
            try trial.requireSound()
        }
        try inspection.requireSound()
    }

    /// Creates a hidden product, changes it and deletes it again.
    private func tryWriting(_ manifest: MarketOnlyManifest, _ context: CommandContext) async throws -> WriteProbe {
        var work = try await MarketWork(
            manifest.settings,
            manifestFiles: manifest.files,
            market,
            state,
            keptRuns: execution.keptRuns,
            context
        )
        work.configuration = execution.pace.configuration(parallelism: work.client.parallelism)
        work.client.hidesNewProducts = true
        return try await work.holding(
            for: "market probe",
            waiting: execution.lockTimeout ?? .zero,
            accepting: execution.accepting.acceptance(context)
        ) { session in
            let fetched = pictureURLs.map { TrialPicture.fetched(from: $0) }
            return try await TrialPicture.withFiles { try await session.tryWriting(pictures: $0 + fetched) }
        }
    }
}

extension MarketInspection {
    /// Exits with a status other than 0 if a check failed; the reason is already printed.
    func requireSound() throws {
        if let failure {
            guard let status = CommandFailure(failure)?.status else { throw failure }
            throw CommandFailure(status)
        }
        if !isSound { throw CommandFailure(.catalogMoved) }
    }
}
