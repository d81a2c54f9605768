@testable import OpenMarket
/// A request as it reaches the market.
struct ModelRequest: Sendable {
    var method: String
    /// From the root, the query included.
    var path: String
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    var contentType: String { headers["content-type"] ?? "" }
}

/// What the market answers.
struct ModelReply: Sendable {
    var status: Int
    var contentType: String?
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    static func json(_ status: Int, _ value: JSONValue) -> ModelReply {
        ModelReply(status: status, contentType: "application/json", body: value.bytes())
    }

    static func text(_ status: Int, _ text: String) -> ModelReply {
        ModelReply(status: status, contentType: "text/plain;charset=UTF-8", body: Array(text.utf8))
    }

    /// A page of something in front of the market.
    static func page(_ status: Int) -> ModelReply {
        let html = "<!DOCTYPE html><html><head><title>\(status) from the gateway</title></head><body></body></html>"
        var reply = ModelReply(status: status, contentType: "text/html", body: Array(html.utf8))
        if (300..<400).contains(status) { reply.headers["location"] = "https://login.example/" }
        return reply
    }
}

/// What a client gets to know of a request of its own.
enum ModelOutcome: Sendable {
    case reply(ModelReply)
    /// No connection: the market never heard of it.
    case noConnection
    /// The connection broke before a whole reply came; the market may have acted.
    case cut
}

extension JSONValue {
    /// A member of an object, to be put in, changed or taken out.
    subscript(member name: String) -> JSONValue? {
        get { self[name] }
        set {
            guard var members = self.members else { return }
            if let place = members.firstIndex(where: { $0.name == name }) {
                if let newValue { members[place].value = newValue } else { members.remove(at: place) }
            } else if let newValue {
                members.append(Member(name, newValue))
            }
            self = .object(members)
        }
    }
}
