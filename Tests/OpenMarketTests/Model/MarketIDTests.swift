@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct MarketIDTests {
    /// Two texts that look the same in other bytes, digits, and what looks like other values.
    private static let texts = [
        "prod_1", "007", "7", "-1", "+7", "\u{E9}", "e\u{301}", "true", "null", "=1+1", "a,b", " a", "상품",
        String(repeating: "x", count: MarketID.longestText),
    ]

    @Test func `texts are the same only by their bytes, and never numbers`() {
        let ids = Self.texts.map(MarketID.text) + [7, -1, 0]
        #expect(Set(ids).count == ids.count)
        for (place, id) in ids.enumerated() { #expect(ids.firstIndex(of: id) == place) }
    }

    @Test func `an id has 1 to 128 bytes and no control characters`() {
        for text in Self.texts { #expect(MarketID(text: text) == .text(text)) }
        let refused = [
            "", "a\nb", "\u{7F}", "a\u{85}", "\0", String(repeating: "x", count: 129),
            String(repeating: "é", count: 65),
        ]
        for text in refused { #expect(MarketID(text: text) == nil, "\(text)") }
    }

    @Test func `as numbers only their digits are taken`() {
        for text in ["007", "+7", "7.0", "0", "-7", " 7", "", "7e0", "9223372036854775808", "٧"] {
            #expect(MarketID(spelled: text, as: .number) == nil, "\(text)")
        }
        #expect(MarketID(spelled: "9223372036854775807", as: .number) == .number(.max))
        #expect(MarketID(spelled: "007", as: .text) == .text("007"))
    }

    @Test func `texts have no age, and an order of output all the same`() {
        let one = MarketID.text("a"), other = MarketID.text("b")
        #expect(!other.isNewer(than: one) && !one.isNewer(than: other))
        #expect(other.mayBeNewer(than: one) && one.mayBeNewer(than: other) && !one.mayBeNewer(than: one))
        #expect([one, other].newest() == nil)
        #expect([other, 7, one, 12].inOrder() == [7, 12, one, other])
    }

    @Test func `numbers have an age and an order`() {
        let ids: [MarketID] = [7, .number(.min), 12, -3, .number(.max)]
        let rising: [MarketID] = [.number(.min), -3, 7, 12, .number(.max)]
        #expect(ids.inOrder() == rising && ids.sorted(by: MarketID.follows) == rising.reversed())
        #expect(ids.newest() == .number(.max) && ([] as [MarketID]).newest() == nil)
        for (older, newer) in zip(rising, rising.dropFirst()) {
            #expect(newer.isNewer(than: older) && !older.isNewer(than: newer) && !newer.isNewer(than: newer))
            #expect(newer.mayBeNewer(than: older) && !older.mayBeNewer(than: newer))
        }
        #expect(rising.map(\.description) == [Int64.min, -3, 7, 12, .max].map(\.description))
        #expect(rising.map(\.document) == [Int64.min, -3, 7, 12, .max].map(\.document))
    }

    @Test func `packed listings and entries give ids of both kinds back`() throws {
        let ids = Self.texts.map(MarketID.text) + [1, 7, .number(.max)]
        var listings = Listings()
        var entries = StateEntries()
        for (number, id) in ids.enumerated() {
            var listing = Listing(key: "k\(number)", file: "a.yaml", position: SourcePosition(line: 1, column: 1))
            listing.values = ProductValues(name: "name \(number)", description: "text", price: 5)
            listing.pinnedID = id
            listings.append(listing)
            entries.append(
                StateEntry(key: listing.key, id: id, applied: listing.values, thumbnailURL: "t", issuedAt: "i")
            )
        }
        #expect(listings.indices.map { listings.pinnedID(at: $0) } == ids)
        #expect(listings.map(\.pinnedID) == ids)
        #expect(listings.map(\.values.description) == ids.map { _ in "text" })
        #expect(Array(entries.ids) == ids)
        for (number, id) in ids.enumerated() {
            let entry = try #require(entries["k\(number)"])
            #expect(entry.id == id && entry.issuedAt == "i" && entry.thumbnailURL == "t")
        }
        let live = LiveProducts(
            Dictionary(uniqueKeysWithValues: ids.map { ($0, LiveProduct(id: $0, values: .init())) })
        )
        #expect(live.count == ids.count && Set(live.keys) == Set(ids))
        #expect(ids.allSatisfy { live[$0]?.id == $0 })
    }

    @Test func `a key made of an id is a key of its own`() {
        let keys = (Self.texts.map(MarketID.text) + [12]).map(TableRow.key(madeOf:))
        #expect(Set(keys.map(\.composed)).count == keys.count)
        #expect(keys.prefix(2) == ["product-prod_1", "product-007"] && keys.last == "product-12")
        #expect(TableRow.key(madeOf: .text("a,é")) == "product-a%2C%C3%A9")
    }
}
