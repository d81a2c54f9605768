import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import NIOCore
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

struct V2Tests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    static let lamp = #"""
        {"name":"Desk lamp","description":"Warm light,\ntwo \"arms\".","descriptions":"v2a text","price":60000000,"currency":"KRW",
        "discounted_price":18000000,"stock":99999999999,"secret":"example-secret","discountedPrice":5}
        """#

    @Test func `v2b answers a create with 201 and the product in detail`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let form = Form().params(Self.lamp).image(fileName: "a.JPG").image(fileName: "b")
            let reply = try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0])
            #expect(reply.status == 201)
            #expect(reply.contentType == "application/json")
            let folder = "http://localhost/training-resources/29/20221115/<hex>"
            #expect(
                masked(reply.body) == #"""
                    {"id":1,"vendor_id":29,"name":"Desk lamp","description":"Warm light,\ntwo \"arms\".",\#
                    "thumbnail":"\#(folder)_thumb.JPG","currency":"KRW","price":6.0E7,"bargain_price":4.2E7,\#
                    "discounted_price":1.8E7,"stock":99999999999,"created_at":"2022-11-15T00:00:00",\#
                    "issued_at":"2022-11-15T00:00:00","images":[{"id":1,"url":"\#(folder)_origin.JPG",\#
                    "thumbnail_url":"\#(folder)_thumb.JPG","issued_at":"2022-11-15T00:00:00"},{"id":2,\#
                    "url":"\#(folder)_origin","thumbnail_url":"\#(folder)_thumb","issued_at":"2022-11-15T00:00:00"}],\#
                    "vendors":{"id":29,"name":"example"}}
                    """#
            )
            #expect(try await talk.get("/api/products/1/").body == reply.body)
            #expect(try await talk.get("//api//products/1").body == reply.body)
        }
    }

    @Test func `v2a answers in its own keys and dates`() async throws {
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            let form = Form().image(fileName: "a.png").params(Self.lamp)
            let reply = try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0])
            #expect(reply.status == 200)
            let folder = "http://localhost/training-resources/29"
            #expect(
                masked(reply.body) == #"""
                    {"id":1,"vendor_id":29,"name":"Desk lamp","description":"v2a text",\#
                    "thumbnail":"\#(folder)/thumb/<hex>.png","currency":"KRW","price":6.0E7,"bargain_price":4.2E7,\#
                    "discounted_price":1.8E7,"stock":99999999999,"created_at":"2022-11-15T00:00:00.00",\#
                    "issued_at":"2022-11-15T00:00:00.00","images":[{"id":1,"url":"\#(folder)/origin/<hex>.png",\#
                    "thumbnail_url":"\#(folder)/thumb/<hex>.png","succeed":true,\#
                    "issued_at":"2022-11-15T00:00:00.00"}],"vendors":{"name":"example","id":29,\#
                    "created_at":"2022-11-15T00:00:00.00","issued_at":"2022-11-15T00:00:00.00"}}
                    """#
            )
        }
    }

    @Test func `the list of v2b pages in camel case, newest first, and ends with 204`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let empty = try await talk.get("/api/products").body
            #expect(
                empty
                    == #"{"pageNo":1,"itemsPerPage":10,"totalCount":0,"offset":0,"limit":10,"lastPage":0,"#
                    + #""hasNext":false,"hasPrev":false,"pages":[]}"#
            )
            for name in ["one", "two", "three"] {
                try await talk.product(#"{"name":"\#(name)","price":0.75,"currency":"USD","secret":"example-secret"}"#)
            }
            let page = try await talk.get("/api/products?page_no=2&items_per_page=2")
            #expect(
                masked(page.body) == #"""
                    {"pageNo":2,"itemsPerPage":2,"totalCount":3,"offset":2,"limit":4,"lastPage":2,"hasNext":false,\#
                    "hasPrev":true,"pages":[{"id":1,"vendor_id":29,"vendorName":"example","name":"one",\#
                    "description":"","thumbnail":"http://localhost/training-resources/29/20221115/<hex>_thumb.jpeg",\#
                    "currency":"USD","price":0.75,"bargain_price":0.75,"discounted_price":0.0,"stock":0,\#
                    "created_at":"2022-11-15T00:00:00","issued_at":"2022-11-15T00:00:00"}]}
                    """#
            )
            #expect(try await talk.get("/api/products?page_no=3&items_per_page=2") == .init(204, nil, ""))
            #expect(try await talk.get("/api/products?page_no=x").status == 400)
        }
    }

    @Test func `the list of v2a pages in snake case, without texts and vendor names`() async throws {
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            try await talk.product()
            let page = try await talk.get("/api/products?page_no=1&items_per_page=1&search_value=nothing")
            #expect(
                masked(page.body) == #"""
                    {"page_no":1,"items_per_page":1,"total_count":1,"offset":0,"limit":1,"last_page":1,"has_next":false,\#
                    "has_prev":false,"pages":[{"id":1,"vendor_id":29,"name":"Desk lamp",\#
                    "thumbnail":"http://localhost/training-resources/29/thumb/<hex>.jpeg","currency":"KRW",\#
                    "price":3500.0,"bargain_price":3500.0,"discounted_price":0.0,"stock":0,\#
                    "created_at":"2022-11-15T00:00:00.00","issued_at":"2022-11-15T00:00:00.00"}]}
                    """#
            )
        }
    }

    @Test func `a search on v2b finds parts of the product's and of the vendor's name`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            for name in ["책상 조명 100%", "Desk lamp", "Chair"] {
                try await talk.product(#"{"name":"\#(name)","secret":"other-secret"}"#, vendor: Fixture.vendors[1])
            }
            try await talk.product(#"{"name":"Other","secret":"example-secret"}"#)
            func found(_ search: String) async throws -> [Int64] {
                let reply = try await talk.get("/api/products?search_value=\(search)")
                return (reply.json["pages"]?.elements ?? []).map { $0["id"]?.integer ?? -1 }
            }
            #expect(try await found("desk+lamp") == [2])
            #expect(try await found("%EC%A1%B0%EB%AA%85") == [1])
            #expect(try await found("%25") == [1])
            #expect(try await found("oTHe") == [4, 3, 2, 1])
            #expect(try await found("_") == [])
            #expect(try await found("absent") == [])
            #expect(try await found(String(repeating: "a", count: 1024)) == [])
            let long = try await talk.get("/api/products?search_value=" + String(repeating: "a", count: 1025))
            #expect(
                long
                    == .init(
                        400,
                        "application/json",
                        #"{"code":400,"message":"'search_value' has more than 1024 bytes"}"#
                    )
            )
        }
    }

    @Test func `a text that is too long is refused, strict or not`() async throws {
        try await fixture.serve(fixture.configuration(.v2a, .v1a)) { talk async throws in
            try await talk.product()
            try await talk.item()
            for (field, v1Field, limit) in [
                ("name", "title", 4096), ("currency", "currency", 4096), ("descriptions", "descriptions", 65_536),
            ] {
                for (count, status) in [(limit, 200), (limit + 1, 400)] {
                    let text = String(repeating: "a", count: count)
                    let json = #"{"\#(field)":"\#(text)","secret":"example-secret"}"#
                    let edited = try await talk.json(.patch, "/api/products/1", json)
                    #expect(edited.status == status, "\(field)")
                    let form = Form.item().field(v1Field, text).image("images[]")
                    let made = try await talk.form(.post, "/item", form)
                    #expect(made.status == status, "\(v1Field)")
                    guard status == 400 else { continue }
                    #expect(edited.body == #"{"code":400,"message":"'\#(field)' has more than \#(limit) bytes"}"#)
                    #expect(made.body == #"{"error":true,"reason":"'\#(v1Field)' has more than \#(limit) bytes."}"#)
                }
            }
            let unknown = Form.item().field("unknown", String(repeating: "a", count: 100_000)).image("images[]")
            #expect(try await talk.form(.post, "/item", unknown).status == 200)
        }
    }

    @Test func `an edit changes what is sent and nothing else`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let form = Form().params(Self.lamp).image(fileName: "a.jpg").image(fileName: "b.png")
            let made = try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0])
            fixture.clock.advance(86_400)
            let edited = try await talk.json(
                .patch,
                "/api/products/1",
                #"{"price":3200.50,"discounted_price":5000,"stock":3,"thumbnail_id":2,"product_id":9,"secret":"example-secret"}"#
            )
            #expect(edited.status == 200)
            var expected = made.json
            expected["price"] = .number(ExactDecimal("3200.5") ?? .zero)
            expected["discounted_price"] = .number(5000)
            expected["bargain_price"] = .number(ExactDecimal("-1799.5") ?? .zero)
            expected["stock"] = .number(3)
            expected["issued_at"] = .string("2022-11-16T00:00:00")
            expected["thumbnail"] = try #require(made.json["images"]?.elements)[1]["thumbnail_url"]
            #expect(edited.json == expected)
            #expect(edited.body.contains(#""price":3200.5,"bargain_price":-1799.5,"discounted_price":5000.0"#))
            #expect(try await talk.get("/api/products/1").body == edited.body)
        }
    }

    @Test func `members that the API does not know may say anything, and of one that comes twice the last counts`()
        async throws
    {
        try await fixture.serve(fixture.configuration(.v2b, .v1b)) { talk async throws in
            let known = #""name":"a","price":1,"currency":"KRW","secret":"example-secret""#
            for more in [
                #""barcode":88012345678901234567"#, #""weight":1e-30"#, #""deep":[{"x":[1e40]}]"#, #""name":"a""#,
            ] {
                let made = try await talk.form(
                    .post,
                    "/api/products",
                    Form().params("{\(known),\(more)}").image(),
                    vendor: Fixture.vendors[0]
                )
                #expect(made.status == 201 && made.json["name"] == .string("a"), "\(more): \(made)")
            }
            let twice = try await talk.json(
                .patch,
                "/api/products/1",
                #"{"stock":1,"secret":"wrong",\#(known),"name":"b"}"#
            )
            #expect(twice.json["name"] == .string("b"))
            for (body, words) in [
                (#"{\#(known),"price":1e40}"#, "'price' is a number out of range"),
                (#"{\#(known),"name":[]}"#, "'name' is not a text"), (#"{\#(known),}"#, "JSON parse error"),
                (#"{\#(known),"deep":"# + Self.nested(65) + "}", "JSON parse error"), ("[]", "JSON parse error"),
            ] {
                let refused = try await talk.json(.patch, "/api/products/1", body)
                #expect(refused.status == 400 && refused.body.contains(words), "\(refused)")
            }
            let item = try await talk.item()
            let deleted = try await talk.json(.delete, "/item/\(item)", #"{"id":1e40,"password":"example-pass"}"#)
            #expect(deleted.status == 200)
        }
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `empty texts for numbers come back as null, and missing texts as empty ones`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            try await talk.product(#"{"price":"","discounted_price":"","stock":"","secret":"example-secret"}"#)
            let body = try await talk.get("/api/products/1").body
            #expect(body.contains(#""name":"","description":"","#))
            #expect(
                body.contains(
                    #""currency":null,"price":null,"bargain_price":null,"discounted_price":null,"stock":null"#
                )
            )
        }
    }

    @Test(arguments: [ServedProfile.v2a, .v2b])
    func `pictures come back byte for byte until the product is deleted`(profile: ServedProfile) async throws {
        try await fixture.serve(fixture.configuration(profile)) { talk async throws in
            let id = try await talk.product()
            let detail = try await talk.get("/api/products/\(id)").body
            let paths = detail.matches(of: /"http:\/\/localhost([^"]+)"/).map { String($0.output.1) }
            #expect(paths.count == 3)
            for path in paths {
                try await talk.client.execute(uri: path, method: .get) { response in
                    #expect(response.status == .ok)
                    #expect(response.headers[.contentType] == "image/jpeg")
                    #expect(Array(response.body.readableBytesView) == Form.jpeg)
                }
            }
            try await delete(id, profile, talk)
            for path in paths { #expect(try await talk.get(path).status == 404) }
            #expect(try filesUnder(fixture.folder.path + "/images") == [])
        }
    }

    private func filesUnder(_ path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains("/") }
    }

    private func delete(_ id: Int64, _ profile: ServedProfile, _ talk: Talk) async throws {
        let step = profile == .v2a ? "secret" : "archived"
        let key = try await talk.json(.post, "/api/products/\(id)/\(step)", #"{"secret":"example-secret"}"#).body
        let path = profile == .v2a ? "/api/products/\(id)/\(key)" : key
        #expect(try await talk.json(.delete, path, "").json.id == id)
    }

    @Test func `v2a deletes with a bare UUID`() async throws {
        try await fixture.serve(fixture.configuration(.v2a)) { talk async throws in
            try await talk.product()
            let product = try await talk.get("/api/products/1").body
            let key = try await talk.json(.post, "/api/products/1/secret", #"{"secret":"example-secret"}"#)
            #expect(key.status == 200)
            #expect(key.contentType == "text/plain;charset=UTF-8")
            #expect(masked(key.body) == "<uuid>")
            #expect(try await talk.json(.post, "/api/products/1/secret", #"{"secret":"example-secret"}"#) == key)
            #expect(
                try await talk.json(.post, "/api/products/1/archived", #"{"secret":"example-secret"}"#).status == 404
            )
            #expect(try await talk.json(.delete, "/api/products/1/example-secret", "").status == 400)
            #expect(try await talk.json(.delete, "/api/products/1/\(key.body)", "", vendor: nil).status == 400)
            let other = Fixture.vendors[1]
            #expect(try await talk.json(.delete, "/api/products/1/\(key.body)", "", vendor: other).status == 400)
            let deleted = try await talk.json(.delete, "/api/products/1/\(key.body)", "")
            #expect(deleted == .init(200, "application/json", product))
            #expect(try await talk.json(.delete, "/api/products/1/\(key.body)", "").status == 404)
            #expect(try await talk.get("/api/products/1").status == 404)
        }
    }

    @Test func `rule 12: v2a takes the bare secret, but for strict`() async throws {
        for isStrict in [false, true] {
            try await fixture.serve(fixture.configuration(.v2a, isStrict: isStrict)) { talk async throws in
                if !isStrict { try await talk.product() }
                let bare = try await talk.json(.post, "/api/products/1/secret", #""example-secret""#)
                let usual = try await talk.json(.post, "/api/products/1/secret", #"{"secret":"example-secret"}"#)
                #expect(usual.status == 200)
                #expect(isStrict ? bare.status == 400 : bare == usual)
                #expect(try await talk.json(.post, "/api/products/1/secret", #""wrong""#).status == 400)
                #expect(try await talk.json(.patch, "/api/products/1", #""example-secret""#).status == 400)
            }
        }
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            try await talk.product()
            #expect(try await talk.json(.post, "/api/products/2/archived", #""example-secret""#).status == 400)
        }
    }

    @Test func `v2b deletes with the path that archived answers`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            try await talk.product()
            let product = try await talk.get("/api/products/1").body
            let path = try await talk.json(.post, "/api/products/1/archived", #"{"secret":"example-secret"}"#)
            #expect(path.contentType == "text/plain;charset=UTF-8")
            let token = try #require(path.body.wholeMatch(of: /\/api\/products\/([A-Za-z0-9+\/]+=*)/)).output.1
            let decoded = try #require(Data(base64Encoded: String(token)))
            #expect(masked(String(decoding: decoded, as: UTF8.self)) == "1|<uuid>")
            #expect(try await talk.json(.delete, "/api/products/1", "").status == 400)
            #expect(try await talk.json(.delete, "/api/products//api/products/\(token)", "").status == 404)
            #expect(try await talk.json(.delete, path.body, "", vendor: nil).status == 400)
            let escaped = path.body.replacing("=", with: "%3D")
            #expect(try await talk.json(.delete, escaped, "") == .init(200, "application/json", product))
            #expect(try await talk.json(.delete, path.body, "").status == 404)
        }
    }

    @Test func `wrong credentials are answered with 400 that names them`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let id = try await talk.product()
            let own = #"{"secret":"example-secret"}"#
            let stranger = Vendor(name: "", identifier: "stranger", secret: Secret(""))
            for (vendor, body) in [
                (nil, own), (stranger, own), (Fixture.vendors[1], own), (Fixture.vendors[0], #"{"secret":"wrong"}"#),
                (Fixture.vendors[0], "{}"),
            ] as [(Vendor?, String)] {
                for reply in [
                    try await talk.form(.post, "/api/products", Form().params(body).image(), vendor: vendor),
                    try await talk.json(.patch, "/api/products/\(id)", body, vendor: vendor),
                    try await talk.json(.post, "/api/products/\(id)/archived", body, vendor: vendor),
                ] {
                    #expect(reply.status == 400)
                    #expect(reply.body == #"{"code":400,"message":"the identifier or secret is missing or wrong"}"#)
                }
            }
            let other = #"{"secret":"other-secret"}"#
            let foreign = try await talk.json(.patch, "/api/products/\(id)", other, vendor: Fixture.vendors[1])
            #expect(foreign.body == #"{"code":400,"message":"not your product"}"#)
            #expect(try await talk.json(.patch, "/api/products/77", own).status == 404)
        }
    }

    @Test func `a form that is not one is answered with 400 in Spring's words`() async throws {
        try await fixture.serve(fixture.configuration(.v2b)) { talk async throws in
            let json = #"{"name":"Desk lamp","secret":"example-secret"}"#
            for (form, words) in [
                (Form().params(json), "MissingServletRequestPartException: Required request part 'images'"),
                (Form().image(), "MissingServletRequestPartException: Required request part 'params'"),
                (
                    Form().params(json).image("images[]"),
                    "MissingServletRequestPartException: Required request part 'images'"
                ),
                (Form().field("name", "Desk lamp").image(), "MissingServletRequestPartException"),
                (Form().params("{\"name\":\"raw\nline\"}").image(), "JSON parse error"),
                (Form().params(json).image(bytes: []), "an image is empty"),
            ] {
                let reply = try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0])
                #expect(reply.status == 400)
                #expect(reply.body.contains(words), "\(reply)")
            }
            let cut = Array(Form().params(json).image().bytes.dropLast(6))
            for (type, body) in [
                ("multipart/form-data; boundary=B4", cut), ("multipart/form-data; boundary=other", cut),
                ("multipart/form-data", cut), ("application/json", Array(json.utf8)),
            ] {
                let headers: HTTPFields = [.contentType: type, .identifier: Fixture.vendors[0].identifier]
                #expect(try await talk.send(.post, "/api/products", headers: headers, body: body).status == 400)
            }
            let list = try await talk.send(.get, "/api/products", headers: [.contentType: "multipart/form-data"])
            #expect(list.status == 400)
            #expect(try await talk.get("/api/products").json["totalCount"] == .number(0))
        }
    }

    @Test func `strict enforces the documented limits`() async throws {
        try await fixture.serve(fixture.configuration(.v2b, isStrict: true)) { talk async throws in
            func made(_ change: (String, String), images: Int = 1, bytes: [UInt8] = Form.jpeg) async throws -> String {
                var json =
                    #"{"name":"Desk lamp","description":"Warm light, two arms.","price":3500,"currency":"KRW","#
                    + #""discounted_price":500,"stock":1,"secret":"example-secret"}"#
                json = json.replacing(change.0, with: change.1)
                var form = Form().params(json)
                for _ in 0..<images { form = form.image(bytes: bytes) }
                let reply = try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0])
                return reply.status == 201 ? "" : "\(reply.status) \(reply.body)"
            }
            #expect(try await made(("", "")) == "")
            #expect(
                try await made(("Desk lamp", "De"))
                    == #"400 {"code":400,"message":"the name must have 3-100 characters"}"#
            )
            #expect(try await made(("Warm light, two arms.", "")).contains("10-1000"))
            #expect(try await made(("3500", "-1")).contains("the price"))
            #expect(try await made((#""price":3500,"#, "")).contains("the price"))
            #expect(try await made(("KRW", "JPY")).contains("KRW or USD"))
            #expect(try await made((":500", ":3501")).contains("the discounted price"))
            #expect(try await made((#""stock":1"#, #""stock":-1"#)).contains("the stock"))
            #expect(try await made(("", ""), images: 6).contains("1-5 images"))
            #expect(try await made(("", ""), bytes: Array("GIF89a".utf8)).contains("JPEG or a PNG"))
            let large = Form.jpeg + [UInt8](repeating: 7, count: 300_000)
            #expect(try await made(("", ""), bytes: large).contains("fewer than 300000 bytes"))
        }
    }

    @Test func `a body over the limit is answered with 413`() async throws {
        try await fixture.serve(fixture.configuration(.v2b, .v1b, bodyLimit: 1000)) { talk async throws in
            let large = [UInt8](repeating: 7, count: 1000)
            let form = Form().params("{}").image(bytes: large)
            #expect(try await talk.form(.post, "/api/products", form, vendor: Fixture.vendors[0]).status == 413)
            #expect(try await talk.form(.post, "/item", Form.item().image("images[]", bytes: large)).status == 413)
        }
    }

    @Test(arguments: [ServedProfile.v2a, .v2b])
    func `the health check says OK in quotes`(profile: ServedProfile) async throws {
        try await fixture.serve(fixture.configuration(profile)) { talk async throws in
            let reply = try await talk.get("/healthChecker")
            #expect(reply == .init(200, "text/plain;charset=UTF-8", "\"OK\""))
        }
    }
}
