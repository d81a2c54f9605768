@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Which state and which market a command works with that names neither.
struct StateChoiceTests {
    private static let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)

    /// A state that knows the market with a product.
    private func knowing(_ scopes: MarketScope...) async throws -> MemoryState {
        let state = MemoryState()
        for scope in scopes {
            let entry = StateEntry(key: "lamp", id: MarketID(1), applied: ProductValues(name: "Lamp"))
            try await state.holding(scope, for: "test") { try await $0.apply([.put(entry)]) }
        }
        return state
    }

    @Test func `what this machine keeps is beside a file, and of a database beside the first manifest`() {
        func results(_ location: String, _ manifests: [String]) -> String {
            OpenedState(MemoryState(), at: StateLocation(location), besides: manifests).results
        }
        #expect(results("/states/shop.db", ["/shop/openmarket.yaml"]) == "/states/runs")
        let manifests = ["-", "/shop/openmarket.yaml", "/other/openmarket.yaml"]
        #expect(results("postgresql://db.example/shop", manifests) == "/shop/.openmarket/runs")
        #expect(results("postgresql:///shop", []) == "./.openmarket/runs")
    }

    @Test func `a new state is beside the first manifest, and one that exists is used where it is`() async throws {
        let folder = try TemporaryDirectory()
        let manifests = ["a", "b"].map { "\(folder.path)/\($0)/shop.yaml" }
        for manifest in ["a/shop.yaml", "b/shop.yaml"] { try folder.write(manifest, "products: []\n") }
        func choice(_ files: [String]) async throws -> StateChoice {
            try await StateChoice(beside: files, for: MarketSettings()) { _ in MemoryState() }
        }
        let new = try await choice(manifests)
        #expect(new.path == folder.path + "/a/.openmarket/state.db" && !new.isElsewhere)
        #expect(try await choice(["-"]).path == "./.openmarket/state.db")
        try folder.write("b/.openmarket/state.db", "")
        let existing = try await choice(manifests)
        #expect(existing.path == folder.path + "/b/.openmarket/state.db" && existing.isElsewhere)
    }

    @Test func `of several states the one that knows the market is used, and none where two do`() async throws {
        let folder = try TemporaryDirectory()
        let states = try ["a", "b"].map { try folder.write("\($0)/.openmarket/state.db", "") }
        let manifests = ["a", "b"].map { "\(folder.path)/\($0)/shop.yaml" }
        let market = MarketSettings(url: Self.scope.url, profile: .v2b)
        let (known, empty) = (try await knowing(Self.scope), MemoryState())
        let choice = try await StateChoice(beside: manifests, for: market) { $0.revealed == states[1] ? known : empty }
        #expect(choice.path == states[1] && choice.isElsewhere)
        let neither = try await StateChoice(beside: manifests, for: market) { _ in empty }
        #expect(neither.path == states[0])
        await expectAsyncEnd(.failure, "several states have this market: \(states[0]), \(states[1])") {
            _ = try await StateChoice(beside: manifests, for: market) { _ in known }
        }
    }

    @Test func `the only market that a state knows need not be named, one of several has to be`() async throws {
        let other = MarketScope(url: "http://other", profile: .v2b, identifier: nil)
        #expect(try await knowing(Self.scope).market(fitting: MarketSettings()) == Self.scope)
        #expect(try await knowing(Self.scope).market(fitting: MarketSettings(url: other.url)) == nil)
        let both = try await knowing(Self.scope, other)
        #expect(try await both.market(fitting: MarketSettings(url: other.url)) == other)
        await expectAsyncEnd(.invalidInput, "the state has 2 markets", Self.scope.url, other.url) {
            _ = try await both.market(fitting: MarketSettings())
        }
    }
}
