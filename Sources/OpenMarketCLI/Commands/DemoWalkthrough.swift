import FoundationEssentials
import OpenMarket
import OpenMarketApply
import OpenMarketClient
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketReview
import OpenMarketServer
import OpenMarketWorkflow

/// The steps of `openmarket demo`, each under the command that a person would type.
struct DemoWalkthrough: Sendable {
    /// Where manifest, pictures, state and export are.
    let folder: String
    /// The market that serves the demo, and nothing of the user's settings.
    let environment: [String: String]
    let console: Console

    init(folder: String, url: String, profile: ServedProfile, vendor: Vendor, console: Console) {
        self.folder = folder
        environment = [
            Setting.url.variable: url, Setting.api.variable: profile.rawValue,
            "OPENMARKET_IDENTIFIER": vendor.identifier, "OPENMARKET_SECRET": vendor.secret.revealed,
        ]
        self.console = console
    }

    func run() async throws {
        try title("Is the manifest valid?", command: "validate")
        let before = load(DemoShop.before)
        try console.write(LoadedManifestText(style: console.outputStyle).render(before))
        let first = try DemoMarket(manifest(before), folder: folder, console: console)

        try title("What would change?", command: "plan")
        try await first.plan()
        try title("Apply the plan", command: "apply --yes")
        try await first.apply()

        try Data(DemoShop.after.utf8).write(to: URL(fileURLWithPath: folder + "/openmarket.yaml"))
        let second = try DemoMarket(manifest(load(DemoShop.after)), folder: folder, console: console)
        try title("The mug costs more, the lamp's picture changes: what now?", command: "plan")
        try await second.plan()
        try title("Only that is sent", command: "apply --yes")
        try await second.apply()

        try title("The whole catalog as CSV", command: "export -o catalog.csv")
        let table = folder + "/catalog.csv"
        try await second.export(to: table)
        try console.write(String(decoding: InputFile.bytes(of: table), as: UTF8.self))

        try title("Nothing is left to do", command: "plan")
        try await second.plan()
    }

    private func title(_ text: String, command: String) throws {
        try console.write("\n" + console.outputStyle(.bold, "── \(text)") + "\n")
        try console.write(console.outputStyle(.dim, "$ openmarket \(command)") + "\n")
    }

    private func load(_ text: String) -> LoadedManifest {
        ManifestLoader(options: ManifestOptions(environment: environment))
            .decode(Array(text.utf8), name: "openmarket.yaml", folder: folder)
    }

    private func manifest(_ loaded: LoadedManifest) throws -> Manifest {
        console.report(loaded.diagnostics)
        guard !loaded.hasErrors, let manifest = loaded.manifest else {
            throw CommandFailure(.failure, "the demo's manifest is not valid")
        }
        return manifest
    }
}

/// The demo's manifest on the demo's market.
private struct DemoMarket: Sendable {
    let manifest: Manifest
    let run: ApplyRun

    init(_ manifest: Manifest, folder: String, console: Console) throws {
        self.manifest = manifest
        let target = try MarketTarget(manifest.market)
        let work = MarketWork(
            target: target,
            client: ClientConfiguration(
                url: target.url,
                profile: target.profile,
                credentials: Credentials(identifier: target.identifier?.value, secret: target.secret?.value)
            ),
            state: try StatePlace(StateLocation(folder + "/.openmarket/state.db"), besides: []),
            reporter: SessionReporter(isJSON: false, console: console)
        )
        run = ApplyRun(
            work: work,
            lockTimeout: .zero,
            keptRuns: StatePlace.standardKeptRuns,
            resultFile: nil,
            console: console
        )
    }

    func plan() async throws {
        try await run.work.reading { session, _ in
            let planned = try await session.plan(manifest)
            try await run.show(session.saved(planned, manifest), in: session)
        }
    }

    func apply() async throws {
        try await run.locked { session in
            let applied = try await session.apply(
                manifest,
                interruption: .bySignals(reportingTo: run.console)
            ) { planned in
                try await run.show(session.saved(planned, manifest), in: session)
            } finish: {
                try run.finish($0)
            }
            try applied.requireSuccess(at: run.work.target.url)
        }
    }

    func export(to path: String) async throws {
        try await run.work.reading { session, _ in
            let keys = try await session.state.keys()
            var file = try ExportFile(path: path)
            let certificate = try await session.export(
                ExportRequest(),
                as: .text(CatalogCSV()),
                keys: keys,
                into: &file
            ) {}
            try file.commit(certificate: certificate)
        }
    }
}
