import ArgumentParser
import OpenMarket

/// What every command takes.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print the result and errors, nothing else.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Log requests to stderr.")
    var verbose = false

    @Flag(help: "No colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(help: "Print the result as JSON.")
    var json = false
}

/// The arguments that name manifests.
struct ManifestArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Manifest files or folders; - is standard input. (default: openmarket.yaml)",
            valueName: "manifest"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []

    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: ArgumentHelp("A manifest file or folder; repeatable.", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var files: [String] = []

    @Flag(help: "Allow pictures and !file outside the manifest's folder.")
    var allowOutside = false
}

/// The manifest whose market is meant, for commands that care for nothing else of it.
struct MarketManifestArguments: ParsableArguments {
    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: ArgumentHelp("The manifest whose market is meant. (default: openmarket.yaml)", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var files: [String] = []
    @Argument(
        help: ArgumentHelp("The same as --file.", valueName: "manifest"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []
}

/// Which market, and how to talk to it.
struct MarketArguments: ParsableArguments {
    @Option(help: "The market's base URL; overrides the manifest.")
    var url: String?

    @Option(help: ArgumentHelp("The market's API; overrides the manifest.", valueName: "profile"))
    var api: ProfileOption?

    @Option(help: ArgumentHelp("Requests at once, 1 to 1024. (default: 8)", valueName: "n"))
    var parallelism: PositiveOption?

    @Option(help: ArgumentHelp("How long one request may take. (default: 60s)", valueName: "time"))
    var timeout: DurationOption?
}

/// Where the state is.
struct StateArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The state file. (default: .openmarket/state.db beside the manifests, a new one beside the first)",
            valueName: "path"
        ),
        completion: .file(extensions: ["db"])
    )
    var state: String?
}

/// How to plan.
struct PlanningArguments: ParsableArguments {
    @Option(help: "How much of the market to read. (default: changed)")
    var refresh: RefreshMode?

    @Flag(help: "Take over live products of the same name: you vouch that they are yours.")
    var adopt = false

    @Option(help: "What to do where the market was changed and the manifest was not. (default: restore)")
    var onDrift: PlannerOptions.DriftHandling?

    @Option(help: ArgumentHelp("Only products whose key fits; * and ? are wild; repeatable.", valueName: "key"))
    var target: [String] = []

    @Option(help: ArgumentHelp("Not products whose key fits; repeatable.", valueName: "key"))
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many products may be deleted or replaced. (default: 30% above 10 products)",
            valueName: "n|%"
        )
    )
    var maxDelete: BoundOption?

    @Option(help: ArgumentHelp("How far a price may move.", valueName: "%"))
    var maxPriceChange: PercentOption?

    @Flag(help: "Let currencies change where the policies forbid it.")
    var allowCurrencyChange = false

    @Flag(help: "Let stocks go to 0 where the policies forbid it.")
    var allowStockToZero = false

    @Flag(help: "Let a manifest without products delete everything.")
    var allowEmpty = false

    @Flag(help: "Make products although the market has others of their name that may be yours.")
    var allowNamesakes = false

    @Option(
        help: ArgumentHelp(
            "How many managed products may be gone from the market. (default: 30% above 10 products)",
            valueName: "n|%"
        )
    )
    var maxGone: BoundOption?

    /// Those that stand on the command line.
    var given: [String] {
        [
            (refresh != nil, "--refresh"), (adopt, "--adopt"), (onDrift != nil, "--on-drift"),
            (!target.isEmpty, "--target"), (!exclude.isEmpty, "--exclude"), (maxDelete != nil, "--max-delete"),
            (maxPriceChange != nil, "--max-price-change"), (allowCurrencyChange, "--allow-currency-change"),
            (allowStockToZero, "--allow-stock-to-zero"), (allowEmpty, "--allow-empty"),
            (allowNamesakes, "--allow-namesakes"), (maxGone != nil, "--max-gone"),
        ].compactMap { isGiven, name in isGiven ? name : nil }
    }
}
