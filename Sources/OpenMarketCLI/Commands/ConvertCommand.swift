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
        abstract: "Creates a manifest from another shop's table: Shopify's, WooCommerce's, or any with a mapping file.",
        discussion: """
            Prints omitted rows and values with the reasons on stderr. Pictures are files in a folder; only pictures \
            of named hosts are fetched.

            Exit 0: done. 3: done, but a host did not give its pictures. 4: the table or the mapping file has a fault, \
            or no row gives a product; no file is written. 5: the manifest exists, and --replace is not given.

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
    @Option(help: ArgumentHelp("The shop that wrote the table. (default: detected by the columns)", valueName: "shop"))
    var from: ShopOption?
    @Option(help: "A YAML file that maps the columns.", as: .file("yaml", "yml"))
    var mapping: String?
    @Option(
        help: "The currency of prices without one: KRW, USD, or another code of ISO 4217 that the market takes.",
        as: .currency
    )
    var currency: Currency?
    @Option(help: "The description of products without one; {name} stands for the product's name.", as: .text("text"))
    var defaultDescription: String?
    @Option(help: "The market that the manifest is for.", as: .text("url"))
    var marketURL: String?
    @OptionGroup var api: APIArguments
    @Option(help: "The folder with the pictures, named as in their addresses.", as: .folder)
    var images: String?
    @Option(help: "Fetch missing pictures from this host into --images; repeatable.", as: .text("host"))
    var fetchFrom: [String] = []
    @Option(help: "A picture for products without one.", as: .file("jpg", "png"))
    var placeholder: String?
    @Option(help: "Write the addresses of missing pictures, one per line.", as: .text("file"))
    var pictureList: String?
    @Option(name: .shortAndLong, help: "The manifest to write. (default: stdout)", as: .file("yaml", "yml"))
    var out: String?
    @Flag(help: "Overwrite an existing manifest.")
    var replace = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.runCancellable(convert) }

    private func convert(_ context: CommandContext) async throws {
        let (console, isJSON) = (context.console, context.isJSON)
        let out = out.flatMap { StandardStreams.isOutput($0) ? nil : $0 }
        guard !isJSON || out != nil else {
            throw CommandFailure(
                .usage,
                "--json and the manifest cannot both go to stdout",
                help: "name a file for the manifest with --out"
            )
        }
        guard mapping == nil || from == nil else {
            throw CommandFailure(.usage, "--mapping and --from exclude each other")
        }
        let described = try api.settings(context)
        let url = try normalizedURL(marketURL, of: "--market-url")
        try FileRegister.current.declare(out, named: "--out", as: .yaml)
        try FileRegister.current.declare(pictureList, named: "--picture-list", as: .text)
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
                "Name the market here, or give --url and --api to every command:"
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
        for help in report.helps { console.note("  help: \(help)") }
    }
}

/// A shop system with supported tables.
enum ShopOption: String, ExpressibleByArgument, CaseIterable {
    case shopify
    case woocommerce

    var mapping: ConversionMapping { self == .shopify ? .shopify : .wooCommerce }
}
