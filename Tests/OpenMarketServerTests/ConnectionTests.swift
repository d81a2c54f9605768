@testable import OpenMarket
import Testing
@testable import OpenMarketServer

/// Rule 12: clients that stop in the middle.
struct ConnectionTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func head(_ method: String, _ path: String, length: Int? = nil, _ more: String...) -> [UInt8] {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: localhost", "identifier: \(Fixture.vendors[0].identifier)",
            "Content-Type: multipart/form-data; boundary=B4",
        ]
        lines += length.map { ["Content-Length: \($0)"] } ?? []
        lines += more
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private let item = Form.item().image("images[]").bytes

    // MARK: Cut bodies

    @Test func `rule 12: a body that the client cuts is answered with 400 and one line in the log`() async throws {
        let log = CollectedLog()
        let product = Form().params(#"{"name":"Lamp","secret":"example-secret"}"#).image().bytes
        try await fixture.listen(fixture.configuration(.v2b, .v1b), log: log) { socket in
            for (path, body) in [("/item", item), ("/api/products", product)] {
                for count in stride(from: 0, to: body.count, by: 7) {
                    let reply = await socket.raw(
                        head("POST", path, length: body.count) + body.prefix(count),
                        then: .finish
                    )
                    #expect(reply.status == 400, "\(path) after \(count) bytes: \(reply)")
                    #expect(reply.body.contains("the body is not whole"))
                }
                let line = "info POST \(path) 400 reason=the body is not whole"
                #expect(Set(log.lines) == [line])
                #expect(log.lines.count == (body.count + 6) / 7)
                log.clear()
            }
        }
    }

    @Test(arguments: ["zz\r\n", "5\r\nab", "5\r\nabcdefgh\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFF\r\n"])
    func `rule 12: a body in bad chunks is answered with 400 and one line in the log`(chunks: String) async throws {
        let log = CollectedLog()
        try await fixture.listen(fixture.configuration(.v2b, .v1b), log: log) { socket in
            let bytes = head("POST", "/item", length: nil, "Transfer-Encoding: chunked") + Array(chunks.utf8)
            let reply = await socket.raw(bytes, then: .finish)
            #expect(reply.status == 400, "\(reply)")
            #expect(!reply.wasReset)
            #expect(log.lines == ["info POST /item 400 reason=the body is not whole"])
        }
    }

    @Test(arguments: ["xchunked", "chunked, gzip", "identity"])
    func `a connection whose body has no findable end is closed behind the reply`(encoding: String) async throws {
        try await fixture.listen(fixture.configuration(.v2b, .v1b)) { socket in
            let lines = "POST /item HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(encoding)\r\n\r\n"
            let reply = await socket.raw(Array(lines.utf8))
            #expect(!reply.wasReset, "\(reply)")
            #expect(reply.status.map { (400..<600).contains($0) } == true, "\(reply)")
        }
    }

    @Test func `what is not HTTP ends the connection without a word in the log`() async throws {
        let log = CollectedLog()
        try await fixture.listen(fixture.configuration(.v1b), log: log) { socket in
            let reply = await socket.raw(Array("what?\r\n\r\n".utf8))
            #expect(reply.status == 400)
            #expect(log.lines == [])
        }
    }

    @Test func `a client that waits to be asked for its body is asked where the body is read`() async throws {
        try await fixture.listen(fixture.configuration(.v2b, .v1b)) { socket in
            let expecting = "Expect: 100-continue"
            let asked = await socket.raw(
                head("POST", "/item", length: item.count, expecting, "Connection: close") + item
            )
            #expect(asked.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), "\(asked)")
            let refused = await socket.raw(head("POST", "/item", length: 1_000_001, expecting), then: .finish)
            #expect(refused.status == 413)
        }
    }

    @Test func `a body may have as many bytes as the limit, announced or in chunks`() async throws {
        for (limit, status) in [(item.count, 200), (item.count - 1, 413)] {
            try await fixture.listen(fixture.configuration(.v1b, bodyLimit: limit)) { socket in
                let whole = head("POST", "/item", length: item.count, "Connection: close") + item
                #expect(await socket.raw(whole).status == status)
                let chunks = Array("\(String(item.count, radix: 16))\r\n".utf8) + item + Array("\r\n0\r\n\r\n".utf8)
                let chunked =
                    head("POST", "/item", length: nil, "Transfer-Encoding: chunked", "Connection: close") + chunks
                #expect(await socket.raw(chunked).status == status)
            }
        }
    }

    // MARK: Idle clients

    @Test func `a connection on which the client sends nothing is closed`() async throws {
        var configuration = fixture.configuration(.v2b, .v1b)
        configuration.idleTimeout = .milliseconds(200)
        try await fixture.listen(configuration) { socket in
            for bytes in [
                [], Array("GET /items/1 HT".utf8), head("POST", "/item", length: 100_000),
                head("POST", "/item", length: 100_000) + item,
                // Answered at once, and its body goes on.
                head("POST", "/item", length: 1_000_001), head("POST", "/nowhere", length: 100_000),
                head("POST", "/api/products", length: 100_000) + item.prefix(50),
            ] {
                let reply = await socket.raw(bytes)
                #expect(!reply.wasReset, "\(String(decoding: bytes, as: UTF8.self)): \(reply)")
            }
        }
    }

    @Test func `only hosts that are known are answered`() async throws {
        var configuration = fixture.configuration(.v1b)
        configuration.allowsReset = true
        configuration.publicURL = "https://Shop.example:8443/market"
        try await fixture.listen(configuration) { socket in
            func status(_ path: String, _ host: String, origin: String? = nil) async -> Int? {
                let origin = origin.map { "Origin: \($0)\r\n" } ?? ""
                let head =
                    "POST \(path) HTTP/1.1\r\nHost: \(host)\r\n\(origin)Connection: close\r\nContent-Length: 0\r\n\r\n"
                return await socket.raw(Array(head.utf8)).status
            }
            let port = socket.port
            for host in [
                "127.0.0.1:\(port)", "localhost:\(port)", "LOCALHOST", "[::1]:\(port)", "192.168.0.12",
                "shop.example:8443",
            ] {
                #expect(await status("/_shop/reset", host) == 200, "\(host)")
                #expect(await status("/_shop/reset", host, origin: "http://\(host.lowercased())") == 200, "\(host)")
            }
            for host in ["evil.example:\(port)", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example"] {
                for path in ["/_shop/reset", "/%5Fshop/reset", "/_faults", "/_log", "/", "/items/1", "/item"] {
                    #expect(await status(path, host) == 421, "\(host) \(path)")
                }
                #expect(await status("/item", host, origin: "http://\(host)") == 421, "\(host)")
            }
        }
        // A proxy may forward the name that it is known by; it guards no endpoints of tests.
        configuration.trustsProxy = true
        try await fixture.listen(configuration) { socket in
            for (path, isRefused) in [("/items/1", false), ("/_log", true)] {
                let head = "GET \(path) HTTP/1.1\r\nHost: market.internal\r\nConnection: close\r\n\r\n"
                #expect((await socket.raw(Array(head.utf8)).status == 421) == isRefused, "\(path)")
            }
        }
    }

    @Test func `rule 12: nothing is read for a stranger`() async throws {
        try await fixture.listen(fixture.configuration(.v2b, .v1b)) { socket in
            for (method, path) in [("POST", "/api/products"), ("PATCH", "/api/products/1")] {
                let lines =
                    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nidentifier: stranger\r\nConnection: close\r\n"
                let reply = await socket.raw(Array((lines + "Content-Length: 1000000\r\n\r\n").utf8))
                #expect(reply.status == 400)
                #expect(reply.body.contains("the identifier or secret is missing or wrong"))
            }
            let lines =
                "PATCH /item/7 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n"
            #expect(await socket.raw(Array(lines.utf8)).status == 404)
        }
    }
}
