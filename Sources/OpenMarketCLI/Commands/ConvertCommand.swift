import ArgumentParser
import FoundationEssentials
import Logging
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Makes a manifest of another shop's table: Shopify's, WooCommerce's, or any with a mapping file.",
        discussion: """
            What was not carried over, and why, is told on stderr. Pictures are files in a folder; only those are fetched
            whose host is named.

            Exit 0: done. 3: done, but a host did not give its pictures. 4: the table or the mapping file has a fault.
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
    @Option(name: .setting(.currency), help: "The currency of prices without one: KRW or USD.")
    var currency: CurrencyOption?
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
    @OptionGroup var output: OutputOptions

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
        guard mappingFile == nil || from == nil else {
            throw CommandFailure(.usage, "\(Setting.mapping.flag) and \(Setting.from.flag) exclude each other")
        }
        try OutputPlace.declare(out, Setting.out.flag)
        try OutputPlace.declare(list, Setting.pictureList.flag)
        let replaces = try settings.isOn(replace, .replace)
        if let out, OutputPlace.isTaken(out), !replaces {
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
        let defaultCurrency = try settings.value(currency, .currency)?.currency
        var options = TableConverter.Options(
            currency: defaultCurrency,
            placeholder: try settings.text(placeholder, .placeholder).map(pictures.path)
        )
        options.picture = pictures.picture
        if let placeholder = options.placeholder { note([placeholder], beside: out) }
        if let folder = try settings.text(images, .images) { PictureLibrary.note(folder) }
        var (products, report) = try convert(mappingFile, from?.mapping, options)
        note(products.flatMap { $0.images ?? [] }, beside: out)
        try OutputPlace.check()
        // A product that does not get one of its pictures may take another one in its place.
        while case let wanted = pictures.wanted(by: products), !wanted.isEmpty {
            try await pictures.fetch(wanted)
            options.picture = pictures.picture
            (products, report) = try convert(mappingFile, from?.mapping, options)
        }
        note(products.flatMap { $0.images ?? [] }, beside: out)
        try OutputPlace.check()
        try write(products, defaultCurrency, to: out, replaces: replaces, console: console)
        if let list {
            try AtomicFile.write(Array(report.missingPictures.map { $0 + "\n" }.joined().utf8), to: list)
        }
        for line in report.lines { console.note(line.terminalSafe) }
        let left = report.leftOutCount == 0 ? "" : ", \(counted(report.leftOutCount, "row")) left out"
        let fetched = pictures.fetchedCount == 0 ? "" : ", \(counted(pictures.fetchedCount, "picture")) fetched"
        console.note("Converted \(table.terminalSafe): \(counted(report.productCount, "product"))\(left)\(fetched)")
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
        let folder = out.map { PullRun.folder(of: $0) } ?? ""
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
            let mapping = try mappingFile.map { try ConversionMapping(yaml: FileBytes.read($0), named: $0) } ?? known
            return try TableConverter.convert(FileBytes.read(table), mapping: mapping, name: table, options: options)
        } catch let error as ConversionError {
            let place = error.location.map { "\($0): " } ?? ""
            throw CommandFailure(.invalidInput, place + error.message, help: error.help)
        }
    }

    private func write(
        _ products: [ManifestProduct],
        _ currency: Currency?,
        to out: String?,
        replaces: Bool,
        console: Console
    ) throws {
        var head = ManifestHead()
        head.defaultCurrency = currency
        var writer = ManifestWriter(head)
        for product in products { writer.append(product) }
        writer.finish()
        let bytes = try writer.takeBytes()
        guard let out else { return try console.write(bytes) }
        try AtomicFile.write(bytes, to: out, permissions: AtomicFile.readableByAll, replaces: replaces)
    }
}

/// A shop whose tables are known.
enum ShopOption: String, ExpressibleByArgument, CaseIterable {
    case shopify
    case woocommerce

    /// What its columns mean.
    var mapping: ConversionMapping { self == .shopify ? .shopify : .wooCommerce }
}

/// A currency that the market knows.
struct CurrencyOption: ExpressibleByArgument {
    let currency: Currency

    init?(argument: String) {
        guard let currency = Currency.known.first(where: { $0.rawValue == argument.uppercased() }) else { return nil }
        self.currency = currency
    }

    static var allValueStrings: [String] { Currency.known.map(\.rawValue) }
}
