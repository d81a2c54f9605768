/// Where a state is: the path of a file, or a URL, which may hold a password.
///
/// Prints without the password wherever it is interpolated, dumped or reflected, so that messages and documents can
/// show it as it is.
public struct StateLocation: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text as it was given, for what opens the state and nothing else.
    public let revealed: String

    /// A location.
    public init(_ text: String) {
        revealed = text
    }

    /// The scheme of a URL, such as `postgres`; `nil` for a path.
    public var scheme: String? {
        guard let separator = revealed.firstRange(of: "://") else { return nil }
        let scheme = revealed[..<separator.lowerBound]
        let isScheme = scheme.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme && !scheme.isEmpty ? String(scheme) : nil
    }

    /// The path as it is; of a URL what is not secret: scheme, user, host and path.
    public var description: String {
        guard let scheme else { return revealed }
        let rest = revealed.dropFirst(scheme.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count).prefix { !"?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else {
            // A password with a slash in it that was not escaped would pass for a path.
            return rest.contains("@") ? "\(scheme)://…" : "\(scheme)://\(authority)\(path)"
        }
        let user = authority[..<at].prefix { $0 != ":" }
        return "\(scheme)://\(user)\(authority[at...])\(path)"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows the description only.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StateLocation: Hashable {
    /// Compares the bytes, as file systems do.
    public static func == (left: StateLocation, right: StateLocation) -> Bool {
        left.revealed.isExactly(right.revealed)
    }
}
