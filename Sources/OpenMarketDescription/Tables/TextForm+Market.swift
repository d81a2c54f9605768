import YAML

extension TextForm {
    static let name = TextForm(
        "a name of lower-case letters, digits, `.`, `_` and `-`",
        .lowerAndDigits,
        .nameParts,
        1...64
    )
    /// The name of a parameter, which templates have in braces.
    static let parameter = TextForm("a name of lower-case letters, digits and `_`", .lower, .parameterParts, 1...32)
    static let currency = TextForm("a currency code such as `KRW`", .upper, .upper, 3...3)
    /// A line for people.
    static let line = TextForm("one line of text", .text, .text, 1...200)
    static let header = TextForm("the name of a header", .token, .token, 1...64)
    static let headerValue = TextForm("printable ASCII", .printable, .printable, 1...512)
    /// The text before a secret in a header, or an empty one.
    static let prefix = TextForm("printable ASCII", .printable, .printable, 1...32)
    static let query = TextForm("the name of a query", .queryName, .queryName, 1...64)
    /// The value of a parameter that fits a path.
    static let slug = TextForm("a slug", .slugParts, .slugParts, 1...128)
    /// A path whose non-ASCII characters are already percent-encoded.
    static let path = TextForm(
        "a path that begins with `/`",
        .slash,
        .address,
        1...512,
        help: "queries belong in the key 'query'; non-ASCII characters are percent-encoded"
    )
    static let mediaType = TextForm("a media type such as `application/json`", .token, .tokenAndSlash, 3...100)
    /// The name of a part of a multipart body.
    static let part = TextForm("the name of a part", .queryName, .queryName, 1...64)
    /// Any text that a product or a query may contain.
    static let value = TextForm("one line of text", .text, .text, 0...512)
}

extension TextForm.Characters {
    static let lower = Self("a-z", ["a"..."z"])
    static let lowerAndDigits = Self("a-z0-9", ["a"..."z", "0"..."9"])
    static let upper = Self("A-Z", ["A"..."Z"])
    static let nameParts = Self(#"a-z0-9._\-"#, ["a"..."z", "0"..."9", "."...".", "_"..."_", "-"..."-"])
    static let slugParts = Self(#"A-Za-z0-9._~\-"#, ["A"..."Z", "a"..."z", "0"..."9", "-"...".", "_"..."_", "~"..."~"])
    static let parameterParts = Self("a-z0-9_", ["a"..."z", "0"..."9", "_"..."_"])
    /// `token` of RFC 9110.
    static let token = Self(
        #"!#$%&'*+.^_`|~0-9A-Za-z\-"#,
        [
            "!"..."!", "#"..."'", "*"..."+", "-"...".", "0"..."9", "A"..."Z", "^"..."z", "|"..."|", "~"..."~",
        ]
    )
    static let tokenAndSlash = Self("/" + token.pattern, ["/"..."/"] + token.ranges)
    static let slash = Self("/", ["/"..."/"])
    /// Printable ASCII without space and without characters that an address must encode.
    static let address = Self(
        #"!$-;=@A-Z\[\]_a-z{}~"#,
        ["!"..."!", "$"...";", "="..."=", "@"..."[", "]"..."]", "_"..."_", "a"..."{", "}"..."~"]
    )
    /// Characters in names of queries, brackets included: `filter[id]`.
    static let queryName = Self(
        #"!$'-*,-;@A-Z\[\]_a-z~"#,
        ["!"..."!", "$"..."$", "'"..."*", ","...";", "@"..."[", "]"..."]", "_"..."_", "a"..."z", "~"..."~"]
    )
    static let printable = Self(" -~", [" "..."~"])
    static let text = Self(
        #"^\u0000-\u001F\u007F-\u009F\u2028\u2029"#,
        [" "..."~", "\u{A0}"..."\u{2027}", "\u{202A}"..."\u{10FFFF}"]
    )
}
