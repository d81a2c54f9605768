import OpenMarket
import OpenMarketDescription

/// Checks the addresses of next pages: they come from the market, and requests to them carry its credentials.
struct NextAddress: Sendable {
    /// The maximum length of an address or token, in bytes.
    static let longest = 4 << 10

    /// The market's URL without its trailing slash.
    let base: String
    /// The paths that an address may have after the market's URL; the list's path comes first.
    let paths: [String]

    static func isCursor(_ text: String) -> Bool { text.utf8.count <= longest }

    /// The target of a relation in `Link` headers (RFC 8288); `nil` if none has it.
    static func link(_ relation: String, in fields: [String]) -> String? {
        for field in fields where field.utf8.count <= 16 * longest {
            var rest = field[...]
            while let open = rest.firstIndex(of: "<") {
                guard let close = rest[open...].firstIndex(of: ">") else { break }
                let target = rest[rest.index(after: open)..<close]
                rest = rest[rest.index(after: close)...]
                if relations(takingParameters(from: &rest)).contains(relation.lowercased()) { return String(target) }
            }
        }
        return nil
    }

    /// The parameters of a target, up to the next comma outside quotes, without the quotes and their escapes.
    private static func takingParameters(from rest: inout Substring) -> [String] {
        var parameters = [""]
        var isQuoted = false
        while let character = rest.popFirst() {
            switch character {
            case "\"": isQuoted.toggle()
            case "\\" where isQuoted:
                if let escaped = rest.popFirst() { parameters[parameters.count - 1].append(escaped) }
            case ";" where !isQuoted: parameters.append("")
            case "," where !isQuoted: return parameters
            default: parameters[parameters.count - 1].append(character)
            }
        }
        return parameters
    }

    /// The relations of a link; only the first `rel` counts.
    private static func relations(_ parameters: [String]) -> [String] {
        for parameter in parameters {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == "rel" else { continue }
            return parts[1].trimmed.lowercased().split(separator: " ").map(String.init)
        }
        return []
    }

    /// The path and query of an address after the market's URL, or the reason for refusing it.
    ///
    /// With `ignoresHost` only path and query count, for a proxy that causes the market to state another host.
    func checked(_ text: String, ignoresHost: Bool) -> NextPage {
        guard text.utf8.count <= Self.longest else { return .refused("the next page's address is longer than 4 KiB") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains(where: { "\"<>\\^`{|}#".contains($0) })
        else { return .refused("the next page's address has invalid characters") }
        var rest = text[...]
        switch Self.authority(of: text) {
        case .none: break
        case .foreign: return .refused("the next page's address is not one of HTTP")
        case .some(let scheme, let authority, let behind):
            rest = behind
            let origin = (try? MarketURL("\(scheme ?? String(Self.scheme(of: base)))//\(authority)"))?.description
            guard let origin else { return .refused("the next page's address names no host") }
            guard ignoresHost || origin == MarketURL.origin(of: base) else {
                return .refused("the next page's address leads to another host, \(authority)")
            }
        }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        let query = rest[mark...]
        guard let path = localPath(rest[..<mark]) else {
            return .refused("the next page's address is not below the market's own path")
        }
        guard Self.isPlain(path), paths.contains(path) else {
            return .refused("the next page's address has another path than the list")
        }
        for pair in query.dropFirst().split(separator: "&") {
            let name = pair.prefix { $0 != "=" }
            guard !MethodOverride.isQuery(name.replacing("+", with: " ").percentDecoded) else {
                return .refused("the next page's address has a query that some servers take for the method")
            }
        }
        return .at(path + query)
    }

    private enum Authority {
        case none
        case foreign
        case some(scheme: String?, Substring, Substring)
    }

    private static func authority(of text: String) -> Authority {
        var rest = text[...]
        var scheme: String?
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains(where: { "/?".contains($0) }) {
            scheme = text[...colon].lowercased()
            guard scheme == "http:" || scheme == "https:" else { return .foreign }
            rest = text[text.index(after: colon)...]
            guard rest.hasPrefix("//") else { return .foreign }
        }
        guard rest.hasPrefix("//") else { return .none }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        return .some(scheme: scheme, authority, rest[authority.endIndex...])
    }

    private static func scheme(of url: String) -> Substring { url.prefix { $0 != "/" } }

    /// The path of an address after the market's URL.
    private func localPath(_ path: Substring) -> String? {
        guard let list = paths.first else { return nil }
        if path.isEmpty { return list }
        guard path.hasPrefix("/") else {
            // Relative to the list.
            let folder = list.lastIndex(of: "/") ?? list.startIndex
            return String(list[...folder] + path)
        }
        let root = base.dropFirst(MarketURL.origin(of: base).count)
        guard path.hasPrefix(root), path.dropFirst(root.count).hasPrefix("/") else { return nil }
        return String(path.dropFirst(root.count))
    }

    /// Whether a path is literal: without parent steps, and without encoded characters that a server might read as one.
    private static func isPlain(_ path: String) -> Bool {
        !path.contains("//") && !path.split(separator: "/").contains { [".", ".."].contains($0.percentDecoded) }
    }
}
