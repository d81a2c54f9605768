@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketManifest

/// What no plan could carry out is said before one is made, at the product.
struct ForeseenPlanTests {
    /// A market that settles creates by rising ids; each test takes something from it.
    private static let market = """
        market: 1
        name: tickets
        identity:
          id: {at: /id, as: integer, order: rising}
        fields: {name: {at: /name}, price: {at: /price, as: decimal_text}, currency: {fixed: KRW}}
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations:
          detail: {path: "/items/{id}"}
          create: {method: POST, path: /items, body: json}
          update: {method: PATCH, path: "/items/{id}", body: json}
          delete: {method: DELETE, path: "/items/{id}"}

        """

    private static let create = "  create: {method: POST, path: /items, body: json}\n"

    /// What is wrong with a manifest: `severity line message`, and help.
    private static func faults(
        _ products: [String],
        market settings: String = "",
        policies: String = "",
        foresees: Bool = true,
        _ change: (String) -> String
    ) throws -> [(text: String, help: String?)] {
        let folder = try TemporaryDirectory()
        try folder.write("tickets.market.yaml", change(market))
        let market = "market: {url: 'https://a', api: ./tickets.market.yaml\(settings)}\n"
        let lines = products.map { "- {key: \($0), price: 1}\n" }.joined()
        try folder.write("shop.yaml", market + policies + (lines.isEmpty ? "products: []\n" : "products:\n" + lines))
        var options = ManifestOptions()
        options.foreseesPlan = foresees
        return ManifestLoader(options: options).load([folder.path + "/shop.yaml"]).diagnostics.map {
            #expect($0.code == .unsupportedByMarket && $0.excerpt != nil)
            return ("\($0.severity) \($0.location?.position?.line ?? 0) \($0.message)", $0.help)
        }
    }

    private static let known = "lamp, name: Lamp, id: 7"
    private static let new = ["desk, name: Desk", "sofa, name: Sofa"]

    @Test func `nothing is said of a market that does all of it`() throws {
        #expect(try Self.faults([Self.known] + Self.new) { $0 }.isEmpty)
    }

    @Test func `products for a market to which nothing can be written are refused`() throws {
        let readOnly = { (text: String) in
            String(text.prefix(upTo: text.firstRange(of: "operations:")?.lowerBound ?? text.startIndex))
        }
        #expect(
            try Self.faults([Self.known], readOnly).map(\.text) == [
                "error 3 tickets is read-only: its description lacks the operations 'create', 'update' and 'delete'"
            ]
        )
        #expect(try Self.faults([], readOnly).isEmpty)
        // Whoever plans says so itself.
        #expect(try Self.faults([Self.known], foresees: false, readOnly).isEmpty)
    }

    @Test func `what cannot be made is named, unless its id says that it is there`() throws {
        let createless = { (text: String) in text.replacing(Self.create, with: "") }
        #expect(
            try Self.faults([Self.known] + Self.new, createless).map(\.text) == [
                "warning 4 'desk' and 'sofa', if not on tickets already, would be created, which cannot be done on tickets: "
                    + "'operations.create' is not described"
            ]
        )
        #expect(try Self.faults([Self.known], createless).isEmpty)
    }

    @Test func `creates that nothing would settle are named, unless a policy accepts them`() throws {
        let unsettled = { (text: String) in text.replacing(", order: rising", with: "") }
        let found = try Self.faults(Self.new, unsettled)
        #expect(
            found.map(\.text) == [
                "warning 3 'desk' and 'sofa', if not on tickets already, would be created, and a create whose reply is "
                    + "lost cannot be settled on tickets: a product could be created twice"
            ]
        )
        #expect(found.map(\.help) == ["set 'policies.allow_unsettled_creates: true'"])
        #expect(try Self.faults([Self.known], unsettled).isEmpty)
        #expect(try Self.faults(Self.new, policies: "policies: {allow_unsettled_creates: true}\n", unsettled).isEmpty)
        let carrying = { (text: String) in
            unsettled(text).replacing(
                "fields:",
                with: "  key: {at: /sku, unique: unenforced, find: {query: {sku: \"{key}\"}}}\nfields:"
            )
        }
        #expect(
            try Self.faults(Self.new, carrying).map(\.help) == [
                "set 'market.send_keys: true', or 'policies.allow_unsettled_creates: true'"
            ]
        )
        #expect(try Self.faults(Self.new, market: ", send_keys: true", carrying).isEmpty)
    }

    @Test func `where the id is ours, keys have to be sent`() throws {
        let choosing = { (text: String) in
            text.replacing("id: {at: /id, as: integer, order: rising}", with: "id: {at: /id, as: text, chosen_by: us}")
                .replacing("create: {method: POST, path: /items,", with: "create: {method: PUT, path: \"/items/{id}\",")
        }
        let found = try Self.faults(Self.new, choosing)
        #expect(
            found.map(\.text).first
                == "warning 3 'desk' has to be created with its key as its id on tickets, and 'market.send_keys' is not set"
        )
        #expect(try Self.faults(Self.new, market: ", send_keys: true", choosing).isEmpty)
    }
}
