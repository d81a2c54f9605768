@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// The files of `pull --drift`: which are written, and when none is.
struct DriftRunTests {
    private static let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)
    private static let text = "products:\n  - {key: lamp, id: 1, name: Lamp, price: 1000, stock: 5}\n"

    /// A manifest in a folder, a market whose price is another one, and a state that knows the product.
    private final class Shop {
        let folder: TemporaryDirectory
        let state = MemoryState()
        let market = StandInMarket(list: [LiveProduct(id: MarketID(1), name: "Lamp", price: 1200, stock: 5)])

        init() async throws {
            folder = try TemporaryDirectory()
            try folder.write("shop.yaml", DriftRunTests.text)
            let entry = StateEntry(
                key: "lamp",
                id: MarketID(1),
                applied: ProductValues(name: "Lamp", price: 1000, stock: 5)
            )
            try await state.holding(scope, for: "test") { try await $0.apply([.put(entry)]) }
        }

        var path: String { folder.path + "/shop.yaml" }
        var text: String { get throws { String(decoding: try folder.read("shop.yaml"), as: UTF8.self) } }
        var price: ExactDecimal? { state[scope].snapshot.entries["lamp"]?.applied.price }

        func manifest() async throws -> Manifest {
            try #require(await ManifestLoader().load([path]).manifest)
        }

        /// Runs with the shop's state, or with another one.
        func write(_ run: DriftRun, knowing other: MemoryState? = nil) async throws -> DriftEdits {
            let settings = MarketSettings(url: scope.url, profile: .v2b)
            let work = try MarketWork(LocalConnection(market), settings, in: other ?? state, beside: folder.path)
            return try await run.run(with: work)
        }
    }

    @Test func `drift is written into the file, then into the state`() async throws {
        let shop = try await Shop()
        let run = try DriftRun(await shop.manifest(), patches: [])
        let edits = try await shop.write(run)
        #expect(edits.planned.items.map(\.refusal) == [nil] && edits.isComplete && edits.edit != nil)
        #expect(try shop.text == Self.text.replacing("1000", with: "1200"))
        #expect(shop.price == 1200)
    }

    @Test func `a plan that was saved before the drift was accepted does not put it back`() async throws {
        let shop = try await Shop()
        let manifest = try await shop.manifest()
        let saved = try await shop.state.reading(Self.scope) { reader in
            let session = Session(market: shop.market, reading: reader, tool: "test")
            let planned = try await session.plan(manifest)
            return SavedPlan(
                planned,
                tool: "test",
                scope: Self.scope,
                profile: .v2b,
                manifest: manifest,
                state: StateLocation("/shop/state.db"),
                lastRun: nil,
                in: shop.folder.path
            )
        }
        _ = try await shop.write(DriftRun(manifest))
        let planned = try await shop.state.reading(Self.scope) { reader in
            let session = Session(market: shop.market, reading: reader, tool: "test")
            return try await session.planned(saved, after: session.preview())
        }
        #expect(planned.refusals.mapValues(\.reason) == [0: "the market's 'price' was accepted since the plan"])
    }

    @Test func `a patch leaves file and state alone`() async throws {
        let shop = try await Shop()
        let patch = shop.folder.path + "/drift.patch"
        let run = try DriftRun(await shop.manifest(), patches: [patch])
        // The state is not held, so that another run may be.
        let other = try await shop.state.hold(Self.scope, for: "apply", waiting: .zero)
        #expect(try await shop.write(run).planned.items.count == 1)
        await other.close()
        #expect(try shop.text == Self.text)
        #expect(shop.price == 1000)
        let lines = String(decoding: try shop.folder.read("drift.patch"), as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }.count == 2)
    }

    @Test func `a state that is not there is not made`() async throws {
        let shop = try await Shop()
        let run = try DriftRun(await shop.manifest(), patches: [])
        let empty = MemoryState()
        await #expect(throws: CommandFailure.self) { try await shop.write(run, knowing: empty) }
        #expect(try await empty.markets().isEmpty)
    }

    @Test func `a file that changed since it was read is left alone, and so is the state`() async throws {
        let shop = try await Shop()
        let manifest = try await shop.manifest()
        let run = try DriftRun(manifest, patches: [])
        try shop.folder.write("shop.yaml", Self.text + "# mine\n")
        let meanwhile = await #expect(throws: CommandFailure.self) { try await shop.write(run) }
        #expect(meanwhile?.message == "\(shop.path) changed meanwhile; no file was written")
        #expect(try shop.text == Self.text + "# mine\n")
        #expect(shop.price == 1000)
        #expect(throws: CommandFailure(.failure, "a manifest changed while it was read; no file was written")) {
            try DriftRun(manifest, patches: [])
        }
    }
}
