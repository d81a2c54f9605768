/// The location of a state: the path of a file, or a URL, which may contain a password.
///
/// It prints without the password if interpolated, dumped or reflected, so messages and documents can show it.
package struct StateLocation: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The original text, only for opening the state.
    package let revealed: String

    package init(_ text: String) {
        revealed = text
    }

    /// The scheme of a URL, such as `postgres`; `nil` for a path.
    ///
    /// A text that begins like a database URL but lacks a slash counts as a URL. As a path, it would show its password.
    package var scheme: String? {
        guard let separator = revealed.firstRange(of: "://") else {
            return ["postgresql", "postgres"].first { revealed.lowercased().hasPrefix($0 + ":") }
        }
        let scheme = revealed[..<separator.lowerBound]
        let isScheme = scheme.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme && !scheme.isEmpty ? String(scheme) : nil
    }

    /// The path, or the URL's public parts: scheme, user, host, path, and parameters that identify the state.
    package var description: String {
        guard let scheme else { return revealed }
        guard revealed.dropFirst(scheme.count).hasPrefix("://") else { return "\(scheme):…" }
        let rest = revealed.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count).prefix { !"?#".contains($0) }
        // An @ after the host may follow a password with an unescaped slash.
        guard !rest.dropFirst(authority.count).contains("@") else { return "\(scheme)://…" }
        let shown = parameters.filter { Self.shownParameters.contains($0.name) }.map { "\($0.name)=\($0.value)" }
        let query = shown.isEmpty ? "" : "?" + shown.joined(separator: "&")
        guard let at = authority.lastIndex(of: "@") else { return "\(scheme)://\(authority)\(path)\(query)" }
        let user = authority[..<at].prefix { $0 != ":" }
        return "\(scheme)://\(user)\(authority[at...])\(path)\(query)"
    }

    /// The parameters of a URL that identify the state.
    private static let shownParameters: Set<Substring> = [
        "dbname", "host", "hostaddr", "port", "schema", "service", "user",
    ]

    /// The parameters of a URL's query, as written; empty for a path.
    package var parameters: [(name: Substring, value: Substring)] {
        guard scheme != nil, let mark = revealed.firstIndex(of: "?") else { return [] }
        return revealed[revealed.index(after: mark)...].prefix { $0 != "#" }.split(separator: "&").map { parameter in
            let name = parameter.prefix { $0 != "=" }
            return (name, parameter.dropFirst(name.count + 1))
        }
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StateLocation: Hashable {
    /// Compares bytes, as file systems do.
    package static func == (left: StateLocation, right: StateLocation) -> Bool {
        left.revealed.isExactly(right.revealed)
    }
}
