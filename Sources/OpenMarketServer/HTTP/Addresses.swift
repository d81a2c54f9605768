import HTTPTypes
import Hummingbird
import NIOCore

/// The origin of URLs in replies, such as `http://127.0.0.1:8080`.
///
/// It comes from the configuration, from the headers of a trusted proxy, or from the address that the client reached
/// the server at.
struct PublicAddress: Sendable {
    /// The configured URL, without a trailing slash.
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

    /// The first item of a list that each proxy appends to: the one that the client requested.
    private static func first(_ list: String) -> String {
        list.prefix { $0 != "," }.filter { $0 != " " }.lowercased()
    }

    private static func isHost(_ text: String) -> Bool {
        let known = "abcdefghijklmnopqrstuvwxyz0123456789-._:[]".utf8
        return !text.isEmpty && text.utf8.allSatisfy(known.contains)
    }
}

extension HTTPField.Name {
    /// The vendor identity of a request of v2.
    static let identifier = known("identifier")
    static let shopPage = known("Shop-Page")
    fileprivate static let forwardedProto = known("x-forwarded-proto")
    fileprivate static let forwardedHost = known("x-forwarded-host")

    private static func known(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("a valid header name") }
        return name
    }
}

package enum NetworkAddress {
    /// The base URLs for other devices of the network, if the server listens on all addresses; otherwise empty.
    ///
    /// They are in the order of the interfaces, such as `http://192.168.0.12:8080`. An error means that the system
    /// cannot list its interfaces.
    package static func urls(host: String, port: Int) throws -> [String] {
        let families: [NIOBSDSocket.ProtocolFamily]
        switch host {
        case "0.0.0.0": families = [.inet]
        case "::": families = [.inet, .inet6]
        default: return []
        }
        let addresses = try System.enumerateDevices().compactMap(\.address).filter { families.contains($0.protocol) }
        let hosts = addresses.compactMap(\.ipAddress).filter { address in
            // Loopback addresses work only on this machine, and a link-local address needs its interface's name.
            !address.hasPrefix("127.") && address != "::1" && !address.lowercased().hasPrefix("fe80:")
        }
        return hosts.map { url(host: $0, port: port) }
    }

    package static func url(host: String, port: Int) -> String { "http://" + authority(host: host, port: port) }

    static func authority(host: String, port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
