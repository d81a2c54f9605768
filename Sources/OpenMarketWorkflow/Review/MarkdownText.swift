extension StringProtocol {
    /// The text on one line, without anything that Markdown, HTML and code hosts interpret.
    ///
    /// Code hosts look for references again in the rendered text, which no longer has escapes. So an invisible space
    /// follows each sign that may begin a mention, a reference or an address.
    var markdownEscaped: String {
        let scalars = Array(terminalSafe.unicodeScalars)
        var result = ""
        result.reserveCapacity(scalars.count + 16)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\\", "`", "*", "_", "[", "]", "|", "~", "@", "#": result += "\\\(scalar)"
            // Hosts that ignore the backslash find no formula across elements.
            case "$": result += "<span>\\$</span>"
            default: result.unicodeScalars.append(scalar)
            }
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            let isMarked = next == "-" || next == "+"
            let beginsReference =
                switch scalar {
                // @name #1 !1 ~label %"milestone" &1 :emoji: scheme://
                case "@", "#", "!", "~", "%", "&", ":": isMarked || next.isWordPart || next == "\"" || next == "/"
                // *iteration:1 [issue:1] [-gone-]
                case "*", "[": isMarked || next.isWordPart && !("0"..."9" ~= next)
                // {+new+}
                case "{": isMarked
                // www.example
                default: next == "." && index > 1 && scalars[index - 2...index].allSatisfy { $0 == "w" || $0 == "W" }
                }
            if beginsReference { result += gap }
        }
        return result
    }
}

/// A zero-width space, as a character reference that readers of the source can see.
private let gap = "&#8203;"

extension Unicode.Scalar {
    /// Whether it is an ASCII letter, digit or underscore, as in the names of people and labels.
    fileprivate var isWordPart: Bool { isASCII && (properties.isAlphabetic || "0"..."9" ~= self || self == "_") }
}
