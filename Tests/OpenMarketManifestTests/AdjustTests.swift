@testable import OpenMarket
@testable import OpenMarketManifest
import Testing

/// A catalog that `adjust` changes for one market.
struct AdjustTests {
    private static var options: ManifestOptions {
        var options = ManifestOptions()
        options.readsPictures = false
        return options
    }

    private static let catalog = """
        defaults: {currency: KRW, stock: 3}
        products:
          - {key: moon-jar, id: 4, name: Moon jar, description: A jar of porcelain., price: 71000, discount: 1000, images: [a.png]}
          - {key: lamp, id: 5, name: Desk lamp, description: Lamp of 2026 for desks., price: 16.5, currency: USD, images: [a.png]}
          - {key: vip-box, id: 6, name: Box, description: For a few people., price: 100, images: [a.png]}

        """

    private func load(_ adjust: String) -> LoadedManifest {
        ManifestLoader(options: Self.options).decode(Array((adjust + Self.catalog).utf8), name: "m.yaml")
    }

    @Test func `entries change products in order, by keys and conditions`() throws {
        let loaded = load(
            """
            adjust:
              - id: none
              - {leave_out: true, where: key=vip-*}
              - {prices: x1.1, ending: 900, where: currency=KRW}
              - {key: lamp, price: +10%, replace: {"2026": "2027"}, stock: none, protected: true}
              - {key: "moon-*", where: [price>77000, stock=3], name: "{name} (test)", ignore_changes: [stock]}

            """
        )
        #expect(loaded.diagnostics == [])
        let manifest = try #require(loaded.manifest)
        let jar = try #require(manifest.listings.first { $0.key == "moon-jar" })
        let lamp = try #require(manifest.listings.first { $0.key == "lamp" })
        #expect(manifest.listings.map(\.key) == ["moon-jar", "lamp"])
        #expect(manifest.leftOut.mapValues(\.description) == ["vip-box": "m.yaml:3:5"])
        #expect(jar.pinnedID == nil)
        #expect(jar.values.name == "Moon jar (test)")
        #expect(jar.values.price == 77900)
        #expect(jar.values.sale == .price(76900))
        #expect(jar.ignoreChanges == [.stock])
        #expect(jar.location(of: .price).description == "m.yaml:4:14")
        #expect(jar.location(of: .description).description == "m.yaml:9:57")
        #expect(lamp.values.price == ExactDecimal("18.15"))
        #expect(lamp.values.description == "Lamp of 2027 for desks.")
        #expect(lamp.isProtected)
    }

    @Test(arguments: ["prices: x0.01, currency: USD", "currency: USD, prices: x0.01"])
    func `new prices have the fractions of the new currency`(_ changes: String) throws {
        let loaded = load("adjust: [{key: moon-jar, price: 71050, sale_price: 70050}, {key: moon-jar, \(changes)}]\n")
        let jar = try #require(loaded.manifest?.listings.first { $0.key == "moon-jar" })
        #expect(jar.values.price == ExactDecimal("710.5"))
        #expect(jar.values.sale?.salePrice == ExactDecimal("700.5"))
    }

    @Test func `what buyers pay stays beside an adjusted price, as with an edit`() throws {
        let loaded = load("adjust: [{key: moon-jar, price: 80000}]\n")
        let jar = try #require(loaded.manifest?.listings.first { $0.key == "moon-jar" })
        #expect(jar.values.price == 80000)
        #expect(jar.values.sale == .price(70000))
        let text = "adjust: [{price: 30}]\nproducts: [{key: a, id: 1, name: Lamp, price: 100, discount: 60}]\n"
        let below = ManifestLoader(options: Self.options).decode(Array(text.utf8), name: "m.yaml")
        let faults = below.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(faults == ["'a': the sale price 40 would be above the price 30"])
    }

    @Test(arguments: [
        ("- {key: moon-jra, price: 1}", "error: no product has the key 'moon-jra' (did you mean 'moon-jar'?)"),
        ("- {key: x-*, price: 1}", "warning: no key fits 'x-*' ()"),
        ("- {where: stock>5, stock: 1}", "warning: no product fits this entry ()"),
        (
            "- {price: 1000}",
            "error: 'price=1000': amounts of KRW and USD do not mix (choose one by 'where', as in 'currency=KRW')"
        ),
        ("- {id: 7}", "error: 'id=7': 'id' can only be 'none' ()"),
        ("- {prise: 7}", "error: unknown key 'prise' (did you mean 'price'?)"),
        ("- {key: [], leave_out: true}", "error: 'key' names no product ()"),
        ("- {key: vip-box, price: -500}", "error: 'vip-box': the price would be -400 ()"),
    ])
    func `a fault is reported at the entry`(_ entry: String, _ report: String) throws {
        let diagnostics = load("adjust:\n  \(entry)\n").diagnostics
        let found = try #require(diagnostics.first)
        #expect(found.location?.position?.line == 2)
        let text = "\(found.severity): \(found.message) (\(found.help ?? ""))"
        #expect(text == report)
    }
}
