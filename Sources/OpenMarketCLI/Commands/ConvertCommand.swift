import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Makes a manifest of another shop's table: Shopify's, WooCommerce's, or any with a mapping file.",
        discussion: """
            What was not carried over, and why, is reported on stderr. Pictures are files in a folder; only those are fetched \
            whose host is named.

            Exit 0: done. 3: done, but a host did not give its pictures. 4: the table or the mapping file has a fault, or \
            no row of it makes a product; nothing is written then.

            Examples:
              openmarket convert products_export.csv --currency USD -o openmarket.yaml
              openmarket convert table.csv --mapping mapping.yaml --images images
            """
    )

    @Argument(
        help: ArgumentHelp("The table, as CSV.", valueName: "table"),
        completion: .file(extensions: ["csv", "tsv"])
    )
    var table: String
    @Option(.from, "shopify or woocommerce. (default: detected by the columns)", value: "shop")
    var from: ShopOption?
    @Option(.mapping, "A YAML file that says what the columns mean.", value: .file("yaml", "yml"))
    var mapping: String?
    @Option(
        .currency,
        "The currency of prices without one: KRW, USD, or another code of ISO 4217 that the market takes.",
        as: .currency
    )
    var currency: Currency?
    @Option(
        .defaultDescription,
        "The description of products without one; {name} stands for the product's name.",
        value: "text"
    )
    var defaultDescription: String?
    @Option(.marketURL, "The market that the manifest is for.", value: "url")
    var marketURL: String?
    @OptionGroup var api: APIArguments
    @Option(.images, "Where the pictures are, under the names in their addresses.", value: .folder)
    var images: String?
    @Option(.fetchFrom, "Fetch pictures that are not there from this host into --images; repeatable.", value: "host")
    var fetchFrom: [String] = []
    @Option(.placeholder, "A picture for products that have none.", value: .file("jpg", "png"))
    var placeholder: String?
    @Option(.pictureList, "Write the addresses of the pictures that are not there, one a line.", value: "file")
    var pictureList: String?
    @Option(.out, short: "o", "The manifest to write. (default: stdout)", value: .file("yaml", "yml"))
    var out: String?
    @Flag(.replace, "Write over a manifest that exists.")
    var replace = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.runCancellable(convert) }

    private func convert(_ context: CommandContext) async throws {
        let (console, isJSON) = (context.console, context.isJSON)
        let out = out.flatMap { StandardStreams.isOutput($0) ? nil : $0 }
        guard !isJSON || out != nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) and the manifest cannot both go to stdout",
                help: "name a file for the manifest with \(Setting.out.flag)"
            )
        }
        guard mapping == nil || from == nil else {
            throw CommandFailure(.usage, "\(Setting.mapping.flag) and \(Setting.from.flag) exclude each other")
        }
        let described = try api.settings(context)
        let url = try Setting.marketURL.normalizedURL(marketURL)
        try FileRegister.current.declare(out, named: Setting.out.flag, as: .yaml)
        try FileRegister.current.declare(pictureList, named: Setting.pictureList.flag, as: .text)
        let conversion = try TableConversion(of: table, to: out, replaces: replace, images: images, hosts: fetchFrom)
        let columns =
            try mapping.map { try ConversionMapping(yaml: InputFile.bytes(of: $0), named: $0) } ?? from?.mapping
        let client = ClientConfiguration.pictures(
            from: fetchFrom,
            byteLimit: TableConversion.pictureByteLimit,
            userAgent: "openmarket/\(toolVersion)"
        )
        let converted = try await conversion.convert(
            mapping: columns,
            for: described?.profile,
            currency: currency,
            description: defaultDescription,
            placeholder: placeholder,
            over: client
        )
        if !isJSON { for line in converted.report.lines { console.note(line.terminalSafe) } }
        let head = TableConversion.head(
            url: url,
            described,
            currency: currency,
            for: converted.products,
            whereUnnamed:
                "The market is still to be named, or \(Setting.url.flag) and \(Setting.api.flag) be given to every command:"
        )
        try conversion.write(converted, under: head, pictureList: pictureList, standardOutput: console.write(data:))
        try say(converted.report, fetched: converted.fetchedCount, isJSON: isJSON, out: out, console)
        try converted.requireWhole()
    }

    private func say(
        _ report: ConversionReport,
        fetched: Int,
        isJSON: Bool,
        out: String?,
        _ console: Console
    ) throws {
        if isJSON {
            let document = report.document(table: table, manifest: out ?? "", fetched: fetched)
            return try console.write(document: document, pretty: false)
        }
        let left = report.leftOutCount == 0 ? "" : ", \(counted(report.leftOutCount, "row")) left out"
        let pictures = fetched == 0 ? "" : ", \(counted(fetched, "picture")) fetched"
        console.note("Converted \(table.terminalSafe): \(counted(report.productCount, "product"))\(left)\(pictures)")
        for lack in report.lacks { console.note("  help: \(lack.help)") }
    }
}

extension ConversionReport.Lack {
    var help: String {
        switch self {
        case .currency(nil): "say what the prices are in: \(Setting.currency.flag) KRW"
        case .currency(let code?):
            "say what the prices are in: \(Setting.currency.flag) \(code), or another currency with their sign"
        case .otherCurrency(let code): "carry prices in \(code) over: \(Setting.currency.flag) \(code)"
        case .description: "give products a description: \(Setting.defaultDescription.flag) '{name}, as shown'"
        case .stock:
            "name the column of the stock in a mapping file (\(Setting.mapping.flag)), or add one to the table"
        }
    }
}

/// A shop system with known tables.
enum ShopOption: String, ExpressibleByArgument, CaseIterable {
    case shopify
    case woocommerce

    var mapping: ConversionMapping { self == .shopify ? .shopify : .wooCommerce }
}
