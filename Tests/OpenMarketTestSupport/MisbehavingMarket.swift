@testable import OpenMarket
import Testing

/// A market that misbehaves in ways the reference server never would.
enum MisbehavingMarket: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// Every page is full, and says that there is another one; always the same products.
    case endless
    /// A page of 100 MB, with a Content-Length.
    case huge
    /// A page without Content-Length that does not end.
    case flood
    /// Arrays within arrays.
    case deep
    /// Everything is at another place.
    case redirect
    /// An empty catalog, and everything that is to be written is wanted at another place.
    case luring
    /// A web page with status 200.
    case html
    /// Names with control characters.
    case control
    /// Bytes that are not HTTP.
    case noise

    var testDescription: String { rawValue }

    /// Serves while the body runs; ``redirect`` and ``luring`` point to the target.
    func run<Result>(target: String = "", _ body: (HTTPMarket) async throws -> Result) async throws -> Result {
        try await HTTPMarket.run({ answer($0, target) }, body)
    }

    private func answer(_ request: HTTPMarket.Request, _ target: String) -> HTTPMarket.Answer {
        let elsewhere = HTTPMarket.Answer.reply(307, "", headers: "Location: \(target)\(request.target)\r\n")
        switch self {
        case .endless:
            let count = request.path.contains("api") ? 1000 : 20
            let rows = (0..<count).map { Self.row(1000 - $0, "Thing \($0)") }
            return .reply(200, Self.page(rows, size: count, total: 1_000_000_000, goesOn: true))
        case .huge: return .flood(Self.head("Content-Length: \(100 << 20)"), blanks: 100 << 20)
        case .flood: return .flood(Self.head("Connection: close"), blanks: 1 << 40)
        case .deep: return .reply(200, String(repeating: "[", count: 1_000_000))
        case .redirect: return elsewhere
        case .html: return .reply(200, "<html><title>Sign in to the \u{1B}[2Jhotel</title></html>", type: "text/html")
        case .noise: return .bytesThenClose((0..<40).flatMap { _ in Array(0...255) })
        case .luring, .control: break
        }
        if self == .luring, request.method != "GET" { return elsewhere }
        let name = "Evil \u{1B}[31m\u{1B}]0;x\u{7}\u{9B}2J\r\n\u{0}\u{202E} name"
        if request.path.hasPrefix("/api/products/") || request.path.hasPrefix("/item/") {
            return .reply(200, Self.row(7, name))
        }
        if request.method != "GET" { return .reply(400, #"{"message":\#(Self.quoted(name))}"#) }
        let isFirst = request.query["page_no"] == "1" || request.path == "/items/1"
        let isEmpty = self == .luring
        let rows = isEmpty || !isFirst ? [] : [Self.row(7, name)]
        return .reply(200, Self.page(rows, size: 1000, total: isEmpty ? 0 : 1, goesOn: false))
    }

    private static func head(_ header: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(header)\r\n\r\n".utf8)
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).bytes(), as: UTF8.self)
    }

    /// A product of any built-in market.
    private static func row(_ id: Int, _ name: String) -> String {
        let name = quoted(name)
        return #"{"id":\#(id),"vendor_id":9,"vendorName":\#(name),"name":\#(name),"title":\#(name),"description":"#
            + #"\#(name),"descriptions":\#(name),"thumbnail":"","thumbnails":[],"images":[],"currency":"KRW","price":1,"#
            + #""bargain_price":1,"discounted_price":0,"stock":1,"created_at":"2026-01-01T00:00:00","#
            + #""issued_at":"2026-01-01T00:00:00","registration_date":1620633347.5}"#
    }

    /// A page of any built-in market.
    private static func page(_ rows: [String], size: Int, total: Int, goesOn: Bool) -> String {
        let rows = rows.joined(separator: ",")
        return #"{"page":1,"items":[\#(rows)],"pageNo":1,"itemsPerPage":\#(size),"totalCount":\#(total),"offset":0,"#
            + #""limit":\#(size),"lastPage":\#(goesOn ? total : 1),"hasNext":\#(goesOn),"hasPrev":\#(goesOn),"#
            + #""pages":[\#(rows)]}"#
    }
}

extension HTTPMarket {
    /// Its requests, a line each, and whether there were credentials of the tests.
    var trace: [String] {
        requests.map { request in
            let isKnown =
                request.body.firstRange(of: Array(ReferenceServer.secret.utf8)) != nil
                || request.headers["identifier"]?.contains("cafe") == true
            return "\(request.method) \(request.target)\(isKnown ? " with credentials" : "")"
        }
    }
}
