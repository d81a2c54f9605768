import OpenMarket

extension YAMLError {
    /// Whose position counts: for an unclosed construct libyaml stops at a later line, so the context has the mistake's.
    private enum Place {
        case problem
        case context
        /// The context, with the problem's position for "noticed here".
        case opening
        /// The problem, with words for the context's position.
        case begun(String)
    }

    private typealias Words = (message: String, help: String?, place: Place)

    private static let tabs: Words = ("tabs cannot indent YAML", "use spaces", .problem)

    /// By libyaml's problem, or its problem and context.
    private static let words: [String: Words] = [
        "found character that cannot start any token": tabs,
        "found a tab character that violates indentation": tabs,
        "found a tab character where an indentation space is expected": tabs,
        "mapping values are not allowed in this context": (
            "a ':' is not allowed here",
            "put a text that contains ': ' in quotes; if a key was meant, check its indentation", .problem
        ),
        "block sequence entries are not allowed in this context": (
            "a list cannot start here", "begin it on its own line", .problem
        ),
        "did not find expected ',' or ']'": (
            "this '[' is not closed, or a ',' is missing after an item", nil, .opening
        ),
        "did not find expected ',' or '}'": (
            "this '{' is not closed, or a ',' is missing after an entry", nil, .opening
        ),
        "found unexpected end of stream while scanning a quoted scalar": quote,
        "found unexpected document indicator while scanning a quoted scalar": quote,
        "could not find expected ':'": ("a ':' is missing after this key", nil, .opening),
        "did not find expected key": (
            "a key was expected here", "check the indentation; inside single quotes a ' is written ''",
            .begun("the mapping began here")
        ),
        "did not find expected '-' indicator": (
            "a '-' was expected here", "check the indentation", .begun("the list began here")
        ),
        "did not find expected <document start>": (
            "this does not belong to the lines above", "check the indentation", .problem
        ),
        "did not find expected alphabetic or numeric character while scanning an alias": (
            "'*' at the beginning of a value refers to an anchor, and this names none",
            "put a text that begins with '*' in quotes", .context
        ),
        "did not find expected alphabetic or numeric character while scanning an anchor": (
            "'&' at the beginning of a value gives it an anchor, and this names none",
            "put a text that begins with '&' in quotes", .context
        ),
        "found invalid Unicode character escape code": (
            "this escape is not a character",
            "write the character itself, or the one escape that YAML has for it, such as '\\U0001F60A'", .problem
        ),
        "found unknown escape character": (
            "unknown escape after '\\'", "write '\\\\' for a backslash, or use single quotes", .problem
        ),
    ]

    private static let quote: Words = ("this quote is never closed", nil, .opening)

    /// Converts a message of libyaml's parser or scanner to one for the author of the text.
    ///
    /// `character` is the one at the scanner's position.
    func explained(at character: UInt8) -> YAMLError {
        if message == "found character that cannot start any token", character != UInt8(ascii: "\t") {
            let message = "'\(Character(Unicode.Scalar(character)))' cannot start a value"
            return YAMLError(.syntax, message, at: position, help: "put the value in quotes")
        }
        guard let words = Self.words[message] ?? Self.words["\(message) \(context ?? "")"] else {
            return context == nil || contextPosition == position ? YAMLError(.syntax, message, at: position) : self
        }
        var error = YAMLError(.syntax, words.message, at: position, help: words.help)
        switch words.place {
        case .problem: break
        case .context: error.position = contextPosition
        case .opening:
            (error.position, error.context, error.contextPosition) = (contextPosition, "noticed here", position)
        case .begun(let words): (error.context, error.contextPosition) = (words, contextPosition)
        }
        return error
    }

    /// Converts a message of libyaml about single bytes.
    static func explainedEncoding(problem: String, offset: Int, value: Int32) -> YAMLError {
        if problem == "control characters are not allowed" {
            return YAMLError(
                .encoding,
                "the character U+\(String(value, radix: 16, uppercase: true, width: 4)) is not allowed in YAML",
                help: "remove it, or write it as an escape in double quotes",
                byteOffset: offset
            )
        }
        return YAMLError(
            .encoding,
            problem.contains("UTF-16") || problem.contains("surrogate") ? problem : "this is not UTF-8 text",
            help: "save the file as UTF-8",
            byteOffset: offset
        )
    }
}
