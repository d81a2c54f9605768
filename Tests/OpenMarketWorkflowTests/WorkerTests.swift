@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// Which run a machine takes part in, and with which pictures and secrets.
struct WorkerTests {
    /// A clock on which no time passes: something happens instead.
    private final class StepClock: Clock, Sendable {
        private let step: @Sendable () async throws -> Void

        init(_ step: @escaping @Sendable () async throws -> Void) { self.step = step }

        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { try await step() }
    }

    private static let digest = ContentDigest.of(1)
    private static let other = ContentDigest.of(2)

    private let state = MemoryState(sharesRuns: true)
    private let target: MarketTarget

    init() throws { target = try MarketTarget(MarketSettings(url: "http://market", profile: .v2b)) }

    private func worker(_ manifest: ContentDigest = digest) -> Worker {
        Worker(backend: state, target: target, manifest: manifest)
    }

    /// Begins a run of one delete.
    @discardableResult
    private func begin(_ name: String = "r", description: ContentDigest? = nil) async throws -> any StateSession {
        let session = try await state.hold(target.scope, for: "apply", waiting: .zero)
        let gone = PlannedOperation(
            key: "chair",
            reason: "gone",
            work: .delete(PlannedOperation.Deletion(id: 9, live: ProductValues(name: "Chair")))
        )
        try await session.begin(
            RunRecord(id: RunID(rawValue: name), manifest: Self.digest, tool: "1", description: description),
            operations: [gone],
            chunks: [RunChunk(phase: 0, sequences: [0])]
        )
        return session
    }

    private static func noRun(_ state: MemoryState) -> CommandFailure {
        CommandFailure(
            .failure,
            "no run is under way in the state \(state.location)",
            help: "`openmarket apply` begins one, and --wait waits for that"
        )
    }

    private func refusal(_ worker: Worker, waiting: Duration = .zero) async -> CommandFailure? {
        await #expect(throws: CommandFailure.self) { try await worker.joining(waiting: waiting) { _, _ in } }
    }

    @Test func `a run under way is joined, and left when the work is done`() async throws {
        try await begin()
        let joined = try await worker().joining(waiting: .zero) { (run, session) async throws in
            #expect(try await session.runUnderWay()?.participants.map(\.command) == ["apply", "work"])
            return run.record.id.rawValue
        }
        #expect(joined == "r")
        let participants = try await state.read(target.scope).runUnderWay()?.participants
        #expect(participants?.map { $0.endedAt == nil } == [true, false])
    }

    @Test func `without a run there is nothing to join, unless one begins in time`() async throws {
        #expect(await refusal(worker()) == Self.noRun(state))
        var looks = 0
        let clock = StepClock { try await begin() }
        let joined = try await worker().joining(waiting: .seconds(5), on: clock) { (run, _) async throws in
            looks += 1
            return run.record.id.rawValue
        }
        #expect(joined == "r" && looks == 1)
    }

    @Test func `waiting ends when its time is up`() async throws {
        let waits = Mutex(0)
        let clock = StepClock { waits.withLock { $0 += 1 } }
        let error = await #expect(throws: CommandFailure.self) {
            try await worker().joining(waiting: .milliseconds(1200), on: clock) { _, _ in }
        }
        #expect(error == Self.noRun(state))
        #expect(waits.withLock { $0 } == 3)
    }

    @Test func `where the last run of the manifest is over, nothing is left to do`() async throws {
        let session = try await begin()
        try await session.finish(RunID(rawValue: "r"), totals: RunTotals(), interrupted: false)
        await session.close()
        #expect(try await worker().joining(waiting: .zero) { _, _ in true } == nil)
        #expect(await refusal(worker(Self.other)) == Self.noRun(state))
    }

    @Test func `a run of another manifest or description is not joined`() async throws {
        let session = try await begin()
        #expect(
            await refusal(worker(Self.other))?.message == "run r was planned from another manifest than the one here"
        )
        await session.close()
        try await begin("s", description: Self.other)
        #expect(await refusal(worker())?.message == "run s uses another description of v2b than the one here")
    }

    @Test func `operations get the pictures and secrets that this machine has`() throws {
        func picture(_ digest: ContentDigest, _ file: String) -> Picture {
            Picture(path: "images/a.png", file: file, digest: digest, byteCount: 3, format: .png, width: 1, height: 1)
        }
        let listing = Listing(
            key: "lamp",
            file: "openmarket.yaml",
            position: SourcePosition(line: 1, column: 1),
            values: ProductValues(name: "Lamp", images: [.digest(Self.digest)]),
            pictures: [picture(Self.digest, "/here/a.png")],
            secret: ResolvedSecret(reference: .file("/here/lamp.key"), value: Secret("s"))
        )
        let manifest = Manifest(
            market: MarketSettings(),
            policies: Policies(),
            listings: [listing],
            files: ["openmarket.yaml"],
            digest: Self.digest
        )
        let local = LocalOperations(manifest)
        func create(_ digest: ContentDigest, secret: SecretReference) -> PlannedOperation {
            let product = NewProduct(values: listing.values, pictures: [picture(digest, "/there/a.png")])
            return PlannedOperation(key: "lamp", reason: "new", secret: secret, work: .create(product))
        }
        let adapted = try local.adapted(create(Self.digest, secret: .file("/there/lamp.key")))
        #expect(adapted.pictures == listing.pictures)
        #expect(adapted.secret == .file("/here/lamp.key"))
        // A variable has the same name everywhere.
        #expect(try local.adapted(create(Self.digest, secret: .environment("LAMP"))).secret == .environment("LAMP"))
        expectEnd(.invalidInput, "images/a.png of 'lamp' is not the picture") {
            _ = try local.adapted(create(Self.other, secret: .environment("LAMP")))
        }
    }
}
