import OpenMarket

/// The form of a text in a description, from which both the loader's check and the JSON Schema's pattern derive.
struct TextForm: Sendable {
    /// Characters, as a regular expression lists them between brackets.
    private struct Characters: Sendable {
        let pattern: String
        let ranges: [ClosedRange<Unicode.Scalar>]

        init(_ pattern: String, _ ranges: [ClosedRange<Unicode.Scalar>]) {
            self.pattern = pattern
            self.ranges = ranges
        }

        func contain(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar) } }

        static let lower = Characters("a-z", ["a"..."z"])
        static let lowerAndDigits = Characters("a-z0-9", ["a"..."z", "0"..."9"])
        static let upper = Characters("A-Z", ["A"..."Z"])
        static let nameParts = Characters(#"a-z0-9._\-"#, ["a"..."z", "0"..."9", "."...".", "_"..."_", "-"..."-"])
        static let parameterParts = Characters("a-z0-9_", ["a"..."z", "0"..."9", "_"..."_"])
        /// `token` of RFC 9110.
        static let token = Characters(
            #"!#$%&'*+.^_`|~0-9A-Za-z\-"#,
            [
                "!"..."!", "#"..."'", "*"..."+", "-"...".", "0"..."9", "A"..."Z", "^"..."z", "|"..."|", "~"..."~",
            ]
        )
        static let tokenAndSlash = Characters("/" + token.pattern, ["/"..."/"] + token.ranges)
        static let slash = Characters("/", ["/"..."/"])
        /// Printable ASCII without space and without characters that an address must encode.
        static let address = Characters(
            #"!$-;=@A-Z\[\]_a-z{}~"#,
            ["!"..."!", "$"...";", "="..."=", "@"..."[", "]"..."]", "_"..."_", "a"..."{", "}"..."~"]
        )
        /// Characters in names of queries, brackets included: `filter[id]`.
        static let queryName = Characters(
            #"!$'-*,-;@A-Z\[\]_a-z~"#,
            ["!"..."!", "$"..."$", "'"..."*", ","...";", "@"..."[", "]"..."]", "_"..."_", "a"..."z", "~"..."~"]
        )
        static let printable = Characters(" -~", [" "..."~"])
        static let text = Characters(
            #"^\u0000-\u001F\u007F-\u009F\u2028\u2029"#,
            [" "..."~", "\u{A0}"..."\u{2027}", "\u{202A}"..."\u{10FFFF}"]
        )
    }

    /// The use of a text, if safety rules apply to it.
    enum Role: Sendable {
        /// No safety rules apply.
        case plain
        /// The path of a request.
        case path
        /// The name of a request's header.
        case header
        /// The name of a request's query.
        case query
    }

    /// The form in words, for messages and the reference: `the name of a header`.
    let words: String
    /// A remedy for a text without the form; `nil` if the words suffice.
    let help: String?
    let role: Role
    /// The regular expression of the JSON Schema.
    let pattern: String
    private let first: Characters
    private let rest: Characters
    private let length: ClosedRange<Int>

    private init(
        _ words: String,
        _ first: Characters,
        _ rest: Characters,
        _ length: ClosedRange<Int>,
        role: Role = .plain,
        help: String? = nil
    ) {
        self.words = words
        self.help = help
        self.role = role
        self.first = first
        self.rest = rest
        self.length = length
        pattern =
            length.lowerBound == 0
            ? "^[\(rest.pattern)]{0,\(length.upperBound)}\(Self.end)"
            : "^[\(first.pattern)][\(rest.pattern)]{\(length.lowerBound - 1),\(length.upperBound - 1)}\(Self.end)"
    }

    /// The end of a text in a regular expression: in some engines `$` also matches before a last line feed.
    static let end = #"$(?!\n)"#

    func takes(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard length.contains(scalars.count) else { return false }
        guard let start = scalars.first else { return true }
        let isRest = length.lowerBound == 0
        return (isRest ? rest : first).contain(start) && scalars.dropFirst().allSatisfy { rest.contain($0) }
    }

    /// The name of a market.
    static let name = TextForm(
        "a name of lower-case letters, digits, `.`, `_` and `-`",
        .lowerAndDigits,
        .nameParts,
        1...64
    )
    static let parameter = TextForm("a name of lower-case letters, digits and `_`", .lower, .parameterParts, 1...32)
    /// The name in the braces of a template.
    static let placeholder = TextForm("a name of lower-case letters, digits and `_`", .lower, .parameterParts, 1...32)
    static let currency = TextForm("a currency code such as `KRW`", .upper, .upper, 3...3)
    /// A line for people.
    static let line = TextForm("one line of text", .text, .text, 1...200)
    /// The name of a request's header.
    static let header = TextForm("the name of a header", .token, .token, 1...64, role: .header)
    /// The name of a reply's header.
    static let replyHeader = TextForm("the name of a header", .token, .token, 1...64)
    static let headerValue = TextForm("printable ASCII", .printable, .printable, 1...512)
    /// The text before a secret in a header, or nothing.
    static let prefix = TextForm("printable ASCII", .printable, .printable, 1...32)
    static let query = TextForm("the name of a query", .queryName, .queryName, 1...64, role: .query)
    /// The value of a query, before encoding.
    static let queryValue = TextForm("one line of text", .text, .text, 0...512)
    /// A path whose non-ASCII characters are already percent-encoded.
    static let path = TextForm(
        "a path that begins with `/`",
        .slash,
        .address,
        1...512,
        role: .path,
        help: "queries have a key of their own, 'query'; what is not ASCII is percent-encoded"
    )
    static let mediaType = TextForm("a media type such as `application/json`", .token, .tokenAndSlash, 3...100)
    /// The name of a part of a multipart body.
    static let part = TextForm("the name of a part", .queryName, .queryName, 1...64)
    /// Any text that a product may hold.
    static let value = TextForm("one line of text", .text, .text, 0...512)
}
