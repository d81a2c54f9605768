import GRDB
@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketState

/// Rows of the state read from their bytes, beside the same rows read value by value.
struct EntryRowReaderTests: ~Copyable {
    private let directory = try! TemporaryDirectory()

    private static func maybe<Value>(_ random: inout SeededGenerator, _ value: Value) -> Value? {
        Int.random(in: 0..<4, using: &random) == 0 ? nil : value
    }

    private static func pick<Value>(_ random: inout SeededGenerator, usual: Value, _ rare: Value...) -> Value {
        Int.random(in: 0..<12, using: &random) == 0 ? rare.randomElement(using: &random) ?? usual : usual
    }

    /// Mostly what a market and a manifest would have; now and then what they could.
    private static func entry(_ number: Int, _ random: inout SeededGenerator) -> StateEntry {
        var entry = StateEntry(
            key: pick(&random, usual: "key-\(number)", "한지등-\(number)", "cafe\u{301}-\(number)").composed,
            id: MarketID(Int64(number)),
            vendorID: maybe(&random, 29),
            applied: ProductValues(
                name: maybe(&random, pick(&random, usual: "Desk lamp", "", "탁상등", "\u{1112}\u{1161}")),
                description: maybe(&random, "Warm light,\ntwo arms. \\n stays."),
                price: maybe(&random, pick(&random, usual: 35_000, ExactDecimal("16.99") ?? 0, -1)),
                currency: maybe(&random, pick(&random, usual: .krw, .usd, Currency(rawValue: "EUR"))),
                sale: maybe(&random, pick(&random, usual: .price(31_500), .fullPrice)),
                stock: maybe(&random, 12)
            ),
            thumbnailURL: maybe(&random, "https://images.example/thumb/\(number).png"),
            issuedAt: maybe(&random, "2022-10-01T00:00:00.00"),
            secret: pick(&random, usual: nil, .environment("LAMP_SECRET")),
            isProtected: Bool.random(using: &random),
            origin: maybe(&random, pick(&random, usual: "openmarket.yaml", "-", "한지등.yaml"))
        )
        if pick(&random, usual: false, true) {
            entry.shown = ProductValues(name: "desk lamp", description: "", price: 35_001, stock: 0)
        }
        let count = Int.random(in: 0...4, using: &random)
        let digests = (0..<count).map { _ in Samples.digest(UInt8.random(in: 0...250, using: &random)) }
        entry.applied.images = maybe(&random, digests.map { pick(&random, usual: .digest($0), .unknown("a\nb\\c")) })
        entry.applied.thumbnail = entry.applied.images?.randomElement(using: &random)
        if pick(&random, usual: false, true) { entry.applied.thumbnail = .digest(Samples.digest(251)) }
        entry.images = maybe(
            &random,
            digests.enumerated().map { index, digest in
                .init(
                    digest: pick(&random, usual: digest, Samples.digest(252)),
                    reference: pick(
                        &random,
                        usual: "\(number * 10 + index)",
                        "https://images.example/\(index).png",
                        "071",
                        "+7",
                        "",
                        "a\\b\n"
                    )
                )
            }
        )
        return entry
    }

    @Test func `a row is read from its bytes as it is value by value`() throws {
        var random = SeededGenerator(seed: 11)
        let database = try DatabaseQueue()
        let columns = EntryColumn.list
        let entries = (1...2_000).map { Self.entry($0, &random) }
        try database.write { db in
            try db.execute(sql: "CREATE TABLE entries (scope, \(columns), PRIMARY KEY (scope, key))")
            for entry in entries { try EntryRow.write(entry, scope: 1, in: db) }
        }
        let byBytes = try database.read { db in
            let statement = try db.makeStatement(sql: "SELECT \(columns) FROM entries ORDER BY id")
            let rows = try Row.fetchCursor(statement)
            var reader = EntryRowReader(statement)
            var byBytes = 0
            var number = 0
            while let row = try rows.next() {
                var found = StateEntries()
                let entry = try StateEntry(row)
                if reader.append(to: &found) {
                    byBytes += 1
                    #expect(Array(found.values) == [entry])
                    #expect(found[entry.key] == entry)
                }
                #expect(entry == entries[number])
                number += 1
            }
            #expect(number == entries.count)
            return byBytes
        }
        // Enough of both kinds.
        #expect((500..<1_500).contains(byBytes))
    }

    /// Damage must be found out by the slow reader, which names it.
    @Test(arguments: [
        "id = x'41'", "key = 7", "protected = 2", "images = 'sha256:12'", "sent_images = '=1'", "sale = 'much'",
        "price = 12", "thumbnail = '=9'", "name = x'41'", "images = NULL", "secret = 'x'", "currency = 'EUR'",
        "origin = x'41'",
    ])
    func `a row of another kind is not read from its bytes`(_ change: String) throws {
        let database = try DatabaseQueue()
        let columns = EntryColumn.list
        var entry = Samples.lamp
        entry.secret = nil
        entry.shown = ProductValues()
        entry.applied.images = [.digest(Samples.digest(2))]
        entry.images = [.init(digest: Samples.digest(2), reference: "352")]
        let append = { (db: Database) throws -> Bool in
            let statement = try db.makeStatement(sql: "SELECT \(columns) FROM entries")
            let rows = try Row.fetchCursor(statement)
            guard try rows.next() != nil else { return false }
            var reader = EntryRowReader(statement)
            var entries = StateEntries()
            return reader.append(to: &entries)
        }
        try database.write { db in
            try db.execute(sql: "CREATE TABLE entries (scope, \(columns), PRIMARY KEY (scope, key))")
            try EntryRow.write(entry, scope: 1, in: db)
        }
        #expect(try database.read(append))
        try database.write { try $0.execute(sql: "UPDATE entries SET \(change)") }
        #expect(try !database.read(append))
    }
}
