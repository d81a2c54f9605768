import NIOCore

package enum NetworkAddress {
    /// The base URLs under which other devices of the network reach a server that listens on all addresses; else empty.
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
            // Loopback addresses work on this machine alone, and a link-local address needs its interface's name.
            !address.hasPrefix("127.") && address != "::1" && !address.lowercased().hasPrefix("fe80:")
        }
        return hosts.map { url(host: $0, port: port) }
    }

    package static func url(host: String, port: Int) -> String { "http://" + authority(host: host, port: port) }

    static func authority(host: String, port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
