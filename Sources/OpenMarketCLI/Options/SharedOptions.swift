import ArgumentParser
import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only the result and errors.")
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
            "The state; overrides the manifest. (default: .openmarket/state.db next to the manifests, a new one next to the first)",
        as: .file(named: "path|url", "db")
    )
    var state: String?
}

struct ChoosingArguments: ParsableArguments {
    @Option(help: "Only products whose key matches; * and ? are wildcards; repeatable.", as: .text("key"))
    var target: [String] = []

    @Option(help: "Only products whose keys are in this file, one per line; - is standard input.", as: .file())
    var targetFile: String?

    @Option(help: "Exclude products whose key matches; repeatable.", as: .text("key"))
    var exclude: [String] = []
}

struct DecisionArguments: ParsableArguments {
    @Option(
        help: "Leave out a saved plan's operations that this file of decisions rejects; its HTML page saves one.",
        as: .file("json")
    )
    var decisions: String?
}

struct PlanningArguments: ParsableArguments {
    @Option(
        help: "How much of the market to read: details of changed products, all details, or none. (default: changed)"
    )
    var refresh: RefreshMode?

    @Flag(help: "Take over live products of the same name: you confirm that they are yours.")
    var adopt = false

    @Option(help: "How to handle a value that changed only on the market. (default: restore, but keep for a stock)")
    var onDrift: PlannerOptions.DriftHandling?

    @OptionGroup var choosing: ChoosingArguments

    @Option(
        name: .customLong("where"),
        help: "Only matching products, such as 'stock>0'; repeatable, all must match.",
        as: .text("condition")
    )
    var conditions: [String] = []

    @Option(
        help: "Create products whose key matches again, then delete the old ones; * and ? are wildcards; repeatable.",
        as: .text("key")
    )
    var recreate: [String] = []

    @Option(help: "How many products may be deleted or replaced. (default: 30% above 10 products)", as: .bound)
    var maxDelete: Policies.Bound?

    @Flag(help: "Keep products that would be deleted; they count as not selected.")
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

    @Flag(help: "Let buyers pay 0 for new products and for products that had a price.")
    var allowZeroPrice = false

    @Flag(help: "Let a manifest without products delete everything.")
    var allowEmpty = false

    @Flag(help: "Create products although the market may have them already, under another id or key.")
    var allowNamesakes = false

    @Option(help: "How many managed products the market may lack. (default: 30% above 10 products)", as: .bound)
    var maxGone: Policies.Bound?
}
