import NIOHTTP1
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketClient
import Testing

/// Recordings in place of a network, and what is sent to a market of others.
struct RecordedConversationTests {
    private static func recording(_ lines: String...) throws -> RecordedConversation {
        try RecordedConversation(Array(lines.joined(separator: "\n").utf8))
    }

    private static func reply(_ transport: some Transport, _ path: String, _ method: String = "GET") async throws
        -> TransportReply
    {
        try await transport.send(TransportRequest(method, "http://127.0.0.1:1" + path), limit: 100)
    }

    @Test func `a request is answered as it was, in turn, and the last reply stays`() async throws {
        let transport = RecordedTransport(
            try Self.recording(
                #"{"path": "/p?page=1", "status": 200, "headers": {"X-Total": "7"}, "body": {"a": [1, "가"]}}"#,
                "",
                #"{"method": "GET", "path": "http://shop.example/p?page=1", "status": 404, "text": "<html>"}"#
            )
        )
        let first = try await Self.reply(transport, "/p?page=1")
        #expect(first.status == 200)
        #expect(first.headers["x-total"] == ["7"])
        #expect(String(decoding: first.bytes(), as: UTF8.self) == #"{"a":[1,"가"]}"#)
        for _ in 0..<2 {
            let later = try await Self.reply(transport, "/p?page=1")
            #expect(later.status == 404)
            #expect(later.bytes() == Array("<html>".utf8))
        }
    }

    @Test func `what was not recorded is named`() async throws {
        let transport = RecordedTransport(try Self.recording(#"{"path": "/p", "status": 200}"#))
        for (path, method) in [("/q", "GET"), ("/p?a=1", "GET"), ("/p", "POST")] {
            let failure = await #expect(throws: TransportFailure.self) { try await Self.reply(transport, path, method) }
            #expect(failure?.message == "the recording lacks a reply to \(method) \(path)")
        }
    }

    @Test func `a reply is not larger than what is asked for`() async throws {
        let body = String(repeating: "x", count: 101)
        let transport = RecordedTransport(try Self.recording(#"{"path": "/p", "status": 200, "text": "\#(body)"}"#))
        let failure = await #expect(throws: TransportFailure.self) { try await Self.reply(transport, "/p") }
        #expect(failure?.isTooLarge == true)
    }

    @Test(arguments: [
        ("", 1, "no exchange is recorded here"), ("{}", 1, "'path' is missing"),
        (#"{"path": "p", "status": 200}"#, 1, "'path' is neither a path nor an address"),
        ("\n" + #"{"path": "/p", "status": 99}"#, 2, "'status' is not the status of a reply"),
        (#"{"path": "/p", "status": 200}"# + "\n[", 2, "this is not a line of JSON"),
    ])
    func `a line that is not an exchange is named`(text: String, line: Int, words: String) {
        let fault = #expect(throws: RecordedConversation.Fault.self) { try RecordedConversation(Array(text.utf8)) }
        #expect(fault?.line == line)
        #expect(fault?.message.hasPrefix(words) == true, "\(fault?.message ?? "")")
    }

    @Test func `the first whole address says where the market was`() throws {
        #expect(try Self.recording(#"{"path": "/p", "status": 200}"#).origin == "http://market.invalid")
        let lines = try Self.recording(
            #"{"path": "/p", "status": 200}"#,
            #"{"path": "https://shop.example:8443?x", "status": 200}"#
        )
        #expect(lines.origin == "https://shop.example:8443")
    }

    @Test(arguments: ["/p?next=http://other.example/q", "/p/a://b", "/p?a=b&c=https://shop.example"])
    func `an address inside a path or a query is a part of it`(path: String) async throws {
        for recorded in [path, "https://shop.example" + path] {
            let recording = try Self.recording(#"{"path": "\#(recorded)", "status": 204}"#)
            #expect(recording.origin == (recorded == path ? "http://market.invalid" : "https://shop.example"))
            #expect(try await Self.reply(RecordedTransport(recording), path).status == 204)
        }
    }

    @Test func `a client reads a recording instead of a market, over http as well`() async throws {
        let page = #"{"totalCount":1,"lastPage":1,"pages":[{"id":7,"name":"Lamp","price":5}]}"#
        let conversation = try Self.recording(
            #"{"path": "http://shop.example/api/products?page_no=1&items_per_page=100", "status": 200, "body": \#(page)}"#
        )
        let configuration = ClientConfiguration(replaying: conversation, as: .v2b)
        #expect(configuration.url == "http://shop.example" && configuration.parallelism == 1)
        #expect(configuration.allowsInsecureHTTP && configuration.readAttempts == 1)
        let transport = try #require(configuration.transport)
        #expect(
            try await Self.reply(transport, "/api/products?page_no=1&items_per_page=100").bytes() == Array(page.utf8)
        )
    }

    @Test func `nothing but a read is sent where replies are observed`() async throws {
        let transport = RecordedTransport(
            try Self.recording(#"{"path": "/p", "status": 200}"#, #"{"method": "DELETE", "path": "/p", "status": 204}"#)
        )
        let observed = ReadingTransport(transport: transport, obstacle: "looked at", onReply: nil)
        #expect(try await Self.reply(observed, "/p").status == 200)
        for method in ["POST", "PUT", "PATCH", "DELETE", "get"] {
            let failure = await #expect(throws: TransportFailure.self) { try await Self.reply(observed, "/p", method) }
            #expect(failure?.mayHaveArrived == false)
        }
    }
}
