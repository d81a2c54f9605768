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
            (try? proxy.answer($0)) ?? .close
        } _: {
            try await body(proxy, $0)
        }
    }

    /// Changes something else from now on.
    func set(_ manner: Manner) { self.manner.withLock { $0 = manner } }

    private func answer(_ request: HTTPMarket.Request) throws -> HTTPMarket.Answer {
        let manner = manner.withLock(\.self)
        var own = ["content-length", "transfer-encoding", "connection"]
        if case .hidesHost = manner { own.append("host") }
        let kept = request.headers.filter { !own.contains($0.key) }.map { "\($0.key): \($0.value)" }
        let reply = try HTTPExchange.send(request.method, market + request.target, headers: kept, body: request.body)
        let type = reply.head.first { $0.lowercased().hasPrefix("content-type:") }
            .map { String($0.dropFirst("content-type:".count).drop { $0 == " " }) }
        var body = reply.body
        if case .spoilsRows = manner, let members = try? JSONValue.parse(body).members {
            let spoilt = members.map { member in
                guard let rows = member.value.elements, rows.count > 2 else { return member }
                return JSONValue.Member(member.name, .array(Self.spoilt(rows)))
            }
            body = JSONValue.object(spoilt).bytes()
        }
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
