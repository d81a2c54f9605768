import HTTPTypes
import Hummingbird

/// How the addresses in replies begin, `http://127.0.0.1:8080`: as the configuration says, as a proxy in front says where
/// it is trusted, or as the client reached this server.
struct PublicAddress: Sendable {
    /// The address that the configuration gives, without a slash at its end.
    let fixed: String?
    /// Whether `X-Forwarded-Proto` and `X-Forwarded-Host` are believed.
    let trustsProxy: Bool
    func base(for request: Request) -> String {
        if let fixed { return fixed }
        let authority = request.head.authority ?? ""
        guard trustsProxy else { return "http://" + authority }
        let scheme = request.headers[.forwardedProto].map(Self.first) == "https" ? "https" : "http"
        let host = request.headers[.forwardedHost].map(Self.first).flatMap { Self.isHost($0) ? $0 : nil }
        return "\(scheme)://\(host ?? authority)"
    }

    /// Each proxy adds what it saw; the first is what the client asked for.
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
