import ArgumentParser
import OpenMarket
import OpenMarketClient
import OpenMarketDescription
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow

struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Says which API profile a market has, whether the credentials work, and how long a page takes.",
        discussion: """
            Credentials are tried only where that changes nothing, on a product that the state knows as ours. \
            v1a and v1b cannot be distinguished by reading.

            Exit 0: the market answers. 8: credentials rejected. 9: it cannot be reached.
            """
    )

    @OptionGroup(title: "Manifest") var selection: MarketManifestArguments
    @OptionGroup(title: "Market") var market: MarketArguments
    @OptionGroup(title: "State") var state: StateArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(ping) }

    private func ping(_ context: CommandContext) async throws {
        let console = context.console
        var manifest = try MarketOnlyManifest(selection, market, context)
        // Which API it is, is what ping finds out.
        let named = manifest.settings
        manifest.settings.profile = named.profile ?? .v2b
        let target = try MarketTarget(manifest)
        let place = try await state.place(manifestFiles: manifest.files, market: named, console: console)
        let (own, accepted) = try await place.backend.reading(target.scope) { state in
            (try await state.productWithoutPassword(), try await state.acceptedDescription())
        }
        var configuration = try market.clientConfiguration(target, console: console)
        configuration.acceptedDescription = accepted
        let report = try await withMarketClient(configuration) { client in
            try await client.probe(ownProduct: own)
        }
        if context.isJSON {
            try console.write(document: document(report, target: target))
        } else {
            try console.write(text(report, target: target, style: console.outputStyle))
        }
        if named.profile != nil, !report.profiles.contains(target.profile) {
            throw MarketError.otherProfile(report.profiles, than: target.profile)
        }
        if case .rejected = report.credentials { throw CommandFailure(.credentials) }
    }

    private func text(_ report: MarketReport, target: MarketTarget, style: Style) -> String {
        let profiles = report.profiles.map(\.name).joined(separator: " or ")
        let remark = report.profiles == [.v1a, .v1b] ? " (they cannot be distinguished by reading)" : ""
        var lines = [("market", target.url), ("api", profiles + remark)]
        if let isHealthy = report.isHealthy { lines.append(("health", isHealthy ? "OK" : "not healthy")) }
        lines.append(
            ("first page", "\(counted(report.pageRows, "product")) in \(Self.milliseconds(report.pageTime)) ms")
        )
        if let total = report.total { lines.append(("products", "\(total)")) }
        switch report.credentials {
        case .accepted: lines.append(("credentials", style(.green, "accepted")))
        case .rejected(let why): lines.append(("credentials", style(.red, "rejected: ") + why.terminalSafe))
        case .notTried(let why): lines.append(("credentials", "not tried: \(why.terminalSafe)"))
        }
        return lines.map { "\($0.padded(to: 12)) \($1)\n" }.joined()
    }

    private func document(_ report: MarketReport, target: MarketTarget) -> JSONValue {
        let credentials: (status: String, message: String?) =
            switch report.credentials {
            case .accepted: ("accepted", nil)
            case .rejected(let why): ("rejected", why)
            case .notTried(let why): ("not_tried", why)
            }
        return .object(
            of: ("format_version", .formatVersion),
            ("url", .string(target.url)),
            ("profiles", .array(report.profiles.map { .string($0.name) })),
            ("healthy", report.isHealthy.map(JSONValue.bool)),
            ("page_ms", .integer(Self.milliseconds(report.pageTime))),
            ("page_rows", .integer(report.pageRows)),
            ("total", report.total.map { .integer($0) }),
            (
                "credentials",
                .object(
                    of: ("status", .string(credentials.status)),
                    ("message", credentials.message.map(JSONValue.string))
                )
            )
        )
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int((duration / .milliseconds(1)).rounded())
    }
}
