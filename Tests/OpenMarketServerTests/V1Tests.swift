import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import NIOCore
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

struct V1Tests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    static let html =
        "<!DOCTYPE html>\n<html><head><title>Application Error</title></head>"
        + "<body><h1>Application Error</h1></body></html>\n"

    @Test(arguments: [ServedProfile.v1a, .v1b])
    func `a new item is answered with 200 and in full`(profile: ServedProfile) async throws {
        try await fixture.serve(fixture.configuration(profile)) { talk async throws in
            let form = Form.item().field("discounted_price", "35000").field("discountedPrice", "1")
                .image("images[]").image("images[]", fileName: "same.gif")
            let reply = try await talk.form(.post, "/item/", form)
            #expect(reply.status == 200)
            #expect(reply.contentType == "application/json; charset=utf-8")
            #expect(
                masked(reply.body) == #"""
                    {"id":1,"title":"Desk lamp","descriptions":"Warm light.","price":37000,"currency":"KRW","stock":129,\#
                    "discounted_price":35000,"thumbnails":["http://localhost/thumbnails/<UUID>.png",\#
                    "http://localhost/thumbnails/<UUID>.png"],"images":["http://localhost/images/<UUID>.png",\#
                    "http://localhost/images/<UUID>.png"],"registration_date":1668499200.25}
                    """#
            )
            #expect(try await talk.get("/item/1").body == reply.body)
            for path in reply.body.matches(of: /"http:\/\/localhost([^"]+)"/) {
                try await talk.client.execute(uri: String(path.output.1), method: .get) { response in
                    #expect(Array(response.body.readableBytesView) == Form.jpeg)
                }
            }
        }
    }

    @Test func `the list has twenty items a page, no long texts, and empty pages at its end`() async throws {
        try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
            for number in 1...21 { try await talk.item("Lamp \(number)") }
            let first = try await talk.get("/items/1").body
            #expect(first.matches(of: /"id":/).count == 20)
            #expect(
                masked(try await talk.get("/items/2").body) == #"""
                    {"page":2,"items":[{"id":21,"title":"Lamp 21","price":37000,"currency":"KRW","stock":129,\#
                    "thumbnails":["http://localhost/thumbnails/<UUID>.png"],"registration_date":1668499200.25}]}
                    """#
            )
            #expect(try await talk.get("/items/100").body == #"{"page":100,"items":[]}"#)
            for page in ["9223372036854775807", "99999999999999999999"] {
                #expect(try await talk.get("/items/\(page)").body == #"{"page":9223372036854775807,"items":[]}"#)
            }
        }
    }

    @Test(arguments: ["title", "descriptions", "price", "currency", "stock", "password"])
    func `a missing field is answered with 400 in the host's manner`(field: String) async throws {
        var form = Form().image("images[]")
        for (name, text) in [
            "title": "Lamp", "descriptions": "Warm", "price": "1", "currency": "KRW", "stock": "1", "password": "p",
        ]
        where name != field {
            form = form.field(name, text)
        }
        let incomplete = form
        for (profile, body) in [
            (ServedProfile.v1a, #"{"error":true,"reason":"Value required for key '\#(field)'."}"#),
            (.v1b, #"{"message":"Value required for key '\#(field)'."}"#),
        ] {
            try await fixture.serve(fixture.configuration(profile)) { talk async throws in
                let reply = try await talk.form(.post, "/item", incomplete)
                #expect(reply == .init(400, "application/json; charset=utf-8", body))
                #expect(try await talk.get("/items/1").body == #"{"page":1,"items":[]}"#)
            }
        }
    }

    @Test func `what is not the form that was expected gets the error page`() async throws {
        try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
            let page = Talk.Reply(503, "text/html; charset=utf-8", Self.html)
            let reply = try await talk.form(.post, "/item", Form.item().image("images"))
            #expect(reply == page)
            #expect(try await talk.form(.post, "/item", Form.item()) == page)
            let type: HTTPFields = [.contentType: "multipart/form-data; boundary=other"]
            #expect(try await talk.send(.post, "/item", headers: type, body: Form.item().bytes) == page)
            #expect(try await talk.json(.post, "/item", #"{"title":"Lamp"}"#) == page)
            let number = Form.item().field("price", "12.5").image("images[]")
            #expect(try await talk.form(.post, "/item", number).status == 400)
        }
    }

    @Test func `an edit needs the password and may carry nothing else`() async throws {
        try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
            try await talk.item()
            let before = try await talk.get("/item/1").body
            let right = Form().field("password", "example-pass")
            #expect(try await talk.form(.patch, "/item/1", right) == .init(200, V1Dialect.contentType, before))
            let wrong = try await talk.form(.patch, "/item/1", Form().field("password", "wrong").field("price", "1"))
            #expect(wrong == .init(404, V1Dialect.contentType, #"{"message":"Not Found"}"#))
            #expect(try await talk.form(.patch, "/item/2", right) == wrong)
            #expect(try await talk.form(.patch, "/item/1", Form().field("price", "1")).status == 400)
            #expect(try await talk.get("/item/1").body == before)
            let edited = try await talk.form(
                .patch,
                "/item/1",
                right.field("price", "39000").field("discounted_price", "38000").field("title", "Lamp")
            )
            let expected = before.replacing("37000", with: "39000").replacing("Desk lamp", with: "Lamp")
                .replacing(#""stock":129,"#, with: #""stock":129,"discounted_price":38000,"#)
            #expect(edited.body == expected)
            #expect(try await talk.get("/item/1").body == expected)
        }
    }

    @Test func `rule 12: a form without the final dashes is taken, but for strict`() async throws {
        let headers: HTTPFields = [.contentType: "multipart/form-data; boundary=\(Form.boundary)"]
        for isStrict in [false, true] {
            try await fixture.serve(fixture.configuration(.v1b, isStrict: isStrict)) { talk async throws in
                for end in [4, 2] {
                    // `--B4--` and a line end; without the dashes, and without the line end.
                    let whole = Form.item().field("descriptions", "Warm light, two arms.").image("images[]").bytes
                    let body = Array(whole.dropLast(4)) + Array("\r\n".utf8).prefix(end - 2)
                    let made = try await talk.send(.post, "/item", headers: headers, body: body)
                    #expect(made.status == (isStrict ? 503 : 200))
                    let edit = Array(Form().field("password", "example-pass").bytes.dropLast(4))
                    let edited = try await talk.send(.patch, "/item/1", headers: headers, body: edit)
                    #expect(edited.status == (isStrict ? 503 : 200))
                }
            }
        }
    }

    @Test func `new images replace the old ones under new addresses`() async throws {
        try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
            try await talk.item()
            func images(_ body: String) -> [String] {
                body.matches(of: /http:\/\/localhost(\/images\/[^"]+)/).map { String($0.output.1) }
            }
            let old = images(try await talk.get("/item/1").body)
            let form = Form().field("password", "example-pass").image("images[]").image("images[]")
            let new = images(try await talk.form(.patch, "/item/1", form).body)
            #expect(new.count == 2)
            #expect(Set(new).isDisjoint(with: old))
            for path in old { #expect(try await talk.get(path).status == 404) }
            for path in new { #expect(try await talk.get(path).status == 200) }
        }
    }

    @Test func `a delete answers with the id on v1a and with the item on v1b`() async throws {
        for (profile, body) in [
            (ServedProfile.v1a, #"{"id":1,"password":"example-pass"}"#), (.v1b, #"{"password":"example-pass"}"#),
        ] {
            let fixture = try Fixture()
            try await fixture.serve(fixture.configuration(profile)) { talk async throws in
                try await talk.item()
                let item = try await talk.get("/item/1").body
                #expect(try await talk.json(.delete, "/item/1", #"{"password":"wrong"}"#).status == 404)
                #expect(try await talk.json(.delete, "/item/1", "{}").status == 400)
                let reply = try await talk.json(.delete, "/item/1", body)
                #expect(reply == .init(200, V1Dialect.contentType, profile == .v1a ? #"{"id":1}"# : item))
                #expect(try await talk.json(.delete, "/item/1", body).status == 404)
                #expect(try await talk.get("/item/1").status == 404)
            }
        }
    }

    @Test func `unknown items are answered in the host's manner`() async throws {
        for (profile, body) in [
            (ServedProfile.v1a, #"{"error":true,"reason":"Not Found"}"#), (.v1b, #"{"message":"Not Found"}"#),
        ] {
            try await fixture.serve(fixture.configuration(profile)) { talk async throws in
                let reply = try await talk.get("/item/7")
                #expect(reply == .init(404, V1Dialect.contentType, body))
                #expect(try await talk.get("/item/x").body == body)
            }
        }
    }

    @Test func `with the delay an item is found only some time after it was written`() async throws {
        try await fixture.serve(fixture.configuration(.v1b, delay: .milliseconds(1500))) { talk async throws in
            let made = try await talk.form(.post, "/item", Form.item().image("images[]")).body
            let image = String(try #require(made.firstMatch(of: /localhost(\/images\/[^"]+)/)).output.1)
            #expect(try await talk.get("/item/1").status == 404)
            #expect(try await talk.get(image).status == 404)
            #expect(try await talk.get("/items/1").body.contains(#""id":1"#))
            fixture.clock.advance(1.5)
            #expect(try await talk.get("/item/1").body == made)
            #expect(try await talk.get(image).status == 200)
            #expect(try await talk.form(.patch, "/item/1", Form().field("password", "example-pass")).status == 200)
            #expect(try await talk.get("/item/1").status == 404)
        }
    }

    @Test func `v1 and v2 have their own products in the same database`() async throws {
        try await fixture.serve(fixture.configuration(.v2a, .v1a)) { talk async throws in
            #expect(try await talk.item() == 1)
            #expect(try await talk.product() == 2)
            #expect(try await talk.get("/item/2").status == 404)
            #expect(try await talk.get("/api/products/1").status == 404)
            #expect(try await talk.get("/api/products").json["total_count"] == .number(1))
        }
    }
}
