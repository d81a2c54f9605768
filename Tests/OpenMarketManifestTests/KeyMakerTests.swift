@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

struct KeyMakerTests {
    @Test(arguments: [
        ("Desk lamp", "desk-lamp"), ("  Lamp, #5 (blue)!", "lamp-5-blue"), ("한지등 2호", "한지등-2호"), ("ÉCLAIR", "éclair"),
        ("e\u{301}", "é"), ("می\u{200C}خواهم", "میخواهم"), ("ශ්\u{200D}රී", "ශ්රී"), ("👨‍👩‍👧", ""),
        ("../etc/passwd", "etc-passwd"), ("", ""),
        (String(repeating: "등", count: 50), String(repeating: "등", count: 40)),
    ])
    func `a name becomes letters, digits and dashes`(name: String, slug: String) {
        #expect(KeyMaker.slug(name).isExactly(slug))
    }

    @Test func `each key is given out once`() {
        var keys = KeyMaker(taken: ["vase", "vase-3"])
        let made = [("Lamp", 1), ("lamp!", 2), ("Vase", 3), (nil, 4), ("…", 5), ("Product 6", 7), (nil, 6)].map {
            keys.key(name: $0, id: MarketID($1))
        }
        #expect(made == ["lamp", "lamp-2", "vase-3-3", "product-4", "product-5", "product-6", "product-6-6"])
        // A table takes no such key.
        #expect(keys.key(name: "NULL", id: 8) == "product-8")
    }

    @Test func `a product has the key that it alone carries, and no other product has it`() {
        let carried = ["desk", "twin", "twin", "vase", "NULL", " x", "secret-of-ours"]
        var keys = KnownSecrets.$current.withValue(KnownSecrets([Secret("secret-of-ours")])) {
            KeyMaker(taken: ["vase"], carried: carried)
        }
        let products: [(carried: String?, name: String, id: MarketID)] = [
            (nil, "Desk", 1), ("desk", "Lamp", 2), ("twin", "Twin", 3), ("twin", "Twin", 4), ("vase", "Vase", 5),
            ("NULL", "Cup", 6), (" x", "Jar", 7), ("secret-of-ours", "Pot", 8), (nil, "Cup", 9),
        ]
        let made = products.map { keys.key(carried: $0.carried, name: $0.name, id: $0.id) }
        #expect(made == ["desk-1", "desk", "twin-3", "twin-4", "vase-5", "cup", "jar", "pot", "cup-9"])
        // Where those that follow are not known.
        var early = KeyMaker(numbersAll: true)
        #expect(early.key(name: "Desk", id: 1) == "desk-1" && early.key(carried: "desk", name: "Lamp", id: 2) == "desk")
    }

    @Test func `no key is longer than the market takes, with a number, too`() throws {
        var keys = KeyMaker(taken: ["cup-of-tea"], limit: 10)
        let products: [(carried: String?, name: String?, id: MarketID)] = [
            ("eleven-long", "A long name", 1), ("ten-letter", "Lamp", 2), (nil, "Cup of tea, large", 3),
            (nil, "Lamp blue two", 4), (nil, nil, 345),
            (nil, nil, try #require(MarketID(text: "550e8400-e29b-41d4"))),
        ]
        let made = products.map { keys.key(carried: $0.carried, name: $0.name, id: $0.id) }
        #expect(made == ["a-long-nam", "ten-letter", "cup-of-t-3", "lamp-blue", "produc-345", "p-29b-41d4"])
    }
}
