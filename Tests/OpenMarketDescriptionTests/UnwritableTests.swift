@testable import OpenMarket
@testable import OpenMarketDescription
import Testing

/// What descriptions ask for that no request can be made of, each with its reason.
struct UnwritableTests {
    private static func document(
        identity: String = "id: {at: /id, as: integer}",
        fields: String = "",
        pictures: String = "",
        detail: String = "detail: {path: \"/products/{id}\"}",
        create: String = "body: json",
        update: String = "body: json"
    ) -> String {
        """
        market: 1
        name: shop
        auth: [{field: {at: /key, value: secret}}]
        identity: {\(identity)}
        fields:
          name: {at: /name}
          price: {at: /price, as: number}
        \(fields)
        \(pictures)
        list: {path: /products, page: {by: none}, rows: /rows, complete: whole}
        operations:
          \(detail)
          create: {method: POST, path: /products, \(create)}
          update: {method: PATCH, path: "/products/{id}", \(update)}
        """
    }

    static let cases: [(document: String, reasons: [String])] = [
        (document(), []),
        (
            document(
                fields: "  description: {at: /texts, as: language_map, language: ko}",
                detail: "health: {path: /}"
            ),
            ["'update' sends back read values, and 'operations.detail' is not described"]
        ),
        (
            document(fields: "  stock: {at: /rows/0/stock, as: integer}", create: "body: form", update: "body: form"),
            ["'update' is a form, which cannot send back read values"]
        ),
        (
            document(
                fields: "  sale: {at: /sale, as: number, means: sale_price, none: null}",
                pictures: "pictures: {style: url, write: {at: /pictures}, change: in_place, clear: \"[]\"}",
                create: "body: form, hidden: {/shown: null}"
            ),
            ["with", "fields.sale", "pictures.clear"].map {
                "'create' is a form, which has neither null nor an empty list ('\($0)')"
            }
        ),
        (
            document(pictures: "pictures: {style: parts, part: file, change: replace}"),
            ["'create' lacks parts for pictures"]
        ),
        (
            document(
                pictures: "pictures: {style: parts, part: file, change: in_place}",
                create: "body: parts"
            ),
            ["'update' lacks parts for pictures"]
        ),
        (
            document(
                identity: "id: {at: /id, as: integer, chosen_by: us}",
                create: "body: json, with: {/id: \"{id}\"}"
            ),
            ["the chosen id is the product's key in the manifest, which is not a number"]
        ),
        (
            document(create: "body: json, query: {sku: \"{key}\"}"),
            ["'create' names '{key}', and 'identity.key' is missing"]
        ),
        (
            document(
                identity: "id: {at: /id, as: integer}, key: {at: /sku, unique: racy}",
                update: "body: json, query: {sku: \"{key}\"}"
            ),
            ["'update' names '{key}', and products are changed and deleted by their ids"]
        ),
        (
            document(fields: "  stock: {at: /name, as: integer}\n  description: {at: /price/text}"),
            [
                "'create' has two values at '/name': 'name' and 'stock'",
                "'create' has two values at '/price': 'price' and 'description'",
                "'update' has two values at '/name': 'name' and 'stock'",
                "'update' has two values at '/price': 'price' and 'description'",
            ]
        ),
        (
            document(
                identity: "id: {at: /id, as: integer}, key: {at: /key, unique: racy}",
                fields: """
                      description: {at: /rows, item: {where: /no, is: 1, value: /text}}
                      stock: {at: /rows, item: {where: /no, is: 2, value: /text}, as: integer}
                    """
            ),
            ["'create' has two values at '/key': the key and a credential"]
        ),
        // What is shown at one place means nothing at another, but for ids.
        (
            document(
                pictures:
                    "pictures: {style: url, write: {at: /urls}, read: {at: /images, url: /src}, change: in_place}",
                update: "body: json, send: whole"
            ),
            ["'update' sends all fields, and pictures are not shown as they are written: 'write.kept' is missing"]
        ),
        (
            document(
                pictures:
                    "pictures: {style: url, write: {at: /urls, new: /src, kept: /no}, read: {at: /images, id: /id, url: /src}, change: in_place}",
                update: "body: json, send: whole"
            ),
            []
        ),
        (
            document(
                pictures:
                    "pictures: {style: url, write: {at: /urls}, read: {at: /images, url: /src}, change: in_place}",
                update: "body: json, send: merged"
            ),
            []
        ),
        // What the description puts where a product's values are, or where it says something else.
        (
            document(
                fields: "  stock: {at: /stock, as: integer, with: {/counted: true}}\n"
                    + "  description: {at: /text, with: {/counted: true, /format: html}}",
                create: "body: json, with: {/shown: true, /format: html}, hidden: {/shown: false, /price: 0}"
            ),
            ["'create' has two values at '/price': 'hidden' and 'price'"]
        ),
        (
            document(
                fields: "  stock: {at: /stock, as: integer, with: {/counted: true}}\n"
                    + "  description: {at: /text, with: {/counted: false}}",
                create: "body: json, with: {/stock: 0}, hidden: {/counted: false}"
            ),
            [
                "'create' has two values at '/stock': 'with' and 'stock'",
                "'create' has two values at '/counted': 'hidden' and 'stock.with'",
                "'create' has two values at '/counted': 'stock.with' and 'description.with'",
                "'update' has two values at '/counted': 'stock.with' and 'description.with'",
            ]
        ),
        (
            document(
                fields: """
                      description: {at: /rows, item: {where: /no, is: 1, value: /text}}
                      stock: {at: /rows, item: {where: /no, is: 1, value: /text}, as: integer}
                    """,
                update: "body: json, send: whole"
            ),
            ["create", "update"].map { "'\($0)' has two values at '/rows/text': 'description' and 'stock'" }
        ),
    ]

    @Test(arguments: cases.indices)
    func `what cannot be written is named`(index: Int) throws {
        let (document, reasons) = Self.cases[index]
        let loaded = MarketDescriptionLoader.load(Array(document.utf8))
        let market = try #require(loaded.description, "\(loaded.faults)\n\(document)")
        #expect(market.unwritable == reasons)
    }

    @Test(arguments: DescribedMarkets.names)
    func `all that the described markets say can be written`(name: String) throws {
        #expect(try DescribedMarkets.market(name).unwritable == [])
    }

    /// A whole product without its fields takes them away, from whomever's product is asked about.
    @Test(arguments: ["send: whole", "send: merged", "keep: [/version]", "with: {/kind: lamp}"])
    func `a change that always says something proves nothing`(more: String) {
        func faults(_ update: String) -> [String] {
            let document = Self.document(
                identity: "id: {at: /id, as: integer}, owner: {read: /seller, as: integer}, proof: update_nothing",
                update: update
            )
            return MarketDescriptionLoader.load(Array(document.utf8)).faults.filter { $0.path == "identity.proof" }
                .map(\.message)
        }
        #expect(faults("body: json") == [])
        #expect(
            faults("body: json, \(more)") == [
                "an empty change is impossible: 'operations.update' always sends more ('send', 'keep' or 'with')"
            ]
        )
    }

    @Test(arguments: [
        "parts, part: file", "attach, attach: {path: \"/products/{id}/files\", body: parts, part: file}",
        "base64, write: {at: /p}",
    ])
    func `what takes pictures away is said only where the product holds them`(style: String) throws {
        let isHeld = style.hasPrefix("base64")
        for (clear, sends) in [("\"[]\"", true), ("null", true), ("never", false)] {
            let document = Self.document(
                pictures: "pictures: {style: \(style), read: {at: /pictures}, change: replace, clear: \(clear)}"
            )
            let faults = MarketDescriptionLoader.load(Array(document.utf8)).faults
            #expect(faults.contains { $0.path == "pictures.clear" } == (sends && !isHeld), "\(clear)")
        }
    }

    @Test(arguments: [
        ("{style: base64, write: {at: /p}, read: {at: /p, one: true}, change: in_place}", "body: json", true),
        ("{style: base64, write: {at: /p}, read: {at: /p, one: true}, change: replace}", "body: json", false),
        ("{style: parts, part: file, read: {at: /p}, change: in_place}", "body: json", false),
        ("{style: parts, part: file, read: {at: /p}, change: in_place}", "body: parts", true),
        (
            "{style: attach, attach: {path: \"/products/{id}/p\", body: parts, part: file}, read: {at: /p, one: true}, change: in_place}",
            "body: json", false
        ),
    ])
    func `pictures change where an update can carry other ones`(pictures: String, update: String, changes: Bool) throws
    {
        let document = Self.document(pictures: "pictures: \(pictures)", create: update, update: update)
        let loaded = MarketDescriptionLoader.load(Array(document.utf8))
        let market = try #require(loaded.description, "\(loaded.faults.map(\.message))")
        #expect(Capability.changePictures.obstacles(in: market).isEmpty == changes)
    }
}
