import ArgumentParser
import OpenMarket

/// What every command takes.
struct OutputOptions: ParsableArguments {
    @Flag(name: .setting(.quiet, short: "q"), help: "Print the result and errors, nothing else.")
    var quiet = false

    @Flag(name: .setting(.verbose, short: "v"), help: "Log requests to stderr.")
    var verbose = false

    @Flag(name: .setting(.noColor), help: "No colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .setting(.json), help: "Print the result as JSON.")
    var json = false
}

/// The arguments that name manifests.
struct ManifestArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Manifest files or folders; - is standard input. (default: openmarket.yaml)",
            valueName: "manifest"
        ),
        completion: .file(extensions: ["yaml", "yml", "csv", "tsv"])
    )
    var manifests: [String] = []

    @Option(
        name: .setting(.file, short: "f"),
        help: ArgumentHelp("A manifest file or folder, or a table (.csv, .tsv); repeatable.", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml", "csv", "tsv"])
    )
    var files: [String] = []

    @Flag(name: .setting(.allowOutside), help: "Allow pictures and !file outside the manifest's folder.")
    var allowOutside = false

    @Flag(name: .setting(.all), help: "List every fault, not only the first of each kind where there are many.")
    var all = false
}

/// The manifest whose market is meant, by an option.
struct MarketFileArguments: ParsableArguments {
    @Option(
        name: .setting(.file, short: "f"),
        help: ArgumentHelp("The manifest whose market is meant. (default: openmarket.yaml)", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var files: [String] = []
}

/// The manifest whose market is meant, for commands that care for nothing else of it.
struct MarketManifestArguments: ParsableArguments {
    @OptionGroup var option: MarketFileArguments
    @Argument(
        help: ArgumentHelp("The same as \(Setting.file.flag).", valueName: "manifest"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []
}

/// What describes the market.
struct APIArguments: ParsableArguments {
    @Option(
        name: .setting(.api),
        help: ArgumentHelp(
            "The market's API: v1a, v1b, v2a, v2b, or the path of a description; overrides the manifest.",
            valueName: "name|path"
        )
    )
    var api: MarketOption?

    @Option(
        name: .setting(.marketParameter),
        help: ArgumentHelp("Fills a parameter of the market's description; repeatable.", valueName: "name=value")
    )
    var marketParameter: [ParameterOption] = []
}

/// Which market, and how to talk to it.
struct MarketArguments: ParsableArguments {
    @Option(name: .setting(.url), help: "The market's base URL; overrides the manifest.")
    var url: String?

    @OptionGroup var api: APIArguments

    @Flag(
        name: .setting(.insecureHTTP),
        help: "Let credentials and products of a described market go over http, where everybody on the way reads them."
    )
    var insecureHTTP = false

    @Option(
        name: .setting(.parallelism),
        help: ArgumentHelp("Requests at once, 1 to 1024. (default: \(Parallelism.standard))", valueName: "n")
    )
    var parallelism: ParallelismOption?

    @Option(
        name: .setting(.timeout),
        help: ArgumentHelp("How long one request may take. (default: 60s)", valueName: "time")
    )
    var timeout: DurationOption?
}

/// Where the state is.
struct StateArguments: ParsableArguments {
    @Option(
        name: .setting(.state),
        help: ArgumentHelp(
            "Where the state is; overrides the manifest. (default: .openmarket/state.db beside the manifests, a new one beside the first)",
            valueName: "path|url"
        ),
        completion: .file(extensions: ["db"])
    )
    var state: String?
}

struct PlanningArguments: ParsableArguments {
    @Option(name: .setting(.refresh), help: "How much of the market to read. (default: changed)")
    var refresh: RefreshMode?

    @Flag(name: .setting(.adopt), help: "Take over live products of the same name: you vouch that they are yours.")
    var adopt = false

    @Option(
        name: .setting(.onDrift),
        help: "What to do where the market was changed and the manifest was not. (default: restore)"
    )
    var onDrift: PlannerOptions.DriftHandling?

    @Option(
        name: .setting(.target),
        help: ArgumentHelp("Only products whose key fits; * and ? are wild; repeatable.", valueName: "key")
    )
    var target: [String] = []

    @Option(
        name: .setting(.targetFile),
        help: ArgumentHelp(
            "Only products whose keys are in this file, one a line; - is standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var targetFile: String?

    @Option(name: .setting(.exclude), help: ArgumentHelp("Not products whose key fits; repeatable.", valueName: "key"))
    var exclude: [String] = []

    @Option(
        name: .setting(.recreate),
        help: ArgumentHelp(
            "Make products whose key fits again, in the place of those that are there; * and ? are wild; repeatable.",
            valueName: "key"
        )
    )
    var recreate: [String] = []

    @Option(
        name: .setting(.maxDelete),
        help: ArgumentHelp(
            "How many products may be deleted or replaced. (default: 30% above 10 products)",
            valueName: "n|%"
        )
    )
    var maxDelete: BoundOption?

    @Flag(name: .setting(.noDelete), help: "Leave products that would be deleted alone.")
    var noDelete = false

    @Flag(name: .setting(.complete), help: "A table lists all products: delete those that it has no row of.")
    var complete = false

    @Option(name: .setting(.maxPriceChange), help: ArgumentHelp("How far a price may move.", valueName: "%"))
    var maxPriceChange: PercentOption?

    @Option(
        name: .setting(.minPrice),
        help: ArgumentHelp("The least that a price may be; none for no bound.", valueName: "price")
    )
    var minPrice: AmountOption?

    @Flag(name: .setting(.allowCurrencyChange), help: "Let currencies change where the policies forbid it.")
    var allowCurrencyChange = false

    @Flag(name: .setting(.allowStockToZero), help: "Let stocks go to 0 where the policies forbid it.")
    var allowStockToZero = false

    @Flag(name: .setting(.allowEmpty), help: "Let a manifest without products delete everything.")
    var allowEmpty = false

    @Flag(
        name: .setting(.allowNamesakes),
        help: "Make products although the market has others of their name that may be yours."
    )
    var allowNamesakes = false

    @Option(
        name: .setting(.maxGone),
        help: ArgumentHelp(
            "How many managed products may be gone from the market. (default: 30% above 10 products)",
            valueName: "n|%"
        )
    )
    var maxGone: BoundOption?
}
