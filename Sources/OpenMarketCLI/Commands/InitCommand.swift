import ArgumentParser
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow
import OpenMarketServer

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first manifest: one product with a drawn picture.",
        discussion: """
            Asks for the market's URL, its API and the currency if they are not given; without a terminal it takes the \
            defaults. It does not contact the market. Credentials are not asked for: the manifest names their variables.

            Exit 0: written. 5: the manifest or its picture exists.

            Examples:
              openmarket init
              openmarket init --url https://market.example.org --api v2b --currency USD
            """
    )

    @Option(help: "The market's base URL. (default: http://127.0.0.1:8080, a server of one's own)", as: .text("url"))
    var url: String?
    @OptionGroup var api: APIArguments
    @Option(help: "The currency of prices. (default: KRW)", as: .currency)
    var currency: Currency?
    @Option(name: .shortAndLong, help: "The manifest to write. (default: openmarket.yaml)", as: .file("yaml", "yml"))
    var out: String?
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let context = output.context()
        let (console, isJSON) = (context.console, context.isJSON)
        let path = out ?? ManifestSelection.standard
        try FileRegister.current.declare(path, named: "--out", as: .yaml)
        let shop = try StarterShop(at: path)
        let manifest = try StarterManifest(
            url: normalizedURL(url, of: "--url"),
            market: api.settings(context),
            currency: currency,
            asking: console.isInteractive && !isJSON ? .on(console) : nil
        )
        try shop.write(manifest, picture: SeedDrawing.deskLamp.png())
        if isJSON { return try console.write(document: shop.document) }
        for line in shop.lines(manifest, in: context.environment) { console.note(line) }
    }
}

extension StarterQuestions {
    fileprivate static func on(_ console: Console) -> StarterQuestions {
        StarterQuestions(ask: console.ask) { console.printError("  " + $0.terminalSafe) }
    }
}
