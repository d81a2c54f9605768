import OpenMarket

extension YAMLError {
    /// A raw message of libyaml.
    struct Complaint {
        var problem: String
        var position: SourcePosition
        var context: String?
        var contextPosition: SourcePosition
        /// The character at the scanner's position; meaningful for scanner errors.
        var character: UInt8
        /// The bytes from there on, as far as they were read; meaningful for scanner errors.
        var following: [UInt8] = []
    }

    /// Converts a message of libyaml's parser or scanner to one for the author of the text.
    ///
    /// The main position is that of the mistake. For an unclosed construct libyaml stops at a later line, so the
    /// context has the mistake's position.
    static func explained(_ complaint: Complaint) -> YAMLError {
        let tab = UInt8(ascii: "\t")
        switch complaint.problem {
        case "found character that cannot start any token" where complaint.character == tab,
            "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            return YAMLError(.syntax, "tabs cannot indent YAML", at: complaint.position, help: "use spaces")
        case "found character that cannot start any token":
            let character = Character(Unicode.Scalar(complaint.character))
            return YAMLError(
                .syntax,
                "'\(character)' cannot start a value",
                at: complaint.position,
                help: "put the value in quotes"
            )
        case "mapping values are not allowed in this context":
            return YAMLError(
                .syntax,
                "a ':' is not allowed here",
                at: complaint.position,
                help: "put a text that contains ': ' in quotes; if a key was meant, check its indentation"
            )
        case "block sequence entries are not allowed in this context":
            return YAMLError(
                .syntax,
                "a list cannot start here",
                at: complaint.position,
                help: "begin it on its own line"
            )
        case "did not find expected ',' or ']'":
            return complaint.unclosed("this '[' is not closed, or a ',' is missing after an item")
        case "did not find expected ',' or '}'":
            return complaint.unclosed("this '{' is not closed, or a ',' is missing after an entry")
        case "found unexpected end of stream", "found unexpected document indicator":
            guard complaint.context == "while scanning a quoted scalar" else { break }
            return complaint.unclosed("this quote is never closed")
        case "could not find expected ':'":
            return complaint.unclosed("a ':' is missing after this key")
        case "did not find expected key":
            return YAMLError(
                .syntax,
                "a key was expected here",
                at: complaint.position,
                context: "the mapping began here",
                contextPosition: complaint.contextPosition,
                help: "check the indentation; inside single quotes a ' is written ''"
            )
        case "did not find expected '-' indicator":
            return YAMLError(
                .syntax,
                "a '-' was expected here",
                at: complaint.position,
                context: "the list began here",
                contextPosition: complaint.contextPosition,
                help: "check the indentation"
            )
        case "did not find expected <document start>":
            return YAMLError(
                .syntax,
                "this does not belong to the lines above",
                at: complaint.position,
                help: "check the indentation"
            )
        case "did not find expected alphabetic or numeric character"
        where complaint.context?.hasSuffix("an alias") == true:
            return YAMLError(
                .syntax,
                "'*' at the beginning of a value refers to an anchor, and this names none",
                at: complaint.contextPosition,
                help: "put a text that begins with '*' in quotes"
            )
        case "did not find expected alphabetic or numeric character":
            return YAMLError(
                .syntax,
                "'&' at the beginning of a value gives it an anchor, and this names none",
                at: complaint.contextPosition,
                help: "put a text that begins with '&' in quotes"
            )
        case "found invalid Unicode character escape code": return complaint.halfCharacter
        case "found unknown escape character":
            return YAMLError(
                .syntax,
                "unknown escape after '\\'",
                at: complaint.position,
                help: "write '\\\\' for a backslash, or use single quotes"
            )
        default:
            break
        }
        let isElsewhere = complaint.context != nil && complaint.contextPosition != complaint.position
        return YAMLError(
            .syntax,
            complaint.problem,
            at: complaint.position,
            context: isElsewhere ? complaint.context : nil,
            contextPosition: isElsewhere ? complaint.contextPosition : nil
        )
    }

    /// Converts a message of libyaml about single bytes.
    static func explainedEncoding(problem: String, offset: Int, value: Int32) -> YAMLError {
        if problem == "control characters are not allowed" {
            let digits = String(UInt32(bitPattern: value), radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            return YAMLError(
                .encoding,
                "the character U+\(padded) is not allowed in YAML",
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

extension YAMLError.Complaint {
    /// The error for an escape that is not a character: usually one half of a surrogate pair of JSON.
    fileprivate var halfCharacter: YAMLError {
        func code(_ digits: ArraySlice<UInt8>) -> UInt32? { UInt32(String(decoding: digits, as: UTF8.self), radix: 16) }
        let half = code(following.prefix(4))
        guard let half, (0xD800...0xDFFF).contains(half) else {
            return YAMLError(
                .syntax,
                "this escape is not a character",
                at: position,
                help: "the last one is '\\U0010FFFF'"
            )
        }
        let digits = String(decoding: following.prefix(4), as: UTF8.self)
        // The other half may not have been read yet.
        let help = "write the character itself, or the one escape that YAML has for it, such as '\\U0001F60A'"
        return YAMLError(.syntax, "the escape '\\u\(digits)' is half a character", at: position, help: help)
    }

    /// The mistake is at the beginning of the construct; libyaml noticed it later.
    fileprivate func unclosed(_ message: String) -> YAMLError {
        YAMLError(.syntax, message, at: contextPosition, context: "noticed here", contextPosition: position)
    }
}
