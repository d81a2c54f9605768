@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// `pull --drift` in process: a manifest file, a market and a state.
struct DriftSessionTests {
    /// A shop whose manifest was applied.
    private final class Shop {
        /// What the market shows, to be changed as its buyers and other tools change it.
        var market: [MarketID: ProductValues] = [:]
        let state = MemoryState()
        let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)
        var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        private var standIn: StandInMarket {
            let shown = market.sorted { MarketID.follows($0.key, $1.key) }
            return StandInMarket(list: shown.map { LiveProduct(id: $0.key, values: $0.value) })
        }

        func read() throws -> Manifest {
            let loaded = ManifestLoader().decode(bytes, name: "m.yaml")
            return try #require(loaded.manifest, "\(loaded.diagnostics)\n\(String(decoding: bytes, as: UTF8.self))")
        }

        /// Market and state know each product as the manifest has it.
        func apply(ids: (Int) -> MarketID = { MarketID(Int64($0 + 1)) }) async throws {
            var entries: [StateMutation] = []
            for (index, listing) in try read().listings.enumerated() {
                let id = listing.pinnedID ?? ids(index)
                market[id] = listing.values
                let entry = StateEntry(
                    key: listing.key,
                    id: id,
                    applied: listing.values,
                    isProtected: listing.isProtected
                )
                entries.append(.put(entry))
            }
            try await state.holding(scope, for: "test") { try await $0.apply(entries) }
        }

        /// Finds and writes drift; a run that is killed writes the files and not the state.
        func pull(isKilled: Bool = false) async throws -> DriftEdits {
            let manifest = try read()
            return try await state.holding(scope, for: "pull") { held in
                let session = Session(market: standIn, reading: held, holding: held, tool: "test")
                let file = ManifestFile(name: "m.yaml", bytes: bytes)
                let run = EditRun(manifest, [file])
                let edits = try await session.drift(of: manifest, with: run, after: session.settle())
                if let file = edits.planned.files.first { bytes = file.editor.bytes }
                if !isKilled { try await session.record(edits) }
                return edits
            }
        }

        /// What a plan would do.
        func plan() async throws -> [String: Set<ProductField>] {
            let manifest = try read()
            let planned = try await state.reading(scope) { reader in
                try await Session(market: standIn, reading: reader, tool: "test").plan(manifest, refresh: .full)
            }
            let changes = planned.plan.operations.map { ($0.key, Set($0.changes.map(\.field))) }
            return Dictionary(uniqueKeysWithValues: changes)
        }
    }

    private static let roomy =
        "\nmarket: {limits: {min_name: 1, max_name: 900, min_description: 0, max_description: 2000}}\n"

    /// Changes some fields of each product on the market; returns, by product, whether each can be written.
    private func drift(
        _ shop: Shop,
        _ source: RandomManifestText,
        _ random: inout SeededGenerator
    ) throws -> [String: [ProductField: Bool]] {
        var drifted: [String: [ProductField: Bool]] = [:]
        for (listing, fields) in zip(try shop.read().listings, source.products) {
            let id = try #require(listing.pinnedID)
            var live = try #require(shop.market[id])
            for field in fields where Int.random(in: 0..<3, using: &random) == 0 {
                guard let name = ProductField(rawValue: field.key) else { continue }
                switch name {
                case .name: live.name = RandomManifestText.text(of: "name", &random)
                case .description: live.description = RandomManifestText.text(of: "description", &random)
                case .price: live.price = ExactDecimal(significand: .random(in: 0...99_999, using: &random), scale: 2)
                default: live.stock = .random(in: 0...Int64.max, using: &random)
                }
                if live[name] != shop.market[id]?[name] { drifted[listing.key, default: [:]][name] = field.isOwn }
            }
            shop.market[id] = live
        }
        return drifted
    }

    @Test(arguments: 0..<6)
    func `random drift of random manifests is written night after night, and the plan has what was left alone`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let source = RandomManifestText(&random)
            let shop = Shop(source.bytes + Array(Self.roomy.utf8))
            try await shop.apply()
            var left: [String: Set<ProductField>] = [:]
            for night in 0..<4 {
                let drifted = try drift(shop, source, &random)
                for (key, fields) in drifted {
                    for (field, isOwn) in fields where !isOwn { left[key, default: []].insert(field) }
                }
                let before = try shop.read()
                // Killed between the files and the state; the next run finds that out before anything else happens.
                if night == 1 { _ = try await shop.pull(isKilled: true) }
                let edits = try await shop.pull()
                for item in edits.planned.items {
                    let field = try #require(item.drifted)
                    let isLeft = left[item.key]?.contains(field) ?? false
                    #expect((item.refusal != nil) == isLeft, "\(item)")
                    #expect(item.refusal != "the manifest was also changed", "\(item)")
                }
                // A value that was put back is as the manifest has it again.
                for (key, fields) in left {
                    let listing = try #require(before.listings.first { $0.key == key })
                    let live = try #require(listing.pinnedID.flatMap { shop.market[$0] })
                    left[key] = fields.filter { live[$0] != listing.values[$0] }
                }
                left = left.filter { !$0.value.isEmpty }
                #expect(try await shop.plan() == left)
                #expect(try await shop.pull().planned.isEmpty)
            }
        }
    }

    private static let two = """
        market: {vendor_id: 29}
        products:
        - {key: a, id: 1, name: Lamp one, price: 1000, stock: 5, protected: true}
        - {key: b, id: 2, name: Lamp two, price: 1000, stock: 5}
        - {key: c, id: 3, name: Lamp three, price: 1000, stock: 5, ignore_changes: [stock]}

        """

    @Test func `no product keeps the drift of others from being written`() async throws {
        let shop = Shop(Array(Self.two.utf8))
        try await shop.apply()
        // Gone though pinned; a price with a sale that is not managed, above the price the manifest has; another's.
        shop.market[1] = nil
        shop.market[2]?.price = 100_000
        shop.market[2]?.sale = .price(98_500)
        shop.market[3]?.name = "Lamp III"
        shop.market[3]?.stock = 4
        let edits = try await shop.pull()
        #expect(edits.planned.items.map(\.key) == ["a", "b", "c"])
        #expect(
            edits.planned.items.map(\.refusal) == [
                "it is gone from the market: take it out if that is right, or let `apply` create it again", nil, nil,
            ]
        )
        let expected = Self.two.replacing("Lamp two, price: 1000", with: "Lamp two, price: 100000")
            .replacing("Lamp three", with: "Lamp III")
        #expect(shop.bytes == Array(expected.utf8))
        let entries = shop.state[shop.scope].snapshot.entries
        #expect(entries["b"]?.applied.price == 100_000 && entries["b"]?.applied.sale == nil)
        #expect(entries["c"]?.applied.name == "Lamp III" && entries["c"]?.applied.stock == 5)
        #expect(entries["a"]?.isProtected == true)
    }

    @Test func `what the manifest changed as well is a conflict, and what it says like the market is known`()
        async throws
    {
        let shop = Shop(Array(Self.two.utf8))
        try await shop.apply()
        shop.bytes = Array(Self.two.replacing("one, price: 1000", with: "one, price: 1500").utf8)
        shop.market[1]?.price = 1200
        #expect(try await shop.pull().planned.items.map(\.refusal) == ["the manifest was also changed"])
        #expect(shop.state[shop.scope].snapshot.entries["a"]?.applied.price == 1000)
        // Both say the same by now; then it is drift like any other.
        shop.market[1]?.price = 1500
        #expect(try await shop.pull().planned.items.isEmpty)
        #expect(shop.state[shop.scope].snapshot.entries["a"]?.applied.price == 1500)
        shop.market[1]?.price = 1600
        #expect(try await shop.pull().planned.items.map(\.refusal) == [nil])
        #expect(try await shop.plan() == [:])
    }

    /// A price in another currency is another price, by a factor of a thousand.
    @Test(arguments: [
        (("price: 1000", "price: 1500"), ProductValues(price: 1000, currency: .krw, sale: .price(900)), "price"),
        (("currency: USD", "currency: KRW"), ProductValues(price: 1200, currency: .usd, sale: .price(900)), "currency"),
        (("currency: USD", "currency: KRW"), ProductValues(price: 1000, currency: .usd, sale: .price(800)), "currency"),
        (("price: 900", "price: 950"), ProductValues(price: 1200, currency: .krw, sale: .price(900)), "sale_price"),
    ])
    func `no amount is written beside a currency that the manifest changed, nor the other way round`(
        change: (old: String, new: String),
        live: ProductValues,
        other: String
    ) async throws {
        let text = "products:\n- {key: a, id: 1, name: Lamp one, price: 1000, sale_price: 900, currency: USD}\n"
        let shop = Shop(Array(text.utf8))
        try await shop.apply()
        let mine = Array(text.replacing(change.old, with: change.new).utf8)
        shop.bytes = mine
        for field in [ProductField.price, .currency, .salePrice] { shop.market[1]?[field] = live[field] }
        let refusals = Set(try await shop.pull().planned.items.map(\.refusal))
        #expect(refusals == ["the \(other) next to it was also changed in the manifest"])
        #expect(shop.bytes == mine)
    }

    @Test func `no amount is written beside one that is adjusted`() async throws {
        let text = """
            adjust:
            - price: +500
            products:
            - {key: a, id: 1, name: Lamp one, price: 1000, discount: 100, currency: USD}

            """
        let shop = Shop(Array(text.utf8))
        try await shop.apply()
        shop.market[1]?.sale = .price(1300)
        #expect(
            try await shop.pull().planned.items.map(\.refusal) == [
                "it is adjusted there, and not written into the catalog"
            ]
        )
        #expect(shop.bytes == Array(text.utf8))
    }

    @Test func `what the state does not know is not drift and not the lack of it`() async throws {
        let shop = Shop(Array(Self.two.utf8))
        for (id, name) in [(1, "Lamp one"), (2, "Lamp two"), (3, "Lamp three")] {
            shop.market[MarketID(Int64(id))] = ProductValues(name: name, price: 1000, stock: 5)
        }
        shop.market[1]?.price = 4321
        shop.market[3]?.price = 4321
        shop.market[3]?.stock = 1
        let error = await #expect(throws: CommandFailure.self) { try await shop.pull() }
        // What is pinned and just as the manifest has it needs no record.
        #expect(error?.message?.hasPrefix("none of the manifest's 2 products is in \(shop.state.location)") == true)
        let known = StateEntry(
            key: "b",
            id: MarketID(2),
            applied: ProductValues(name: "Lamp two", price: 1000, stock: 5)
        )
        try await shop.state.holding(shop.scope, for: "test") { try await $0.apply([.put(known)]) }
        shop.market[2]?.stock = 4
        let edits = try await shop.pull()
        #expect(edits.planned.items.map(\.key) == ["a", "c", "b"])
        let unknown = "it is not in the state, so the changed side is unknown; `apply` takes it over"
        #expect(edits.planned.items.map(\.refusal) == [unknown, unknown, nil])
        #expect(
            shop.bytes
                == Array(Self.two.replacing("two, price: 1000, stock: 5", with: "two, price: 1000, stock: 4").utf8)
        )
    }

    @Test func `drift of a product under its former key is recorded under the key that the state has`() async throws {
        let shop = Shop(Array(Self.two.utf8))
        try await shop.apply()
        shop.bytes = Array(Self.two.replacing("key: b,", with: "key: bb, previously: [b],").utf8)
        shop.market[2]?.stock = 4
        #expect(try await shop.pull().planned.items.map(\.refusal) == [nil])
        let entries = shop.state[shop.scope].snapshot.entries
        #expect(entries["b"]?.applied.stock == 4 && entries["bb"] == nil)
        shop.market[2]?.stock = 3
        #expect(try await shop.pull().planned.items.map(\.refusal) == [nil])
    }

    @Test(arguments: ["open sesame 1", "Lamp, open sesame 1", "Lamp \u{FFFD}", "Lamp ï¿½", "Lamp ÔøΩ", "Lamp 占쏙옙"])
    func `what no manifest may say is left alone, and the rest is written`(text: String) async throws {
        try await KnownSecrets.$current.withValue(KnownSecrets()) { try await leavesAlone(text) }
    }

    private func leavesAlone(_ text: String) async throws {
        let shop = Shop(
            Array(
                """
                market: {api: v2b, secret: open sesame 1}
                products:
                  - {key: a, id: 1, name: Lamp one, description: A lamp for a desk., price: 10}

                """.utf8
            )
        )
        try await shop.apply()
        shop.market[MarketID(1)]?.name = text
        shop.market[MarketID(1)]?.description = text + ", and more of it"
        shop.market[MarketID(1)]?.price = 12
        let edits = try await shop.pull()
        let left = edits.planned.items.compactMap { item in item.refusal == nil ? nil : item.drifted }
        #expect(left == [.name, .description])
        let written = String(decoding: shop.bytes, as: UTF8.self)
        #expect(written.contains("name: Lamp one, description: A lamp for a desk., price: 12"))
        #expect(try await shop.plan() == ["a": [.name, .description]])
    }
}

extension PlannedEdits.Item {
    fileprivate var drifted: ProductField? {
        guard case .field(let edit) = what, case .value(let field) = edit.field else { return nil }
        return field
    }
}
