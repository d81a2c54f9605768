import ArgumentParser
import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print the result and errors, nothing else.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Log requests to stderr, without secrets.")
    var verbose = false

    @Flag(help: "No colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(help: "Print the result as JSON, if there is one.")
    var json = false
}

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
        name: [.customShort("f"), .customLong("file")],
        help: "A manifest file or folder, or a table (.csv, .tsv); repeatable.",
        as: .file(named: "path", "yaml", "yml", "csv", "tsv")
    )
    var files: [String] = []

    @Flag(help: "Allow pictures, !file and included files outside the manifest's folder.")
    var allowOutside = false

    @Flag(help: "List every fault, not only the first of each kind if there are many.")
    var all = false
}

/// The option for the manifest that defines the market.
struct MarketFileArguments: ParsableArguments {
    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: "The manifest whose market is meant. (default: openmarket.yaml)",
        as: .file(named: "path", "yaml", "yml")
    )
    var files: [String] = []
}

struct MarketManifestArguments: ParsableArguments {
    @OptionGroup var option: MarketFileArguments
    @Argument(
        help: ArgumentHelp("The same as --file.", valueName: "manifest"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var manifests: [String] = []
}

struct APIArguments: ParsableArguments {
    @Option(help: "The market's API: v1a, v1b, v2a, v2b, or the path of a description.", as: .market)
    var api: MarketReference?

    @Option(help: "Fills a parameter of the market's description; repeatable.", as: .parameter)
    var marketParameter: [MarketParameter] = []
}

struct MarketArguments: ParsableArguments {
    @Option(help: "The market's base URL; overrides the manifest.", as: .text("url"))
    var url: String?

    @OptionGroup var api: APIArguments

    @Flag(
        help: "Allow http for a described market: credentials and products are then sent unencrypted."
    )
    var insecureHTTP = false

    @Option(help: "Requests at once, 1 to 1024. (default: \(Parallelism.standard))", as: .parallelism)
    var parallelism: Int?

    @Option(help: "How long one request may take. (default: 60s)", as: .positiveDuration)
    var timeout: Duration?
}

struct StateArguments: ParsableArguments {
    @Option(
        help:
            "Where the state is; overrides the manifest. (default: .openmarket/state.db next to the manifests, a new one next to the first)",
        as: .file(named: "path|url", "db")
    )
    var state: String?
}

struct ChoosingArguments: ParsableArguments {
    @Option(help: "Only products whose key fits; * and ? are wild; repeatable.", as: .text("key"))
    var target: [String] = []

    @Option(help: "Only products whose keys are in this file, one a line; - is standard input.", as: .file())
    var targetFile: String?

    @Option(help: "Not products whose key fits; repeatable.", as: .text("key"))
    var exclude: [String] = []
}

struct DecisionArguments: ParsableArguments {
    @Option(
        help: "Of a saved plan, leave out what this file of decisions rejects; the plan's HTML page saves one.",
        as: .file("json")
    )
    var decisions: String?
}

struct PlanningArguments: ParsableArguments {
    @Option(
        help: "What to read of the market: details of changed products, all details, or nothing. (default: changed)"
    )
    var refresh: RefreshMode?

    @Flag(help: "Take over live products of the same name: you confirm that they are yours.")
    var adopt = false

    @Option(help: "What to do with a value that changed on the market only. (default: restore, but keep for a stock)")
    var onDrift: PlannerOptions.DriftHandling?

    @OptionGroup var choosing: ChoosingArguments

    @Option(
        name: .customLong("where"),
        help: "Only products that fit, such as 'stock>0'; repeatable, all have to hold.",
        as: .text("condition")
    )
    var conditions: [String] = []

    @Option(
        help: "Create products whose key fits again, then delete the present ones; * and ? are wild; repeatable.",
        as: .text("key")
    )
    var recreate: [String] = []

    @Option(help: "How many products may be deleted or replaced. (default: 30% above 10 products)", as: .bound)
    var maxDelete: Policies.Bound?

    @Flag(help: "Leave products that would be deleted alone; they count as not selected.")
    var noDelete = false

    @OptionGroup var table: TableArguments

    @Option(help: "How far a price may move, such as 50%; none for no bound.", as: .maximumPriceChange)
    var maxPriceChange: PolicyExceptions.Bound?

    @Option(help: "The lowest price; none for no bound.", as: .minimumPrice)
    var minPrice: PolicyExceptions.Bound?

    @Flag(help: "Let currencies change although the policies forbid it.")
    var allowCurrencyChange = false

    @Flag(help: "Let stocks go to 0 although the policies forbid it.")
    var allowStockToZero = false

    @Flag(help: "Let buyers pay 0 for what is new or had a price.")
    var allowZeroPrice = false

    @Flag(help: "Let a manifest without products delete everything.")
    var allowEmpty = false

    @Flag(help: "Create products although the market may have them already, under another id or key.")
    var allowNamesakes = false

    @Option(help: "How many managed products may be gone from the market. (default: 30% above 10 products)", as: .bound)
    var maxGone: Policies.Bound?
}
