import NIOCore

/// The addresses of this machine, for devices beside it.
package enum NetworkAddress {
    /// The base URLs under which other devices of the network reach a server that listens on all addresses of this machine;
    /// empty for one that listens on a single address.
    ///
    /// - Parameters:
    ///   - host: the address that the server listens on.
    ///   - port: its port.
    /// - Returns: such as `http://192.168.0.12:8080`, in the order of the interfaces.
    /// - Throws: what the system says when it cannot list its interfaces.
    package static func urls(host: String, port: Int) throws -> [String] {
        let families: [NIOBSDSocket.ProtocolFamily]
        switch host {
        case "0.0.0.0": families = [.inet]
        case "::": families = [.inet, .inet6]
        default: return []
        }
        let addresses = try System.enumerateDevices().compactMap(\.address).filter { families.contains($0.protocol) }
        let hosts = addresses.compactMap(\.ipAddress).filter { address in
            // This machine alone reaches the first two, and an address of one cable needs the cable's name, too.
            !address.hasPrefix("127.") && address != "::1" && !address.lowercased().hasPrefix("fe80:")
        }
        return hosts.map { url(host: $0, port: port) }
    }

    /// The address of a host and a port; an IPv6 address is in brackets.
    package static func url(host: String, port: Int) -> String { "http://" + authority(host: host, port: port) }

    /// A host and a port as an address has them.
    static func authority(host: String, port: Int) -> String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
