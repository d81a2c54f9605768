/// The base URL of a market: `http` or `https`, a host, optionally a port and a path.
package struct MarketURL: Hashable, Sendable, CustomStringConvertible {
    /// Canonical: scheme and host in lower case, no default port, no trailing slashes.
    package let description: String

    /// Why a text is not such a URL.
    package struct Fault: Error, Hashable, Sendable {
        /// A clause after the name of the URL's holder: "names no host".
        package var message: String
        package var help: String?
        /// Whether the URL has a user or a password, which most uses keep separately.
        package var holdsCredentials = false
    }

    package init(_ text: String) throws(Fault) {
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else {
            throw Fault(
                message: "must begin with http:// or https://",
                help: "write it like http://127.0.0.1:8080"
            )
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else {
            throw Fault(
                message: "must not hold a user or a password",
                help: "use 'identifier' and 'secret'",
                holdsCredentials: true
            )
        }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Fault(message: "must not have a query or a fragment")
        }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !rest.contains(where: { "\"<>\\^`{|}".contains($0) })
        else {
            throw Fault(message: "must consist of ASCII characters without spaces, quotes, brackets or backslashes")
        }
        let (host, port) = try Self.split(authority)
        var url = scheme + host.lowercased()
        if let port, port != (scheme == "https://" ? 443 : 80) { url += ":\(port)" }
        url += rest.dropFirst(authority.count)
        while url.hasSuffix("/") { url.removeLast() }
        description = url
    }

    /// `127.0.0.1` and its network, `[::1]`, or `localhost`.
    package var isLoopback: Bool {
        guard let host = try? Self.split(authority[...]).host else { return false }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        let isOfNetwork = numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
        return isOfNetwork || host == "[::1]" || host == "localhost"
    }

    /// The host, with a port other than the scheme's default.
    var authority: String { String(description.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }) }

    package var isEncrypted: Bool { description.hasPrefix("https://") }

    /// Scheme, host and port of a URL.
    package static func origin(of url: String) -> String {
        url.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    /// The canonical URL of a market; any other text stays unchanged.
    package static func normalized(_ text: String) -> String {
        (try? MarketURL(text))?.description ?? text
    }

    /// The canonical form of a host with an optional port: `cdn.example.org`, `127.0.0.1:9000`.
    ///
    /// Anything else, even a URL, is a ``Fault``.
    package static func host(_ text: String) throws(Fault) -> String {
        let help = "write hosts like cdn.example.org or 127.0.0.1:9000"
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            let rest = parts[1].prefix { !"/?#".contains($0) }
            let isHost = (try? MarketURL("http://" + rest)) != nil
            throw Fault(
                message: "is an address, and not a host",
                help: isHost ? "write the host alone: \(rest.lowercased())" : help
            )
        }
        do {
            _ = try MarketURL("http://" + text)
        } catch {
            throw Fault(message: error.message, help: help)
        }
        guard !text.contains("/") else { throw Fault(message: "must be a host without a path", help: help) }
        return text.lowercased()
    }

    /// Checks host and port of an `http` or `https` URL.
    ///
    /// No library does: a port above 65535 would end the process.
    package static func checkPort(of url: some StringProtocol) throws(Fault) {
        guard let start = url.firstRange(of: "//")?.upperBound else { return }
        let authority = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        _ = try split(
            Substring(authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...])
        )
    }

    /// Accepts `example.org:8080` and `[::1]:8080`.
    private static func split(_ authority: Substring) throws(Fault) -> (host: Substring, port: UInt16?) {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw Fault(message: "has a [ without its ]") }
            host = authority[...end]
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw Fault(message: "names no host") }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty, host != "[]" else { throw Fault(message: "names no host") }
        guard let port else { return (host, nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            throw Fault(message: "has the invalid port '\(port)'", help: "ports are 1 to 65535")
        }
        return (host, number)
    }
}
