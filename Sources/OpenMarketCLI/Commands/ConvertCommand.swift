import ArgumentParser
import FoundationEssentials
import OpenMarket
import OpenMarketManifest
import OpenMarketReview

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Makes a manifest of another shop's table: Shopify's, WooCommerce's, or any with a mapping file.",
        discussion: """
            What was not carried over, and why, is told on stderr. Nothing is downloaded: pictures are files in a folder.

            Exit 0: done. 4: the table or the mapping file has a fault.
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
        let out = try settings.text(out, .out).flatMap { $0 == "-" ? nil : $0 }
        let list = try settings.text(pictureList, .pictureList)
        let mappingFile = try settings.text(mapping, .mapping)
        let from = try settings.value(from, .from)
        guard mappingFile == nil || from == nil else {
            throw CommandFailure(.usage, "\(Setting.mapping.flag) and \(Setting.from.flag) exclude each other")
        }
        let inputs = [("the table", table)] + (mappingFile.map { [("the mapping file", $0)] } ?? [])
        try OutputPlaces(inputs: inputs).check(out, Setting.out.flag)
        try OutputPlaces(inputs: inputs + (out.map { [("the manifest", $0)] } ?? [])).check(
            list,
            Setting.pictureList.flag
        )

        if let out, OutputPlaces.isTaken(out), try !settings.isOn(replace, .replace) {
            throw CommandFailure(
                .failure,
                "\(out.terminalSafe) exists; it was left alone",
                help: "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)"
            )
        }
        let pictures = PictureNames(
            folder: try settings.text(images, .images),
            manifestFolder: out.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
                ?? FileManager.default.currentDirectoryPath
        )
        let defaultCurrency = try settings.value(currency, .currency)?.currency
        let options = TableConverter.Options(
            currency: defaultCurrency,
            placeholder: try settings.text(placeholder, .placeholder).map(pictures.path),
            picture: pictures.path(named:)
        )
        let (products, report) = try convert(mappingFile, from?.mapping, options)
        try write(products, defaultCurrency, to: out, console: console)
        if let list {
            try AtomicFile.write(Array(report.missingPictures.map { $0 + "\n" }.joined().utf8), to: list)
        }
        for line in report.lines { console.note(line.terminalSafe) }
        let left = report.leftOutCount == 0 ? "" : ", \(counted(report.leftOutCount, "row")) left out"
        console.note("Converted \(table.terminalSafe): \(counted(report.productCount, "product"))\(left)")
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
        console: Console
    ) throws {
        var head = ManifestHead()
        head.defaultCurrency = currency
        var writer = ManifestWriter(head)
        for product in products { writer.append(product) }
        writer.finish()
        let bytes = writer.takeBytes()
        guard let out else { return try console.write(bytes) }
        try AtomicFile.write(bytes, to: out, permissions: AtomicFile.readableByAll)
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

/// The pictures of a folder by the names that addresses end with.
private struct PictureNames: Sendable {
    private let folder: String?
    private let names: Set<String>
    private let manifestFolder: String

    init(folder: String?, manifestFolder: String) {
        self.folder = folder
        self.manifestFolder = manifestFolder
        names = Set(folder.flatMap { try? FileManager.default.subpathsOfDirectory(atPath: $0) } ?? [])
    }

    /// The path of a picture in the manifest, by its address or name; `nil` where there is none.
    func path(named address: String) -> String? {
        guard let folder else { return nil }
        let whole = address.prefix { $0 != "?" && $0 != "#" }
        let last = whole.split(separator: "/").last.map(String.init) ?? ""
        let decoded = Self.decoded(last)
        let relative = whole.drop { $0 == "/" || $0 == "." }
        let name = [String(relative), decoded, last].first { names.contains($0) }
        return name.map { path("\(folder)/\($0)") }
    }

    /// A name as a file has it: with the characters that `%20` and the like stand for.
    private static func decoded(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let meant = UInt8(digits, radix: 16) {
                bytes.append(meant)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A path as the manifest writes it: from its own folder on, where the file lies in there.
    func path(_ path: String) -> String {
        let absolute = URL(fileURLWithPath: path).standardized.path
        let folder = URL(fileURLWithPath: manifestFolder).standardized.path
        return absolute.hasPrefix(folder + "/") ? String(absolute.dropFirst(folder.count + 1)) : path
    }
}
