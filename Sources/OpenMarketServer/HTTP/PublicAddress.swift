import HTTPTypes
import Hummingbird

/// The origin of addresses in replies, `http://127.0.0.1:8080`.
///
/// It comes from the configuration, from the headers of a trusted proxy, or from the address by which the client
/// reached the server.
struct PublicAddress: Sendable {
    /// The configured address, without a slash at its end.
    let fixed: String?
    let trustsProxy: Bool
    func base(for request: Request) -> String {
        if let fixed { return fixed }
        let authority = request.head.authority ?? ""
        guard trustsProxy else { return "http://" + authority }
        let scheme = request.headers[.forwardedProto].map(Self.first) == "https" ? "https" : "http"
        let host = request.headers[.forwardedHost].map(Self.first).flatMap { Self.isHost($0) ? $0 : nil }
        return "\(scheme)://\(host ?? authority)"
    }

    /// The first item of a list to which each proxy appends; the first is the one that the client requested.
    private static func first(_ list: String) -> String {
        list.prefix { $0 != "," }.filter { $0 != " " }.lowercased()
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "-._:[]".utf8.contains(byte)
                }
            }
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedProto = known("x-forwarded-proto")
    fileprivate static let forwardedHost = known("x-forwarded-host")

    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("a valid header name") }
        return name
    }
}
