@testable import OpenMarket
import Synchronization

/// What is between us and the market and changes what is said, on a port of its own.
final class TamperingProxy: Sendable {
    /// What it changes.
    enum Manner: Sendable {
        /// Nothing.
        case none
        /// The market does not hear by which name it was asked.
        case hidesHost
        /// Every request for one product is answered by a web page with status 404, and does not arrive.
        case notFoundPage(product: Int)
        /// A create arrives and is answered with 303.
        case seeOther
        /// A create arrives and is answered with the detail of product 1.
        case firstProduct
        /// Replies to writing requests lack these fields, or have them as `null`.
        case hides([String], asNull: Bool)
        /// A text within requests arrives cut to so many bytes.
        case cuts(String, to: Int)
        /// Pictures are shown in reverse.
        case reversesPictures
        /// Page 2 of the list repeats page 1.
        case repeatsPage
        /// Of the rows of the list the first has no number, the second is not an object and the third has no name.
        case spoilsRows
    }

    private let market: String
    private let manner = Mutex(Manner.none)

    private init(before market: String) { self.market = market }

    /// Is in front of a market while the body runs, which gets its address; at first it changes nothing.
    static func run<Result>(
        before server: ReferenceServer,
        _ body: (TamperingProxy, HTTPMarket) async throws -> Result
    ) async throws -> Result {
        let proxy = TamperingProxy(before: server.url)
        return try await HTTPMarket.run {
            proxy.answer($0)
        } _: {
            try await body(proxy, $0)
        }
    }

    /// Changes something else from now on.
    func set(_ manner: Manner) { self.manner.withLock { $0 = manner } }

    private func answer(_ request: HTTPMarket.Request) -> HTTPMarket.Answer {
        let manner = manner.withLock(\.self)
        let isCreate = request.method == "POST" && ["/item", "/api/products"].contains(request.path)
        var (target, body) = (request.target, request.body)
        switch manner {
        case .notFoundPage(let product):
            let place = request.path.split(separator: "/")
            if place.dropFirst().contains("\(product)"), place.first != "items" {
                return .reply(404, "<html><title>404 Not Found</title></html>", type: "text/html")
            }
        case .cuts(let text, let length):
            body = body.replacing(Array(text.utf8), with: Array(text.utf8.prefix(length)))
        case .repeatsPage:
            target = target.replacing("page_no=2", with: "page_no=1").replacing("/items/2", with: "/items/1")
        default: break
        }
        do {
            let reply = try ask(request.method, target, request.headers, body, manner)
            switch manner {
            case .seeOther where isCreate: return .reply(303, "", headers: "Location: /\r\n")
            case .firstProduct where isCreate:
                let first = request.path == "/item" ? "/item/1" : "/api/products/1"
                return passed(try ask("GET", first, request.headers, [], manner))
            case .hides(let fields, let asNull) where ["POST", "PATCH"].contains(request.method):
                return passed(reply) { product in
                    JSONValue.object(
                        (product.members ?? []).compactMap { member in
                            guard fields.contains(member.name) else { return member }
                            return asNull ? .init(member.name, .null) : nil
                        }
                    )
                }
            case .spoilsRows: return passed(reply) { $0.mappingArrays { $0.count > 2 ? Self.spoilt($0) : $0 } }
            case .reversesPictures:
                return passed(reply) { $0.mappingArrays(["images", "thumbnails"]) { $0.reversed() } }
            default: return passed(reply)
            }
        } catch {
            return .close
        }
    }

    private func ask(
        _ method: String,
        _ target: String,
        _ headers: [String: String],
        _ body: [UInt8],
        _ manner: Manner
    ) throws -> HTTPExchange {
        var own = ["content-length", "transfer-encoding", "connection"]
        if case .hidesHost = manner { own.append("host") }
        let kept = headers.filter { !own.contains($0.key) }.map { "\($0.key): \($0.value)" }
        return try HTTPExchange.send(method, market + target, headers: kept, body: body)
    }

    /// A reply of the market, whose JSON object may be changed.
    private func passed(_ reply: HTTPExchange, _ change: ((JSONValue) -> JSONValue)? = nil) -> HTTPMarket.Answer {
        let type = reply.head.first { $0.lowercased().hasPrefix("content-type:") }
            .map { String($0.dropFirst("content-type:".count).drop { $0 == " " }) }
        var body = reply.body
        if let change, let value = try? JSONValue.parse(body), value.members != nil { body = change(value).bytes() }
        return .bytes(HTTPMarket.Answer.bytes(reply.status, body, type: type ?? "text/plain"))
    }

    private static func spoilt(_ rows: [JSONValue]) -> [JSONValue] {
        func without(_ names: [String], _ row: JSONValue) -> JSONValue {
            .object((row.members ?? []).filter { !names.contains($0.name) })
        }
        return [without(["id"], rows[0]), .string("no product"), without(["name", "title"], rows[2])]
            + rows.dropFirst(3)
    }
}

extension JSONValue {
    /// An object with its arrays changed, or with those of some members.
    fileprivate func mappingArrays(_ names: [String]? = nil, _ change: ([JSONValue]) -> [JSONValue]) -> JSONValue {
        .object(
            (members ?? []).map { member in
                guard names?.contains(member.name) ?? true, let elements = member.value.elements else { return member }
                return .init(member.name, .array(change(elements)))
            }
        )
    }
}

extension ReferenceServer {
    /// The same market, asked by way of something in front of it.
    func reached(through proxy: HTTPMarket) -> ReferenceServer { ReferenceServer(url: proxy.url, process: process) }
}
