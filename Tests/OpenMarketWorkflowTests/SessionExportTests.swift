import Crypto
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Exports and comparisons in process.
struct SessionExportTests {
    private struct NotBelieved: Error {}

    private static let lamp = LiveProduct(id: MarketID(9), name: "Lamp", price: 5)
    private static let nameless = LiveProduct(id: MarketID(4), price: 6)

    private static func session(_ market: StandInMarket, profile: MarketProfile = .v2b) async throws -> Session {
        let scope = MarketScope(url: "https://m.example", profile: profile, identifier: nil)
        var market = market
        market.profile = profile
        return Session(market: market, reading: try await MemoryState().read(scope), tool: "test 1")
    }

    private static func keys() -> ProductKeys {
        var keys = ProductKeys()
        keys.append(lamp.id, "desk-lamp")
        return keys
    }

    private static func export(_ market: StandInMarket, as encoding: CatalogEncoding) async throws -> (
        text: String, CatalogReading
    ) {
        var bytes: [UInt8] = []
        var file = try ExportFile(path: "-", standardOutput: { bytes += $0 })
        let options = ExportOptions(columns: [.id, .key, .name])
        let reading = try await session(market).export(options, as: encoding, keys: keys(), into: &file) {
            throw NotBelieved()
        }
        #expect(file.digest == ContentDigest(bytes: SHA256.hash(data: bytes)))
        return (String(decoding: bytes, as: UTF8.self), reading)
    }

    @Test func `text has the header and each product, and a product without a name is reported`() async throws {
        let market = StandInMarket(list: [Self.lamp, Self.nameless])
        let (text, reading) = try await Self.export(market, as: .text(CatalogCSV(columns: [.id, .key, .name])))
        #expect(text == "id,key,name\r\n9,desk-lamp,Lamp\r\n4,,\r\n")
        #expect(reading.summary.rows == 2)
        #expect(reading.problems == 1)
        #expect(reading.lostRows == 0)
    }

    @Test func `rows that cannot be read are counted once each`() async throws {
        let faults = ["no price", "no id"].map { RowProblem(id: nil, place: "page 1, row 2", message: $0) }
        let market = StandInMarket(list: [Self.lamp], problems: faults)
        let (_, reading) = try await Self.export(market, as: .text(CatalogJSONLines(columns: [.id])))
        #expect(reading.problems == 1)
        #expect(reading.lostRows == 1)
        // A row that shows its number and no name is one row, whatever else is wrong with it.
        let partial = ["name is null", "price is 'abc'"].map {
            RowProblem(id: Self.nameless.id, place: "page 1, row 2", message: $0)
        }
        let list = StandInMarket(list: [Self.lamp, Self.nameless], problems: partial)
        let (_, other) = try await Self.export(list, as: .text(CatalogJSONLines(columns: [.id])))
        #expect(other.problems == 1)
        #expect(other.lostRows == 0)
    }

    @Test func `a manifest has our products, each with a key`() async throws {
        var ours = Self.lamp
        ours.vendorID = 1
        var foreign = Self.nameless
        foreign.vendorID = 2
        let other = LiveProduct(id: MarketID(3), vendorID: 1, name: "Tea cup", price: 7)
        let manifest = ManifestEncoder(
            MarketSettings(url: "https://m.example", profile: .v2b, vendorID: 1)
        )
        let (text, _) = try await Self.export(StandInMarket(list: [ours, foreign, other]), as: .products(manifest))
        #expect(manifest.count == 2)
        #expect(manifest.foreign == 1)
        #expect(text.contains("key: desk-lamp\n"))
        #expect(text.contains("key: tea-cup\n"))
        #expect(text.contains("id: 9\n"))
        #expect(!text.contains("id: 4\n"))
    }

    @Test func `a key that a manifest makes has no more characters than the market takes`() throws {
        let document = """
            market: 1
            name: tickets
            identity:
              id: {at: /id, as: integer, order: rising}
              key: {at: /sku, unique: unenforced, characters: 8}
            fields:
              name: {at: /name}
              price: {at: /price, as: number}
            list: {path: /items, page: {by: none}, rows: "", complete: whole}
            operations:
              create: {method: POST, path: /items, body: json}
            """
        let profile = try MarketProfile(document: Array(document.utf8))
        let manifest = ManifestEncoder(MarketSettings(url: "https://m.example", profile: profile))
        manifest.know(StateSnapshot())
        try manifest.append(LiveProduct(id: 3, name: "A long name of a cup", price: 7), key: nil)
        manifest.end()
        #expect(String(decoding: try manifest.takeBytes(), as: UTF8.self).contains("key: a-long-3\n"))
    }

    @Test func `a product of the state that shows our number contradicts one that was typed`() throws {
        let manifest = ManifestEncoder(
            MarketSettings(url: "https://m.example", profile: .v2b, vendorID: 99)
        )
        var lamp = Self.lamp
        lamp.vendorID = 1
        var state = StateSnapshot(vendorID: 1)
        state.entries["lamp"] = StateEntry(key: "lamp", id: lamp.id, vendorID: 1, applied: ProductValues())
        manifest.know(state)
        let contradiction = VendorContradiction(claimed: 99, confirmed: 1, evidence: .product(lamp.id))
        expectEnd(.refused, "\(contradiction); no file was written") { try manifest.append(lamp, key: "lamp") }
        // Others' products are left out as before, and so is what has taken the number of one of ours.
        lamp.vendorID = 5
        try manifest.append(lamp, key: nil)
        try manifest.append(lamp, key: "lamp")
        #expect(manifest.foreign == 2 && manifest.count == 0)
    }

    @Test func `an empty list has to be believed, and one that moves on is not exported`() async throws {
        await #expect(throws: NotBelieved.self) { try await Self.export(StandInMarket(), as: .text(CatalogCSV())) }
        let moving = StandInMarket(list: [Self.lamp], completeness: .unsettled)
        await #expect(throws: CommandFailure.unsettled(passes: 3)) {
            try await Self.export(moving, as: .text(CatalogCSV()))
        }
    }

    @Test func `what the list does not show is not compared without details`() async throws {
        var earlier = Self.lamp
        earlier.description = "old"
        var lines = CatalogJSONLines()
        lines.append(earlier, key: nil)
        let bytes = lines.takeBytes()
        var lamp = earlier
        lamp.description = "new"
        let market = StandInMarket(list: [Self.lamp], details: [lamp])
        func compare(details: Bool) async throws -> (CatalogDifference, readings: Int) {
            var readings = 0
            let difference = try await Self.session(market, profile: .v2a).compare(
                ExportOptions(details: details),
                keys: Self.keys(),
                with: { body in
                    readings += 1
                    var reader = CatalogLineReader(ids: .number)
                    try reader.read(bytes, body)
                }
            ) {}
            return (difference, readings)
        }
        let list = try await compare(details: false)
        #expect(list.0.changes.changes == [])
        #expect(list.0.changes.unchanged == 1)
        #expect(list.0.uncompared == [.description])
        #expect(list.readings == 1)
        let details = try await compare(details: true)
        #expect(details.0.changes.changes.map(\.fields) == [[.description]])
        #expect(details.0.changes.changes.map { $0.row.text(.key) } == ["desk-lamp"])
        #expect(details.0.uncompared == [])
        #expect(details.readings == 1)
    }
}
