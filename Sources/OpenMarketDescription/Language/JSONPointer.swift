import YAML

/// A pointer into a reply or a body (RFC 6901): `/prices/0/amount`; empty for the whole.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package enum Token: Hashable, Sendable {
        /// The member with this name, or the element with this number if the value is an array.
        case member(String)
        /// The value of the parameter with this name.
        case parameter(String)
    }

    /// The steps, at most ``longest``.
    package let tokens: [Token]

    /// The maximum number of steps of a pointer.
    static let longest = 8
    /// The maximum length of a step, in Unicode scalars.
    static let longestToken = 64
    /// The last array element that a pointer may refer to, which bounds the work for each row.
    static let lastIndex = 31

    /// The regular expression of a pointer in a description.
    static let pattern =
        #"^(/(\{[a-z][a-z0-9_]*\}|([^~/{}\u0000-\u001F\u007F]|~[01]){1,\#(longestToken)})){0,\#(longest)}"#
        + TextForm.end

    init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var tokens: [Token] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let token = Self.token(part) else { return nil }
            tokens.append(token)
        }
        guard tokens.count <= Self.longest else { return nil }
        self.tokens = tokens
    }

    private static func token(_ part: Substring) -> Token? {
        if part.first == "{", part.last == "}" {
            let name = String(part.dropFirst().dropLast())
            return TextForm.parameter.takes(name) ? .parameter(name) : nil
        }
        var name = ""
        var isEscaped = false
        var length = 0
        for scalar in part.unicodeScalars {
            if isEscaped {
                guard scalar == "0" || scalar == "1" else { return nil }
                name.unicodeScalars.append(scalar == "0" ? "~" : "/")
                isEscaped = false
                continue
            }
            length += 1
            switch scalar {
            case "{", "}", "\u{0}"..."\u{1F}", "\u{7F}": return nil
            case "~": isEscaped = true
            default: name.unicodeScalars.append(scalar)
            }
        }
        guard !isEscaped, (1...longestToken).contains(length) else { return nil }
        return .member(name)
    }

    init(tokens: [Token]) { self.tokens = tokens }

    package static let whole = JSONPointer(tokens: [])

    var parameters: [String] {
        tokens.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The pointer to the array before the first number; `nil` without a number.
    package var array: JSONPointer? {
        let index = tokens.firstIndex { token in
            guard case .member(let name) = token else { return false }
            return Self.index(name) != nil
        }
        return index.map { JSONPointer(tokens: Array(tokens[..<$0])) }
    }

    /// The index of an element in a pointer's spelling; `nil` if it is the name of a member.
    package static func index(_ name: String) -> Int? {
        guard name.utf8.count <= 2, let index = Int(name), index >= 0, String(index).utf8.elementsEqual(name.utf8)
        else {
            return nil
        }
        return index
    }

    /// Whether one pointer equals the other or leads into it.
    func overlaps(_ other: JSONPointer) -> Bool {
        tokens.starts(with: other.tokens) || other.tokens.starts(with: tokens)
    }

    package var description: String {
        tokens.map { token in
            switch token {
            case .member(let name):
                "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
            case .parameter(let name): "/{\(name)}"
            }
        }.joined()
    }
}
