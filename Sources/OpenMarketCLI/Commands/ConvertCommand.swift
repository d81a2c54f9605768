import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Makes a manifest of another shop's table: Shopify's, WooCommerce's, or any with a mapping file.",
        discussion: """
            What was not carried over, and why, is told on stderr. Pictures are files in a folder; only those are fetched
            whose host is named.

            Exit 0: done. 3: done, but a host did not give its pictures. 4: the table or the mapping file has a fault, or
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
    @Option(
        name: .setting(.from),
        help: ArgumentHelp("shopify or woocommerce. (default: told by the columns)", valueName: "shop")
    )
    var from: ShopOption?
    @Option(
        name: .setting(.mapping),
        help: ArgumentHelp("A YAML file that says what the columns mean.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var mapping: String?
    @Option(
        name: .setting(.currency),
        help: "The currency of prices without one: KRW, USD, or another code of ISO 4217 that the market takes."
    )
    var currency: CurrencyOption?
    @Option(
        name: .setting(.defaultDescription),
        help: ArgumentHelp(
            "The description of products without one; {name} stands for the product's name.",
            valueName: "text"
        )
    )
    var defaultDescription: String?
    @Option(
        name: .setting(.marketURL),
        help: ArgumentHelp("The market that the manifest is for.", valueName: "url")
    )
    var marketURL: String?
    @Option(
        name: .setting(.api),
        help: ArgumentHelp("The API that the market speaks, which bounds prices and texts.", valueName: "profile")
    )
    var api: ProfileOption?
    @Option(
        name: .setting(.images),
        help: ArgumentHelp("Where the pictures are, under the names in their addresses.", valueName: "folder"),
        completion: .directory
    )
    var images: String?
    @Option(
        name: .setting(.fetchFrom),
        help: ArgumentHelp(
            "Fetch pictures that are not there from this host into --images; repeatable.",
            valueName: "host"
        )
    )
    var fetchFrom: [String] = []
    @Option(
        name: .setting(.placeholder),
        help: ArgumentHelp("A picture for products that have none.", valueName: "file"),
        completion: .file(extensions: ["jpg", "png"])
    )
    var placeholder: String?
    @Option(
        name: .setting(.pictureList),
        help: ArgumentHelp("Write the addresses of the pictures that are not there, one a line.", valueName: "file")
    )
    var pictureList: String?
    @Option(
        name: .setting(.out, short: "o"),
        help: ArgumentHelp("The manifest to write. (default: stdout)", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var out: String?
    @Flag(name: .setting(.replace), help: "Write over a manifest that exists.")
    var replace = false
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let settings = Settings.current
        let console = try output.console(settings: settings)
        try await withLogger(output.logger("openmarket", settings: settings, standard: .warning)) { _ in
            try await withCancellation { try await run(settings: settings, console: console) }
        }
    }

    private func run(settings: Settings, console: Console) async throws {
        let out = try settings.text(out, .out).flatMap { $0 == "-" ? nil : $0 }
        let list = try settings.text(pictureList, .pictureList)
        let mappingFile = try settings.text(mapping, .mapping)
        let from = try settings.value(from, .from)
        let isJSON = try output.isJSON(settings)
        guard !isJSON || out != nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.json.flag) and the manifest cannot both go to stdout",
                help: "name a file for the manifest with \(Setting.out.flag)"
            )
        }
        let profile = try settings.value(api, .api)?.profile
        let head = try head(profile, settings)
        guard mappingFile == nil || from == nil else {
            throw CommandFailure(.usage, "\(Setting.mapping.flag) and \(Setting.from.flag) exclude each other")
        }
        try OutputPlace.declare(out, Setting.out.flag, as: .yaml)
        try OutputPlace.declare(list, Setting.pictureList.flag, as: .text)
        let replaces = try settings.isOn(replace, .replace)
        if let out, FileSystem.isRegular(out), !replaces {
            throw CommandFailure(
                .failure,
                "\(out.terminalSafe) exists; it was left alone",
                help: "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)"
            )
        }
        var pictures = try TablePictures(
            folder: try settings.text(images, .images),
            hosts: settings.list(fetchFrom, .fetchFrom),
            manifestFolder: out.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
                ?? FileManager.default.currentDirectoryPath
        )
        var options = TableConverter.Options(
            currency: head.defaultCurrency,
            placeholder: try settings.text(placeholder, .placeholder).map(pictures.path),
            description: try settings.text(defaultDescription, .defaultDescription),
            limits: (profile ?? .v2b).limits
        )
        options.picture = pictures.picture
        if let placeholder = options.placeholder { note([placeholder], beside: out) }
        if let folder = try settings.text(images, .images) { PictureLibrary.note(folder) }
        var (products, report) = try convert(mappingFile, from?.mapping, options)
        note(products.flatMap { $0.images ?? [] }, beside: out)
        try FileRegister.current.check()
        // A product that does not get one of its pictures may take another one in its place.
        while case let wanted = pictures.wanted(by: products), !wanted.isEmpty {
            try await pictures.fetch(wanted)
            options.picture = pictures.picture
            (products, report) = try convert(mappingFile, from?.mapping, options)
        }
        note(products.flatMap { $0.images ?? [] }, beside: out)
        try FileRegister.current.check()
        if !isJSON { for line in report.lines { console.note(line.terminalSafe) } }
        guard report.productCount > 0 else {
            throw CommandFailure(
                .invalidInput,
                "no row of \(table.terminalSafe) makes a product; nothing was written",
                help: Self.help(report).first
            )
        }
        try write(products, head, to: out, replaces: replaces, console: console)
        if let list {
            try AtomicFile.write(Array(report.missingPictures.map { $0 + "\n" }.joined().utf8), to: list)
        }
        if isJSON {
            let document = report.document(table: table, manifest: out ?? "", fetched: pictures.fetchedCount)
            try console.write(json: document.bytes() + Array("\n".utf8))
        } else {
            let left = report.leftOutCount == 0 ? "" : ", \(counted(report.leftOutCount, "row")) left out"
            let fetched = pictures.fetchedCount == 0 ? "" : ", \(counted(pictures.fetchedCount, "picture")) fetched"
            console.note("Converted \(table.terminalSafe): \(counted(report.productCount, "product"))\(left)\(fetched)")
            for help in Self.help(report) { console.note("  help: \(help)") }
        }
        guard !pictures.isRetryUseful else {
            throw CommandFailure(
                .partialFailure,
                "not all pictures could be fetched, and the manifest was written without them",
                help: "the same command with \(Setting.replace.flag) fetches what is missing"
            )
        }
    }

    /// Notes pictures as the manifest names them: no output takes the place of one.
    private func note(_ pictures: [String], beside out: String?) {
        guard FileRegister.current.hasOutputs else { return }
        let folder = out.map { FileSystem.prefix(of: $0) } ?? ""
        for picture in pictures {
            FileRegister.current.note(picture.hasPrefix("/") ? picture : folder + picture, as: .named)
        }
    }

    private func convert(
        _ mappingFile: String?,
        _ known: ConversionMapping?,
        _ options: TableConverter.Options
    ) throws -> (products: [ManifestProduct], report: ConversionReport) {
        do {
            let mapping =
                try mappingFile.map { try ConversionMapping(yaml: InputFile.bytes(of: $0), named: $0) } ?? known
            return try TableConverter.convert(
                InputFile.bytes(of: table),
                mapping: mapping,
                name: table,
                options: options
            )
        } catch let error as ConversionError {
            let place = error.location.map { "\($0): " } ?? ""
            throw CommandFailure(.invalidInput, place + error.message, help: error.help)
        }
    }

    /// What stands above the products: the market as far as it is known, else what is to be filled in.
    private func head(_ profile: MarketProfile?, _ settings: Settings) throws -> ManifestHead {
        var head = ManifestHead()
        head.profile = profile
        head.url = try settings.url(marketURL, .marketURL)
        if let currency = try settings.value(currency, .currency)?.currency { head.setDefaultCurrency(currency) }
        guard head.url == nil || head.profile == nil else { return head }
        // What is known goes into the remark: half a section would be in the way of the whole one.
        head.comments = [
            "The market is still to be named, or \(Setting.url.flag) and \(Setting.api.flag) be given to every command:"
        ]
        let (url, api) = (head.url ?? "https://market.example.org", head.profile ?? .v2b)
        head.comments +=
            head.limits == nil ? ["market: {url: \"\(url)\", api: \(api)}"] : ["  url: \"\(url)\"", "  api: \(api)"]
        head.url = nil
        head.profile = nil
        return head
    }

    private func write(
        _ products: [ManifestProduct],
        _ head: ManifestHead,
        to out: String?,
        replaces: Bool,
        console: Console
    ) throws {
        var writer = ManifestWriter(head)
        for product in products { writer.append(product) }
        writer.finish()
        let bytes = try writer.takeBytes()
        guard let out else { return try console.write(data: bytes) }
        try AtomicFile.write(bytes, to: out, permissions: AtomicFile.readableByAll, replaces: replaces)
    }

    /// What gives rows that were left out what they lack.
    private static func help(_ report: ConversionReport) -> [String] {
        var help: [String] = []
        if report.rowsWithoutCurrency > 0 { help.append("say what the prices are in: \(Setting.currency.flag) KRW") }
        if report.rowsWithoutDescription > 0 {
            help.append("give products a description: \(Setting.defaultDescription.flag) '{name}, as shown'")
        }
        return help
    }
}

extension ConversionReport {
    /// The report for programs.
    fileprivate func document(table: String, manifest: String, fetched: Int) -> JSONValue {
        func findings(_ findings: [Finding]) -> JSONValue {
            .array(
                findings.map { finding in
                    .object(
                        of: ("reason", .string(finding.reason)),
                        ("count", .integer(Int64(finding.count))),
                        ("examples", .array(finding.examples.map(JSONValue.string)))
                    )
                }
            )
        }
        return .object(
            of: ("format_version", .formatVersion),
            ("table", .string(table)),
            ("manifest", .string(manifest)),
            ("products", .integer(Int64(productCount))),
            ("rows_left_out", .integer(Int64(leftOutCount))),
            ("pictures_fetched", .integer(Int64(fetched))),
            ("left_out", findings(leftOut)),
            ("changed", findings(changes)),
            ("pictures_left_out", findings(picturesLeftOut)),
            ("columns_left_out", .array(unusedColumns.map(JSONValue.string))),
            ("columns_absent", .array(absentColumns.map(JSONValue.string)))
        )
    }
}

/// A shop whose tables are known.
enum ShopOption: String, ExpressibleByArgument, CaseIterable {
    case shopify
    case woocommerce

    /// What its columns mean.
    var mapping: ConversionMapping { self == .shopify ? .shopify : .wooCommerce }
}

/// A currency of ISO 4217.
struct CurrencyOption: FormedValue {
    static let form = "a code of ISO 4217, such as KRW, USD or JPY"

    let currency: Currency

    init?(argument: String) {
        currency = Currency(rawValue: argument.uppercased())
        guard currency.isStandard else { return nil }
    }

    static var defaultCompletionKind: CompletionKind { .list(Currency.known.map(\.rawValue)) }
}
