@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The compact dictionary beside a dictionary of the same entries.
struct StateEntriesTests {
    private static let texts = [
        "", "a", "한지등", "\u{1112}\u{1161}\u{11AB}지등", "one\ntwo", String(repeating: "warm light, ", count: 60),
    ]

    /// Two forms of some keys: they are one key.
    private static let keys = [
        "a", "b", "desk-lamp", "caf\u{E9}", "cafe\u{301}", "한지등", "\u{1112}\u{1161}\u{11AB}지등", "c", "d", "e", "f",
    ]

    static func entry(_ key: String, _ random: inout SeededGenerator) -> StateEntry {
        var entry = StateEntry(
            key: key,
            id: MarketID(Int64.random(in: 0...99, using: &random)),
            vendorID: maybe(&random) { Int64.random(in: 0...9, using: &$0) },
            applied: ProductValues(
                name: maybe(&random) { texts.randomElement(using: &$0) },
                description: maybe(&random) { texts.randomElement(using: &$0) },
                price: maybe(&random) { ExactDecimal(significand: Int64.random(in: -5...5, using: &$0), scale: 2) },
                currency: maybe(&random) {
                    [Currency.krw, .usd, Currency(rawValue: "EUR")].randomElement(using: &$0)
                },
                sale: maybe(&random) { Bool.random(using: &$0) ? .fullPrice : .price(3) },
                stock: maybe(&random) { Int64.random(in: 0...9, using: &$0) }
            ),
            thumbnailURL: maybe(&random) { texts.randomElement(using: &$0) },
            issuedAt: maybe(&random) { texts.randomElement(using: &$0) },
            secret: maybe(&random) { _ in .environment("S") },
            isProtected: Bool.random(using: &random),
            origin: maybe(&random) { texts.randomElement(using: &$0) }
        )
        let count = Int.random(in: 0...3, using: &random)
        let digests = (0..<count).map { _ in digest(UInt8.random(in: 0...3, using: &random)) }
        entry.applied.images = maybe(&random) { random in
            digests.map { Int.random(in: 0...5, using: &random) == 0 ? .unknown("u/1") : .digest($0) }
        }
        entry.applied.thumbnail = maybe(&random) { random in
            entry.applied.images?.randomElement(using: &random) ?? .digest(digest(9))
        }
        let references = ["71", "72", "073", "u/1", "two\nlines", "", "+7"]
        entry.images = maybe(&random) { random in
            (Bool.random(using: &random) ? digests : [digest(7)]).map {
                .init(digest: $0, reference: references.randomElement(using: &random) ?? "")
            }
        }
        return entry
    }

    @Test(arguments: 0..<40, [false, true])
    func `an entry is written from where it lies as its document is`(seed: UInt64, pretty: Bool) {
        var random = SeededGenerator(seed: seed)
        var entries = StateEntries()
        for key in Self.keys { entries[key] = Self.entry(key, &random) }
        // The kind that most are.
        var plain = Self.entry("plain \"한\"", &random)
        plain.secret = nil
        plain.shown = ProductValues()
        plain.applied.currency = .krw
        plain.applied.images = [.digest(digest(1)), .digest(digest(2))]
        plain.applied.thumbnail = seed.isMultiple(of: 2) ? .digest(digest(2)) : nil
        plain.images = [.init(digest: digest(1), reference: "71"), .init(digest: digest(2), reference: "a\\b")]
        entries[plain.key] = plain
        #expect(entries.position(of: plain.key).flatMap(entries.packed) != nil)
        for place in entries.places {
            var (writer, expected) = (JSONWriter(pretty: pretty), JSONWriter(pretty: pretty))
            writer.array { $0.entry(at: place, of: entries) }
            expected.value(.array([entries.entry(at: place).document]))
            #expect(writer.text == expected.text)
        }
    }

    @Test(arguments: 0..<40)
    func `places are sorted by the bytes of the keys`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["", "a", "b", "\0", "z", "한", "sku-0000", "sku-0000-0000-0000", "0123456789abcdef", "é"]
        var entries = StateEntries()
        for _ in 0..<60 {
            let key = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            entries[key] = StateEntry(key: key, id: 1, applied: ProductValues())
        }
        let sorted = entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(entries.placesByKey.map { entries.key(at: $0) } == sorted)
        #expect(entries.placesByKey.map { entries.name(at: $0) } == sorted.map { entries[$0]?.applied.name })
        #expect(Set(entries.placesByKey) == Set(entries.places))
    }

    @Test func `places of keys that fit a pattern are in the same order`() {
        var entries = StateEntries()
        for key in ["lamp-2", "mug", "lamp-10", "한지등"] {
            entries[key] = StateEntry(key: key, id: 1, applied: ProductValues())
        }
        func keys(_ pattern: String?) -> [String] {
            entries.placesByKey(fitting: pattern).map { entries.key(at: $0) }
        }
        #expect(keys(nil) == ["lamp-10", "lamp-2", "mug", "한지등"])
        #expect(keys("lamp-*") == ["lamp-10", "lamp-2"] && keys("m?g") == ["mug"] && keys("lamp").isEmpty)
    }

    @Test func `entries are found by their names, and their secrets are known`() {
        var entries = StateEntries()
        let values: [(key: String, name: String?, secret: String?)] = [
            ("a", "Lamp", nil), ("b", nil, "ONE"), ("c", "Desk", "TWO"), ("d", "Lamp", "ONE"),
        ]
        for (key, name, secret) in values {
            let reference = secret.map { SecretReference.environment($0) }
            entries[key] = StateEntry(key: key, id: 1, applied: ProductValues(name: name), secret: reference)
        }
        #expect(entries.named(["Lamp"]).map(\.key) == ["a", "d"])
        #expect(entries.named([nil, "Desk"]).map(\.key) == ["b", "c"])
        #expect(entries.named([]).isEmpty)
        #expect(entries.secrets == [.environment("ONE"), .environment("TWO")])
        entries["c"] = nil
        #expect(entries.secrets == [.environment("ONE")])
    }

    @Test(arguments: 0..<60)
    func `it holds what a dictionary holds`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var dictionary: [String: StateEntry] = [:]
        var entries = StateEntries()
        for _ in 0..<80 {
            let key = Self.keys.randomElement(using: &random) ?? ""
            let new = Self.entry(key, &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                dictionary[key] = nil
                entries[key] = nil
            case 1:
                dictionary[key]?.applied.stock = 7
                entries[key]?.applied.stock = 7
            case 2:
                let (one, other) = (dictionary.removeValue(forKey: key), entries.removeValue(forKey: key))
                #expect(one == other)
            case 3:
                // The key of the dictionary counts.
                entries[key] = StateEntry(key: "other", id: new.id, applied: new.applied)
                dictionary[key] = StateEntry(key: key, id: new.id, applied: new.applied)
            default:
                dictionary[key] = new
                entries[key] = new
            }
            #expect(entries.count == dictionary.count)
            #expect(entries.isEmpty == dictionary.isEmpty)
        }
        for key in Self.keys { #expect(entries[key] == dictionary[key]) }
        #expect(entries.values.sorted { $0.key < $1.key } == dictionary.values.sorted { $0.key < $1.key })
        #expect(Set(entries.keys) == Set(dictionary.keys))
        #expect(entries.ids.inOrder() == dictionary.values.map(\.id).inOrder())
        #expect(entries.mapValues(\.id) == dictionary.mapValues(\.id))
        #expect(entries == StateEntries(dictionary.map { ($0.key, $0.value) }) { $1 })
    }

    @Test func `many keys are found, also after half of them are gone`() {
        var entries = StateEntries()
        for number in 0..<5000 {
            entries["key-\(number)"] = StateEntry(key: "key-\(number)", id: MarketID(Int64(number)), applied: .init())
        }
        for number in stride(from: 0, to: 5000, by: 2) { entries["key-\(number)"] = nil }
        #expect(entries.count == 2500)
        #expect((0..<5000).allSatisfy { entries["key-\($0)"]?.id.whole == ($0.isMultiple(of: 2) ? nil : Int64($0)) })
    }
}
