import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Synchronization
import Testing
@testable import OpenMarketClient

/// What described markets are sent, to the byte.
struct DescribedRequestTests {
    private let folder: PictureFolder
    private let pictures: [Picture]
    private let lamp = ProductValues(
        name: "Desk \"lamp\" / 책상",
        description: "Warm light,\ntwo arms & more",
        price: ExactDecimal("35.5"),
        currency: .usd,
        sale: .price(ExactDecimal("31.25")!),
        stock: 12
    )

    init() throws {
        folder = try PictureFolder()
        pictures = [try folder.picture("lamp.jpg", jpeg), try folder.picture("옆 \"2\".png", png, format: .png)]
    }

    /// A market with the product that it shows, and what fills its description.
    private struct Described {
        var name: String
        var document: String
        var parameters: [String: String] = [:]
        var shown: String
    }

    private static func example(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("examples/markets/\(name).market.yaml")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    static let list = "list: {path: /products, page: {by: none}, rows: /rows, complete: never}"

    /// Prices and stocks in an array, of which one element is ours.
    static let records = """
        market: 1
        name: records
        base: /api
        parameters: {partner: {as: text}, currency: {as: code}}
        auth: [{header: {name: Authorization, prefix: "Token ", value: secret, for: all}}]
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /upc, unique: enforced, find: {query: {upc: "{key}"}}, characters: 64}
        fields:
          name: {at: /title}
          description: {at: /description, unset: null}
          price:
            at: /stockrecords
            item:
              where: /partner
              is: "{partner}"
              value: /price
              with: {/partner_sku: "{key}", /price_currency: "{currency}"}
            as: decimal_text
          currency: {fixed: "{currency}"}
          stock: {at: /stockrecords, item: {where: /partner, is: "{partner}", value: /num_in_stock}, as: integer}
        \(list)
        operations:
          detail: {path: "/products/{id}/"}
          create: {method: POST, path: /products/, body: json, with: {/structure: standalone, /is_public: true}, success: [201]}
          update: {method: PATCH, path: "/products/{id}/", body: json, headers: {Prefer: "return=representation"}}
          delete: {method: DELETE, path: "/products/{id}/", success: [204]}
        """

    /// A form with names inside of names, smallest units, an amount off, and pictures in Base64.
    static let forms = """
        market: 1
        name: forms
        parameters: {channel: {as: slug}}
        auth: [{field: {at: /auth/token, value: secret}}, {basic: {user: identifier, for: all}}]
        identity: {id: {at: /id, as: text}, repeat: {header: Idempotency-Key, hours: 24, replays: errors, for: [create]}}
        fields:
          name: {at: /product/name}
          description: {at: /product/description, for: [create]}
          price: {at: "/prices/{channel}/amount", as: minor_units, with: {/prices/active: true}}
          currency: {at: "/prices/{channel}/currency", as: code, case: lower}
          sale: {at: /product/off, as: minor_units, means: amount_off, none: 0}
          stock: {at: /product/stock, as: integer}
        pictures: {style: base64, write: {at: /pictures, new: /attachment}, read: {at: /pictures, url: /url}, change: in_place, clear: ""}
        \(list)
        operations:
          detail: {path: "/products/{id}"}
          create: {method: POST, path: /products, body: form, with: {/product/rank: 3}, query: {expand: [a b, "{channel}"]}}
          update: {method: POST, path: "/products/{id}", body: form}
          delete: {method: POST, path: "/products/{id}/delete", body: form}
        """

    /// One document type around everything, changes as a whole, and a version that is sent back.
    static let whole = """
        market: 1
        name: whole
        auth: [{bearer: {value: secret, for: all}}]
        identity: {id: {at: /id, as: text}, key: {at: /attributes/sku, unique: racy, for: [create, update]}}
        fields:
          name: {at: /attributes/title}
          description: {at: /attributes/body, unset: null}
          price: {at: /attributes/price, as: number}
          currency: {at: /attributes/currency, as: code}
          sale: {at: /attributes/was, as: number, means: compare_at, none: null}
          stock: {at: /attributes/stock, as: integer, unset: -1}
        pictures:
          style: upload
          upload: {path: /files, from: root, body: parts, part: file, answer: /data/id, as: integer}
          write: {at: /attributes/media, new: /file, kept: /id}
          read: {at: /attributes/media, id: /id, url: /url}
          change: in_place
          clear: "[]"
        list: {path: /products, page: {by: none}, rows: /data, complete: never}
        operations:
          detail: {path: "/products/{id}", product: /data}
          create: {method: POST, path: /products, body: {type: application/vnd.api+json, inside: /data}, with: {/type: products}, product: /data}
          update:
            method: PUT
            path: "/products/{id}"
            body: {type: application/vnd.api+json, inside: /data}
            send: whole
            keep: [/meta/version]
            with: {/type: products, /id: "{id}"}
            product: /data
          delete: {method: DELETE, path: /products, query: {"filter[id]": "{id}"}}
        """

    /// Ids that we choose, changes of all that was read, pictures added to the product.
    static let chosen = """
        market: 1
        name: chosen
        auth: [{field: {at: /key, value: secret, for: [attach]}}]
        identity: {id: {at: /code, as: text, chosen_by: us}}
        fields:
          name: {at: /translations, item: {where: /locale, is: ko, value: /name}}
          price: {at: /variants/0/price, as: whole}
          sale: {at: /variants/0/sale, as: decimal_text, means: sale_price, none: price}
        pictures: {style: attach, attach: {path: "/products/{id}/images", body: parts, part: image}, read: {at: /images}, change: replace}
        \(list)
        operations:
          detail: {path: "/products/{id}"}
          create: {method: PUT, path: "/products/{id}", body: json, with: {/code: "{id}"}, answer: id, hidden: {/enabled: false}}
          update: {method: PUT, path: "/products/{id}", body: json, send: merged, answer: id}
        """

    /// Names in other spellings than the file's, a zero as a text, an element that a text distinguishes, a key of creates alone.
    static let spelled = """
        market: 1
        name: spelled
        names: loose
        identity: {id: {at: /id, as: integer}, key: {at: /sku, unique: racy, for: [create]}}
        fields:
          name: {at: /name}
          price: {at: /price, as: decimal_text}
          sale: {at: /sale, as: decimal_text, means: sale_price, none: 0}
          stock: {at: /stores, item: {where: /store, is: "1", value: /count, with: {/store: "1"}}, as: integer}
        \(list)
        operations:
          detail: {path: "/products/{id}", product: /data}
          create: {method: POST, path: /products, body: json}
          update: {method: PUT, path: "/products/{id}", body: json, send: whole, keep: [/version]}
          delete: {method: DELETE, path: "/products/{id}"}
        """

    private func described() throws -> [Described] {
        [
            Described(
                name: "spelled",
                document: Self.spelled,
                shown: """
                    {"Data":{"ID":193,"SKU":"old","Name":"Lamp","_price":"1","Price":"35.50","Sale":"0.00","Version":4,\
                    "Stores":[{"Store":1,"Count":7},{"Store":"1","Count":9}]}}
                    """
            ),
            Described(
                name: "pretix",
                document: try Self.example("pretix"),
                parameters: ["organizer": "o", "event": "e-1", "language": "ko", "currency": "USD"],
                shown: """
                    {"id":193,"internal_name":"lamp","name":{"en":"Lamp","ko":"등"},"description":{"en":"Warm"},\
                    "default_price":"31.25","original_price":"35.50","picture":null}
                    """
            ),
            Described(
                name: "woocommerce",
                document: try Self.example("woocommerce"),
                parameters: ["currency": "USD"],
                shown: #"{"id":193,"type":"simple","name":"Lamp"}"#
            ),
            Described(
                name: "records",
                document: Self.records,
                parameters: ["partner": "http://shop.example/api/partners/1/", "currency": "USD"],
                shown: """
                    {"id":193,"title":"Lamp","stockrecords":[{"partner":"http://shop.example/api/partners/2/","price":"1.00"},\
                    {"id":5,"partner":"http://shop.example/api/partners/1/","price":"35.50","num_in_stock":3,"low":null}]}
                    """
            ),
            Described(name: "forms", document: Self.forms, parameters: ["channel": "7"], shown: #"{"id":"p/1"}"#),
            Described(
                name: "whole",
                document: Self.whole,
                shown: """
                    {"data":{"type":"products","id":"p/1","attributes":{"sku":"old","title":"Lamp","body":null,"price":31.25,"was":35.5,\
                    "currency":"USD","stock":3,"media":[{"id":8,"url":"/8.png"}]},"meta":{"version":1e400,"by":"us"}}}
                    """
            ),
            Described(
                name: "chosen",
                document: Self.chosen,
                shown: """
                    {"code":"p/1","enabled":true,"images":[],"translations":[{"locale":"en","name":"Lamp"}],\
                    "variants":[{"id":"v","price":40,"sale":"40"}]}
                    """
            ),
        ]
    }

    private func writes(_ market: String, _ profile: MarketProfile) -> [(String, WriteRequest)] {
        let id: MarketID = profile.capabilities.idKind == .text ? .text("p/1") : MarketID(193)
        let isChosen = market == "chosen"
        var pictures = pictures
        if market == "woocommerce" {
            // The market fetches them itself.
            pictures[0].address = "https://pictures.example/lamp.jpg"
            pictures[1].address = "https://pictures.example/2.png"
        }
        var lamp = lamp
        if isChosen { (lamp.price, lamp.sale) = (35, .price(ExactDecimal("31.25")!)) }
        func update(_ fields: Set<ProductField>, _ change: (inout ProductValues) -> Void = { _ in }) -> WriteRequest {
            var desired = lamp
            change(&desired)
            return WriteRequest(.update(id, ProductUpdate(changed: fields, desired: desired, live: lamp)))
        }
        var create = WriteRequest(.create(lamp, pictures: market == "pretix" ? [pictures[1]] : pictures))
        create.key = "lamp"
        create.idempotencyKey = "0123456789abcdef"
        create.references =
            switch market {
            case "whole": ["7", "9"]
            case "woocommerce": []
            default: ["file:aa-bb", "file:cc-dd"]
            }
        var plain = lamp
        plain.sale = .fullPrice
        var bare = WriteRequest(.create(plain, pictures: []))
        bare.key = "key\r\nX: \"y\""
        var images = update([.images])
        if case .update(let id, var changed) = images.kind {
            changed.pictures = [pictures[1]]
            images = WriteRequest(.update(id, changed))
            images.references = Array(create.references.prefix(1))
        }
        var added = images
        if case .update(let id, var changed) = added.kind {
            changed.pictures = pictures
            changed.keptPictures = [1: MarketID(8)]
            added.kind = .update(id, changed)
        }
        var renamed = update([])
        if case .update(let id, var changed) = renamed.kind {
            changed.changesKey = true
            renamed.kind = .update(id, changed)
            renamed.key = "floor-lamp"
        }
        return [
            ("create", create), ("create without a sale", bare),
            ("update name", update([.name]) { $0.name = "Floor lamp" }),
            ("update price", update([.price]) { $0.price = isChosen ? 50 : ExactDecimal("49.9") }),
            ("update price, sale not managed", update([.price]) { ($0.price, $0.sale) = (40, nil) }),
            ("end sale", update([.salePrice]) { $0.sale = .fullPrice }),
            (
                "update stock, clear description",
                update([.stock, .description]) { ($0.stock, $0.description) = (0, "") }
            ),
            ("update images", images), ("keep an image", added), ("clear images", update([.images])),
            ("another key", renamed),
            ("upload", WriteRequest(.upload(pictures[1]))),
            ("attach", WriteRequest(.attach(id, pictures[0]))), ("delete", WriteRequest(.delete(id, key: nil))),
        ]
    }

    @Test func `described markets are sent exactly the recorded requests`() async throws {
        for market in try described() {
            let profile = try MarketProfile(document: Array(market.document.utf8), parameters: market.parameters)
            let isNew = Mutex(false)
            let transport = InProcessMarket { request in
                guard request.method == "GET" else { return .reply(422, #"{"message":"not today"}"#) }
                return isNew.withLock(\.self) ? .reply(404, "{}") : .reply(200, market.shown)
            }
            var text: [UInt8] = []
            try await withMarket(inProcess: transport, profile) { client in
                for (name, write) in writes(market.name, profile) {
                    text += "# \(name)\n".utf8
                    let before = transport.requests.count
                    isNew.withLock { if case .create = write.kind { $0 = true } else { $0 = false } }
                    let outcome = await client.perform(write)
                    for request in transport.requests[before...] {
                        text += "\n\(request.method) \(request.path)\n".utf8
                        for header in request.headers { text += "\(header)\n".utf8 }
                        if let type = request.contentType {
                            text += "Content-Type: \(type)\n\n".utf8 + request.body + "\n".utf8
                        }
                    }
                    if case .refused(let refusal) = outcome, refusal.status == 0 {
                        text += "\nrefused: \(refusal.message)\n".utf8
                        // A dry run shows what could be sent, and says the same of what could not.
                    } else {
                        let shown = try client.describe(write)
                        #expect(!shown.maskedLines.joined().contains("example=&#$secret"))
                    }
                    text += "\n".utf8
                }
            }
            expectGolden(text, "described-\(market.name).http")
        }
    }

    @Test(arguments: ["changed", "whole", "merged"])
    func `a value that is taken away is sent as what unset names`(send: String) async throws {
        let document = """
            market: 1
            name: taking
            identity: {id: {at: /id, as: integer, order: rising}}
            fields:
              name: {at: /name}
              description: {at: /text, unset: null}
              price: {at: /price, as: decimal_text, unset: ""}
              stock: {at: /stock, as: integer, unset: -1}
            \(Self.list)
            operations:
              detail: {path: "/products/{id}"}
              update: {method: PATCH, path: "/products/{id}", body: json, send: \(send)}
            """
        let transport = InProcessMarket { _ in
            .reply(200, #"{"id":193,"name":"Lamp","text":"Warm","price":"5","stock":3}"#)
        }
        let live = ProductValues(name: "Lamp", description: "Warm", price: 5, stock: 3)
        let forms: [(field: ProductField, member: String, form: JSONValue)] = [
            (.description, "text", .null), (.price, "price", .string("")), (.stock, "stock", .integer(-1)),
        ]
        try await withMarket(inProcess: transport, MarketProfile(document: Array(document.utf8), parameters: [:])) {
            client in
            for (field, member, form) in forms {
                var desired = live
                desired[field] = nil
                let update = ProductUpdate(changed: [field], desired: desired, live: live)
                _ = await client.perform(WriteRequest(.update(MarketID(193), update)))
                let body = try JSONValue.parse(Array(try #require(transport.requests.last).body))
                #expect(body.members?.first { $0.name == member }?.value == form, "\(field): \(body)")
                if send == "changed" { #expect(body.members?.count == 1) }
            }
        }
    }
}
