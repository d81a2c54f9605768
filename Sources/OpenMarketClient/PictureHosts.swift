import OpenMarket

/// The hosts that pictures may be fetched from.
///
/// Without a limit, a market could cause requests from this machine to a host behind its firewall.
struct PictureHosts {
    private let hosts: Set<String>
    private let folders: [String]

    /// The market's own host is always allowed.
    ///
    /// `folders` are hosts with a path; only that part is allowed. `named` are further hosts; one with a port is
    /// allowed only at that port.
    init(marketURL: String, folders: [String], named: [String]) {
        hosts = Set(
            [Self.authority(of: marketURL).map(Self.withoutPort)].compactMap(\.self) + named.map { $0.lowercased() }
        )
        self.folders = folders
    }

    /// Whether an `http` or `https` URL leads to an allowed host or folder.
    func allow(_ url: String) -> Bool {
        guard let authority = Self.authority(of: url) else { return false }
        let host = Self.withoutPort(authority)
        if hosts.contains(authority) || hosts.contains(host) { return true }
        guard let start = url.firstRange(of: "//")?.upperBound else { return false }
        let path = url[start...].drop { $0 != "/" }
        // Dots can lead out of a folder, even if they are percent-encoded.
        guard !path.contains(".."), !path.lowercased().contains("%2e"), authority == host else { return false }
        return folders.contains { (host + path).hasPrefix($0) }
    }

    static func host(of url: String) -> String? { authority(of: url) }

    /// Host and port in lower case; `nil` if URL parsers might disagree about them.
    private static func authority(of url: String) -> String? {
        let lower = url.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else { return nil }
        let authority = lower.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isPlain) else { return nil }
        return String(authority)
    }

    /// Whether an authority may have the byte, such as a letter or digit: not `@` after a user, a backslash, or a
    /// percent sign.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func withoutPort(_ authority: String) -> String {
        if let end = authority.lastIndex(of: "]") { return String(authority[...end]) }
        return authority.firstIndex(of: ":").map { String(authority[..<$0]) } ?? authority
    }
}
