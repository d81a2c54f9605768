import HTTPTypes
import HummingbirdTesting
import NIOCore
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

/// Every kind of fault against a real server and a raw socket.
struct FaultTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func serve(
        _ profile: ServedProfile,
        _ yaml: String,
        _ test: @Sendable @concurrent (Socket) async throws -> Void
    ) async throws {
        let plan = try FaultPlan(yaml: Array("rules: [\(yaml)]".utf8), file: "test")
        try await fixture.listen(fixture.configuration(profile, faults: plan), test)
    }

    private let item = Form.item().image("images[]")

    @Test func `a status before the handler leaves nothing behind`() async throws {
        try await serve(.v1b, "{method: POST, nth: 1, fault: {status: 429, retry_after: 7}}") { socket in
            let first = await socket.form("POST", "/item", item)
            #expect(first.status == 429)
            #expect(first.header("Retry-After") == "7")
            #expect(await socket.get("/items/1").body == #"{"page":1,"items":[]}"#)
            #expect(await socket.form("POST", "/item", item).status == 200)
        }
    }

    @Test func `a status after the handler keeps the effect`() async throws {
        try await serve(.v1b, "{method: POST, fault: {status: 502, retry_after_date: 10, when: after}}") { socket in
            let reply = await socket.form("POST", "/item", item)
            #expect(reply.status == 502)
            #expect(reply.header("Retry-After") == "Tue, 15 Nov 2022 08:00:10 GMT")
            #expect(await socket.get("/item/1").status == 200)
        }
    }

    @Test func `a connection cut before the handler leaves nothing behind`() async throws {
        try await serve(.v1b, "{method: POST, fault: {cut: before}}") { socket in
            #expect(await socket.form("POST", "/item", item) == .init(text: "", wasReset: true))
            #expect(await socket.get("/item/1").status == 404)
            #expect(
                await socket.get("/_log").body
                    == #"{"requests":[{"method":"POST","path":"/item","status":null,"rules":[0]}]}"#
            )
        }
    }

    @Test func `a lost reply keeps the effect`() async throws {
        try await serve(.v1b, "{method: POST, fault: {cut: after}}") { socket in
            #expect(await socket.form("POST", "/item", item) == .init(text: "", wasReset: true))
            #expect(await socket.get("/item/1").status == 200)
            #expect(
                await socket.get("/_log").body
                    == #"{"requests":[{"method":"POST","path":"/item","status":200,"rules":[0]}]}"#
            )
        }
    }

    @Test func `a reply is cut after so many bytes of its body`() async throws {
        try await serve(.v1b, "{path: /items/*, fault: {cut: reply, after_bytes: 8}}") { socket in
            let reply = await socket.get("/items/1")
            #expect(reply.wasReset)
            #expect(reply.header("Content-Length") == "21")
            #expect(reply.body == #"{"page":"#)
        }
    }

    @Test func `a truncated body ends in good order`() async throws {
        try await serve(.v1b, "{path: /items/*, fault: {truncate: 8}}") { socket in
            let reply = await socket.get("/items/1")
            #expect(!reply.wasReset)
            #expect(reply.header("Content-Length") == "21")
            #expect(reply.body == #"{"page":"#)
        }
    }

    @Test func `a slow body is whole in the end`() async throws {
        try await serve(.v1b, "{fault: {latency: 1ms}}, {path: /items/*, fault: {slow: 5, pause: 1ms}}") { socket in
            #expect(await socket.get("/items/1").body == #"{"page":1,"items":[]}"#)
        }
    }

    @Test(arguments: ["before", "after"])
    func `a page in HTML comes with 200`(moment: String) async throws {
        try await serve(.v1b, "{method: POST, fault: {page: \(moment)}}") { socket in
            let reply = await socket.form("POST", "/item", item)
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "text/html; charset=utf-8")
            #expect(reply.body.hasPrefix("<!DOCTYPE html>"))
            #expect(await socket.get("/item/1").status == (moment == "before" ? 404 : 200))
        }
    }

    @Test func `an unsettled item is found after so many readings`() async throws {
        try await serve(.v1b, "{method: POST, nth: 1, fault: {unsettled: 2}}") { socket in
            #expect(await socket.form("POST", "/item", item).status == 200)
            #expect(await socket.form("POST", "/item", item).status == 200)
            #expect(await socket.get("/item/2").status == 200)
            #expect(await socket.get("/item/1").status == 404)
            #expect(await socket.get("/item/1").status == 404)
            #expect(await socket.get("/item/1").status == 200)
        }
    }

    @Test func `rows appear and vanish between two pages`() async throws {
        let rules =
            "{method: GET, path: /api/products, nth: 1, fault: {appear: 2}}, {method: GET, path: /api/products, nth: 2, fault: {vanish: 2}}"
        try await serve(.v2b, rules) { socket in
            #expect(await socket.get("/api/products").body.contains(#""totalCount":0"#))
            let second = await socket.get("/api/products").body
            #expect(second.contains(#""totalCount":2"#))
            #expect(second.contains(#""vendorName":"passer-by""#))
            #expect(await socket.get("/api/products").body.contains(#""totalCount":0"#))
        }
    }

    @Test func `the plan can be read and replaced while the server runs`() async throws {
        try await serve(.v1b, "{method: POST, fault: {status: 500}}") { socket in
            #expect(await socket.form("POST", "/item", item).status == 500)
            #expect(await socket.get("/_faults").body == #"{"seed":0,"rules":[{"seen":1,"fired":1}]}"#)
            let wrong = await socket.request("PUT", "/_faults", body: Array("rules: [{}]".utf8))
            #expect(wrong.status == 400)
            #expect(wrong.body == "_faults:1:9: 'rules[0]' needs the key 'fault'")
            let plan = await socket.request("PUT", "/_faults", body: Array("seed: 5\nrules: []".utf8))
            #expect(plan.body == #"{"seed":5,"rules":[]}"#)
            #expect(await socket.form("POST", "/item", item).status == 200)
            #expect(
                await socket.get("/_log").body
                    == #"{"requests":[{"method":"POST","path":"/item","status":200,"rules":[]}]}"#
            )
        }
    }

    @Test func `without faults there is nothing to control`() async throws {
        try await fixture.serve(fixture.configuration(.v1b)) { talk async throws in
            for path in ["/_faults", "/_log"] { #expect(try await talk.get(path).status == 404) }
        }
    }

    @Test func `neither the log nor the list of requests shows a delete key`() async throws {
        let plan = FaultPlan()
        try await fixture.serve(fixture.configuration(.v2a, faults: plan)) { talk async throws in
            _ = try await talk.json(.delete, "/api/products/7/key-of-seven", "")
            #expect(
                try await talk.get("/_log").body
                    == #"{"requests":[{"method":"DELETE","path":"/api/products/7/•••","status":404,"rules":[]}]}"#
            )
        }
    }
}
