import ArgumentParser
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketServer
import OpenMarketWorkflow

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a first manifest: one product with a drawn picture.",
        discussion: """
            Asks for the market's URL, its API and the currency where they are not given; without a terminal the defaults \
            are taken. Nothing is sent, and no file that exists is written over.

            Examples:
              openmarket init
              openmarket init --url https://market.example.org --api v2b --currency USD
            """
    )

    @Option(.url, "The market's base URL. (default: http://127.0.0.1:8080, a server of one's own)")
    var url: String?
    @OptionGroup var api: APIArguments
    @Option(.currency, "The currency of prices. (default: KRW)", as: .currency)
    var currency: Currency?
    @Option(.out, short: "o", "The manifest to write. (default: openmarket.yaml)", value: .file("yaml", "yml"))
    var out: String?
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let context = output.context()
        let (console, isJSON) = (context.console, context.isJSON)
        let path = out ?? ManifestSelection.standard
        try OutputPlace.declare(path, Setting.out.flag, as: .yaml)
        let shop = try StarterShop(at: path)
        let manifest = try starter(asking: console.isInteractive && !isJSON ? console : nil, api.settings(context))
        try shop.write(manifest, picture: SeedDrawing.deskLamp.png())
        if isJSON { return try console.write(document: shop.document) }
        console.note("Wrote \(path.terminalSafe), with one product and its picture \(shop.picture.terminalSafe).")
        for line in Self.next(manifest, path, context.environment) { console.note(line) }
    }

    /// What to put into the manifest: as given, else as answered, else the default.
    private func starter(asking console: Console?, _ described: MarketSettings?) throws -> StarterManifest {
        var manifest = StarterManifest()
        manifest.url =
            try Setting.url.normalizedURL(url)
            ?? console?.answer("The market's URL", default: manifest.url) { text in
                do throws(MarketURL.Fault) { return .success(try MarketURL(text).description) } catch {
                    return .failure(Refusal(reason: "the URL \(error.message)"))
                }
            } ?? manifest.url
        manifest.profile =
            try described?.profile
            ?? console?.answer("Its API: v1a, v1b, v2a or v2b", default: manifest.profile.name) { text in
                MarketProfile(name: text).map { .success($0) } ?? .failure(Refusal(reason: "there is no such API"))
            } ?? manifest.profile
        manifest.descriptionFile = described?.descriptionFile
        manifest.currency =
            try currency
            ?? console?.answer("The currency of prices", default: manifest.currency.rawValue) { text in
                Currency(standardCode: text).map { .success($0) }
                    ?? .failure(
                        Refusal(reason: "there is no such currency; write KRW, USD or another code of ISO 4217")
                    )
            } ?? manifest.currency
        return manifest
    }

    /// What to do next.
    private static func next(_ manifest: StarterManifest, _ path: String, _ environment: [String: String]) -> [String] {
        let credentials = manifest.profile.capabilities.credentials
        let isVendor = credentials.contains(.identifier)
        let needed =
            (isVendor ? ["OPENMARKET_IDENTIFIER"] : []) + (credentials.contains(.secret) ? ["OPENMARKET_SECRET"] : [])
        let unset = needed.filter {
            (environment[$0] ?? "").isEmpty
        }
        let named = path == ManifestSelection.standard ? "" : " \(path.terminalSafe)"
        var lines = ["Next:"]
        if !unset.isEmpty {
            let whose = isVendor ? "the vendor's, as the market gave them" : "the password of your items"
            lines.append("  export \(unset.map { $0 + "=…" }.joined(separator: " "))   \(whose)")
        }
        lines.append("  openmarket plan\(named)    shows what would change")
        lines.append("  openmarket apply\(named)   asks, then does it")
        return lines
    }
}

/// Why an answer is not taken.
private struct Refusal: Error {
    var reason: String
}

extension Console {
    /// Asks until an answer is taken; an empty one stands for the default.
    ///
    /// - Throws: ``CommandFailure`` at the end of input.
    fileprivate func answer<Value>(
        _ question: String,
        default standard: String,
        parse: (String) -> Result<Value, Refusal>
    ) throws -> Value {
        while true {
            guard let line = ask("\(question) [\(standard)]: ") else {
                throw CommandFailure(.failure, "there was no answer; nothing was written")
            }
            let text = line.trimmed
            switch parse(text.isEmpty ? standard : text) {
            case .success(let value): return value
            case .failure(let refusal): complain("  " + refusal.reason.terminalSafe)
            }
        }
    }
}
