@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What is said of mistakes: where, in which words, with which help.
struct FaultTests {
    /// A mistake in a described market: what is replaced by what.
    struct Mistake {
        var market: String
        var old: String
        var new: String

        init(_ market: String, _ old: String, _ new: String) {
            self.market = market
            self.old = old
            self.new = new
        }
    }

    private static let mistakes: [(section: String, mistakes: [Mistake])] = [
        (
            "YAML",
            [
                Mistake("json-files", "about:", "about: !text"),
                Mistake("json-files", "  path: /products.json\n", "  path: /products.json\n  path: /p.json\n"),
                Mistake("json-files", "complete: whole\n", "complete: whole\n---\nmarket: 1\n"),
                Mistake("json-files", "name: json-files", "name: 12"), Mistake("json-files", "market: 1", "market: [1"),
            ]
        ),
        (
            "Keys and values",
            [
                Mistake("json-files", "market: 1", "market: 2"), Mistake("json-files", "market: 1", "markt: 1"),
                Mistake("json-files", "market: 1\n", ""),
                Mistake("json-files", "name: json-files", "name: JSON files"),
                Mistake("json-files", "rows: [/products, \"\"]", "rows: []"),
                Mistake("json-files", "name: json-files", "name:"),
                Mistake("json-files", "identity:\n  id: {at: /sku, as: text}", "identity: id"),
                Mistake("json-files", "as: text}\n\nfields", "as: txt}\n\nfields"),
                Mistake("json-files", "id: {at: /sku,", "id: {at: sku,"),
                Mistake("json-files", "id: {at: /sku,", "id: {at: /sku~,"),
                Mistake("json-files", "{at: /photos}", "{at: /photos/32}"),
                Mistake("json-files", "{at: /photos}", "{at: /photos/-}"),
                Mistake("json-files", "page: {by: none}", "page: {bye: none}"),
                Mistake("json-files", "page: {by: none}", "page: {by: nones}"),
                Mistake("json-files", "page: {by: none}", "page: {}"),
                Mistake("json-files", "page: {by: none}", "page: {by: none, size: {standard: 10}}"),
                Mistake("json-files", "list:\n", "url: http://example.org\nlist:\n"),
                Mistake("json-files", "list:\n", "list:\n  method: POST\n"),
                Mistake("v2b", "first: 1,", "first: 2,"), Mistake("v2b", "first: 1,", "first: \"1\","),
                Mistake("v2b", "{at: /totalCount}", "{at: /totalCount, header: X-Total}"),
                Mistake("v2b", "{at: /totalCount}", "{after: /}"),
                Mistake("v2b", "characters: [3, 100]", "characters: [100, 3]"),
                Mistake("v2b", "characters: [3, 100]", "characters: 100"),
                Mistake("v2b", "past_end: [empty, \"204\"]", "past_end: [empty, \"205\"]"),
                Mistake("v2b", "  - header: {name", "  - query: {name"),
                Mistake("v2b", "delete: {method: DELETE", "delete: {method: GET"),
                Mistake("v2b", "status: 400, for", "status: 99, for"),
                Mistake("v2b", "means: denied}", "at: /code, means: denied}"),
                Mistake("v2b", "means: denied}", "is: 5, means: denied}"),
                Mistake("postgrest", "standard: 500", "standard: 99999999999999999999"),
                Mistake("woocommerce", "clear: \"[]\"", "clear: [0]"),
                Mistake(
                    "woocommerce",
                    "{fixed: \"{currency}\"}",
                    "{fixed: \"{currency}\", case: lower, one_of: [KRW]}"
                ),
            ]
        ),
        (
            "Placeholders and parameters",
            [
                Mistake("pretix", "/events/{event}\"", "/events/{evnt}\""),
                Mistake("pretix", "  event: {as: slug}", "  event: {as: text}"),
                Mistake(
                    "pretix",
                    "  event: {as: slug}",
                    "  event: {as: slug}\n  secret: {as: slug}\n  id: {as: slug}\n  other: {as: text}"
                ),
                Mistake("pretix", "path: /items/\n", "path: \"/items/{id}/{page}/{last}\"\n"),
                Mistake("pretix", "query: {ordering: \"-id\"}", "query: {ordering: \"{secret}\"}"),
                Mistake("pretix", "{path: \"/items/{id}/\"}", "{path: \"/items/{id\"}"),
                Mistake("pretix", "at: /default_price", "at: \"/{channel}/price\""),
                Mistake("pretix", "create: {method: POST,", "create: {method: POST, headers: {X-Id: \"{id}\"},"),
                Mistake("pretix", "detail: {path: \"/items/{id}/\"}", "detail: {path: \"/items/{key}/\"}"),
            ]
        ),
        (
            "Safety",
            [
                Mistake("json-files", "/products.json", "//example.org/products.json"),
                Mistake("json-files", "/products.json", "/a/../products.json"),
                Mistake("json-files", "/products.json", "/a/%2e%2e/products.json"),
                Mistake("json-files", "/products.json", "/a%2fproducts.json"),
                Mistake("json-files", "/products.json", "/a%zzproducts.json"),
                Mistake("json-files", "/products.json", "\"/products.json?page=1\""),
                Mistake("json-files", "/products.json", "\"/a\\\\b\""),
                Mistake("json-files", "/products.json", "http://example.org/"),
                Mistake(
                    "json-files",
                    "list:\n",
                    "headers: {Host: a, Authorization: b, X-HTTP-Method-Override: DELETE, Content-Type: c, Cookie: d, If-Match: e, X-Forwarded-For: f, Range: g}\nlist:\n"
                ),
                Mistake("json-files", "list:\n", "headers: {\"X Y\": h}\nlist:\n"),
                Mistake("json-files", "list:\n", "headers: {Accept: \"a\\nb\"}\nlist:\n"),
                Mistake(
                    "json-files",
                    "list:\n",
                    "list:\n  query: {_method: DELETE, X-HTTP-Method-Override: a, ps_method: b, payment_method: c}\n"
                ),
                Mistake(
                    "v2b",
                    "delete: {method: DELETE, path: \"/api/products/{delete_key}\"}",
                    "delete: {method: DELETE, path: /api/products}"
                ),
                Mistake(
                    "v2b",
                    "update: {method: PATCH, path: \"/api/products/{id}\"",
                    "update: {method: PATCH, path: \"/api/products\""
                ),
                Mistake("v2b", "detail: {path: \"/api/products/{id}\"}", "detail: {path: /api/products}"),
                Mistake(
                    "v2b",
                    "value: secret, for: [create, update, delete_key]",
                    "value: secret, for: [create, delete, detail, upload]"
                ),
                Mistake("v2b", "name: identifier, value", "name: Content-Length, value"),
                Mistake("v1b", "path: \"/item/{id}\", body: json}", "path: \"/item/{id}\"}"),
                Mistake("woocommerce", "find: {query: {sku:", "find: {query: {page: \"1\", order: asc, sku:"),
                Mistake("woocommerce", "orderby: id, order", "page: id, order"),
                Mistake("pretix", "header: X-Idempotency-Key", "header: Transfer-Encoding"),
            ]
        ),
        (
            "Contradictions",
            [
                Mistake("v2b", "  total: {at: /totalCount}\n", ""),
                Mistake("v2b", "direction: falling", "direction: rising"),
                Mistake("v2b", "moves: never", "moves: freely"),
                Mistake("v2b", "  order: {by: [/created_at, /id], direction: falling, moves: never}\n", ""),
                Mistake("v2b", "complete: ranks", "complete: whole"),
                Mistake("v2b", "complete: ranks", "complete: keyset"),
                Mistake("v2b", "total: {at: /totalCount}", "total: {at: /count, path: /api/count}"),
                Mistake("v1b", "  past_end: [empty]\n", ""), Mistake("v1b", "/items/{page}", "/items"),
                Mistake("v1b", "by: number, first", "by: number, param: page, first"),
                Mistake(
                    "v1b",
                    "page: {by: number, first: 1, size: {standard: 20}}",
                    "page: {by: keyset, last: /id, query: {after: \"x\"}}"
                ),
                Mistake("postgrest", "direction: rising, moves: never", "direction: rising, moves: freely"),
                Mistake("postgrest", "direction: rising, moves: never", "direction: falling, moves: up"),
                Mistake("postgrest", "order: {by: [/id]", "order: {by: [/price]"),
                Mistake("postgrest", "last: /id, query", "last: /sku, query"),
                Mistake("shopify", "{header: Link, rel: next, host: ignored}", "{header: Link}"),
                Mistake("square", "complete: twice", "past_end: [empty, 404]\n  complete: ranks"),
                Mistake("medusa", "  code: {as: code, about", "  code: {as: text, about"),
                Mistake(
                    "json-files",
                    "rows: [/products, \"\"]",
                    "rows: [\"\", /products]\n  past_end: [empty]\n  more: {at: /more}"
                ), Mistake("json-files", "complete: whole", "complete: twice"),
                Mistake("json-files", "as: text}\n\nfields", "as: text, order: rising}\n\nfields"),
                Mistake("v2b", "  price: {at: /price, as: number}\n", ""),
                Mistake("pretix", "  price: {at: /default_price, as: decimal_text} ", "  #"),
                Mistake("pretix", "as: language_map, language: \"{language}\"}       #", "as: language_map}       #"),
                Mistake(
                    "pretix",
                    "as: language_map, language: \"{language}\"}   #",
                    "as: text, language: \"{language}\"}   #"
                ),
                Mistake(
                    "json-files",
                    "  currency: {at: /price/currency, as: code}\n",
                    "  sale: {at: /sale, as: minor_units}\n"
                ), Mistake("v2b", "one_of: [KRW, USD]", "one_of: [KRW, XXX]"),
                Mistake("v2b", "none: 0", "none: price"),
                Mistake("v2b", "  detail: {path: \"/api/products/{id}\"}\n", ""),
                Mistake("v2b", "  part: images\n", ""), Mistake("v2b", "style: parts ", "style: upload "),
                Mistake("pretix", "write: {at: /picture, one: true}\n", "part: x\n"),
                Mistake("pretix", "style: upload ", "style: attach "),
                Mistake("pretix", "body: raw, answer", "body: parts, answer"),
                Mistake(
                    "pretix",
                    "  upload: {method: POST, path: /api/v1/upload, from: root, body: raw, answer: /id, hours: 24}\n  write: {at: /picture, one: true}\n  read: {at: /picture, one: true}",
                    "  attach: {path: /pictures, body: raw, part: x}\n  read: {at: /pictures}"
                ),
                Mistake(
                    "pretix",
                    "{at: /default_price, as",
                    "{at: /prices, item: {where: /id, is: \"{key}\", value: /price}, as"
                ),
                Mistake("v2b", "  delete_key: {method", "  x: {method"),
                Mistake("v2b", "answer: path}", "success: [201]}"),
                Mistake("v2b", "path: \"/api/products/{delete_key}\"", "path: \"/api/products/{id}\""),
                Mistake("v2b", "proof: delete_key", "proof: update_nothing\n  scope: [secret]"),
                Mistake(
                    "v1b",
                    "update: {method: PATCH, path: \"/item/{id}\", body: parts, send: changed}",
                    "health: {path: /}"
                ),
                Mistake(
                    "v2b",
                    "create: {method: POST, path: /api/products, body: {parts: params}}",
                    "create: {method: DELETE, path: /api/products, send: whole, with: {/a: 1}}"
                ),
                Mistake("v2b", "means: denied}", "means: duplicate}"),
                Mistake(
                    "v2b",
                    "{status: 400, for: [create, update, delete_key], means: denied}",
                    "{status: 201, means: refused}"
                ),
                Mistake(
                    "json-files",
                    "pictures:\n",
                    "limits: {required: [name, images, stock, description]}\npictures:\n"
                ),
                Mistake(
                    "json-files",
                    "identity:\n  id: {at: /sku, as: text}",
                    "operations:\n  create: {method: PUT, path: /p, body: json, with: {/sku: \"{id}\"}}\nidentity:\n"
                        + "  id: {at: /sku, as: text, chosen_by: us}"
                ), Mistake("woocommerce", "find: {query: {sku: \"{key}\"}}", "find: {query: {sku: \"1\"}}"),
                Mistake("woocommerce", "total: {header: X-WP-Total}", "total: {at: /total}"),
                Mistake("woocommerce", "standard: 100, most: 100", "standard: 100, most: 50"),
                Mistake("v2b", "key: none ", "order: rising "),
                Mistake(
                    "v2b",
                    "{at: /discounted_price, means: amount_off}",
                    "{at: /discounted_price, means: compare_at}"
                ),
                Mistake(
                    "pretix",
                    "{at: /original_price, as: decimal_text,",
                    "{write: /original_price, read: [{at: /original_price, means: sale_price}], as: decimal_text,"
                ),
                Mistake("oscar", "value: /price, with: {", "value: /price, with: {/partner: 2, /price/net: 3, "),
                Mistake(
                    "oscar",
                    "where: /partner, is: \"{partner}\", value: /price",
                    "where: \"\", is: 1, value: /price"
                ),
                Mistake("oscar", "value: /price, with", "value: \"\", with"),
                Mistake("oscar", "value: /price, with", "value: /partner, with"),
                Mistake("woocommerce", "for: [create, update]}", "for: [update]}"),
                Mistake(
                    "v2b",
                    "detail: {path: \"/api/products/{id}\"}",
                    "detail: {path: \"/api/products/{id}\", missing: [200]}"
                ),
                Mistake("woocommerce", "{force: \"true\"}}", "{force: \"true\"}, success: [200], missing: [404, 200]}"),
                Mistake("pretix", "success: [201]}", "success: [201], settle: 1h}"),
                Mistake("pretix", "success: [204]}", "success: [204], settle: 60s}"),
                Mistake("pretix", "json, send", "{type: application/x-www-form-urlencoded}, send"),
                Mistake("woocommerce", "read: {at: /images, id: /id,", "read: {at: /images,"),
                Mistake("postgrest", "  past_end: [empty]\n", ""),
            ]
        ),
        (
            "Several at once",
            [
                Mistake(
                    "json-files",
                    "list:\n  path: /products.json\n  page: {by: none}\n",
                    "list:\n  pth: /products.json\n  page: {by: nun}\n  colour: red\n"
                ),
                Mistake(
                    "v2b",
                    "  page: {by: number, param: page_no, first: 1, size: {param: items_per_page, standard: 100, at: /itemsPerPage}}\n",
                    "  page: {by: offset, param: page_no, first: x}\n  totl: 5\n"
                ),
            ]
        ),
    ]

    @Test func `each mistake is named at its place`() throws {
        var text = ""
        for (section, mistakes) in Self.mistakes {
            text += "# \(section)\n"
            for mistake in mistakes {
                let sound = try DescribedMarkets.text(mistake.market)
                let parts = sound.split(separator: mistake.old, maxSplits: 1, omittingEmptySubsequences: false)
                try #require(parts.count == 2, "\(mistake.old) is in \(mistake.market)")
                let spoilt = parts.joined(separator: mistake.new)
                text += "\n\(mistake.market): \(mistake.old.debugDescription) -> \(mistake.new.debugDescription)\n"
                let loaded = MarketDescriptionLoader.load(Array(spoilt.utf8))
                #expect(loaded.description == nil, "\(mistake)")
                for fault in loaded.faults { text += "  \(fault)\n" }
            }
            text += "\n"
        }
        expectGolden(text.utf8, "faults.txt")
    }

    @Test func `a document has a greatest size`() throws {
        let sound = try DescribedMarkets.text("json-files")
        let room = MarketLanguage.longestDocument - sound.utf8.count - 3
        let full = "# " + String(repeating: "x", count: room) + "\n" + sound
        #expect(MarketDescriptionLoader.load(Array(full.utf8)).faults == [])
        #expect(
            MarketDescriptionLoader.load(Array(("#" + full).utf8)).faults.map(\.message) == [
                "a description has at most 64 KiB, and this one is longer"
            ]
        )
    }

    @Test func `the digest is that of the document's bytes`() throws {
        let sound = try DescribedMarkets.document("json-files")
        let digest = MarketDescriptionLoader.load(sound).digest
        #expect(digest == MarketDescriptionLoader.load(sound).digest)
        let commented = MarketDescriptionLoader.load(sound + Array("# x\n".utf8))
        #expect(commented.digest != digest)
        #expect(commented.description == MarketDescriptionLoader.load(sound).description)
    }
}
