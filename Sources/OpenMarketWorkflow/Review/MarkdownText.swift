extension StringProtocol {
    /// The text on one line, without anything that Markdown, HTML and code hosts interpret.
    ///
    /// Code hosts look for references again in the rendered text, which no longer has escapes. So an invisible space is
    /// inserted into everything that they turn into links, mentions, pictures or formulas.
    var markdownEscaped: String {
        let scalars = Array(terminalSafe.unicodeScalars)
        var result = ""
        result.reserveCapacity(scalars.count + 16)
        var index = 0
        // Whether a word that contains a letter precedes.
        var followsName = false
        while index < scalars.count {
            let rest = scalars[index...]
            let word = rest.prefix(while: \.isWordPart)
            if word.isEmpty {
                append(rest, to: &result, followsName: followsName)
                followsName = false
                index += 1
            } else {
                index += word.count
                append(word: word, before: scalars[index...].first, to: &result)
                followsName = word.contains { $0.properties.isAlphabetic }
            }
        }
        return result
    }
}

/// A zero-width space, as a character reference that readers of the source can see.
private let gap = "&#8203;"

/// The fewest digits of a commit that code hosts recognize.
private let shortestCommit = 7

private func append(word: ArraySlice<Unicode.Scalar>, before next: Unicode.Scalar?, to result: inout String) {
    let mayBeCommit = word.count >= shortestCommit && word.allSatisfy(\.properties.isASCIIHexDigit)
    for (place, scalar) in word.enumerated() {
        if mayBeCommit, place > 0, place % (shortestCommit - 1) == 0 { result += gap }
        if scalar == "_" { result += "\\" }
        result.unicodeScalars.append(scalar)
    }
    // www.example
    if next == ".",
        word.suffix(3).elementsEqual("www".unicodeScalars, by: { $0.properties.lowercaseMapping == String($1) })
    {
        result += gap
    }
}

private func append(_ text: ArraySlice<Unicode.Scalar>, to result: inout String, followsName: Bool) {
    guard let sign = text.first else { return }
    let next = text.dropFirst().first
    let namesSomething = next.map { $0.isWordPart || $0 == "\"" } ?? false
    switch sign {
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    // &1
    case "&": result += "&amp;" + (next?.isDigit == true ? gap : "")
    case "\\", "`", "]", "|": result += "\\\(sign)"
    // @name #1 owner/repository#1
    case "@", "#": result += "\\\(sign)" + gap
    // ~label *iteration:1 [issue:1] [-gone-]
    case "~": result += "\\~" + (namesSomething ? gap : "")
    case "*", "[":
        let isLetter = next.map { $0.isWordPart && !$0.isDigit } ?? false
        result += "\\\(sign)" + (isLetter || next == "-" || next == "+" ? gap : "")
    // {+new+}
    case "{": result += "{" + (next == "-" || next == "+" ? gap : "")
    // Hosts that ignore the backslash find no formula across elements.
    case "$": result += "<span>\\$</span>"
    // !1
    case "!": result += "!" + (next?.isDigit == true ? gap : "")
    // %1 %"milestone"
    case "%": result += "%" + (namesSomething ? gap : "")
    // GH-1 JIRA-1
    case "-": result += "-" + (followsName && next?.isDigit == true ? gap : "")
    // scheme:// :emoji:
    case ":": result += ":" + (text.dropFirst().starts(with: "//".unicodeScalars) || text.beginsWithEmoji ? gap : "")
    default: result.unicodeScalars.append(sign)
    }
}

extension ArraySlice<Unicode.Scalar> {
    /// Whether it begins like `:smile:`.
    fileprivate var beginsWithEmoji: Bool {
        let name = dropFirst().prefix { $0.isWordPart || $0 == "+" || $0 == "-" }
        return !name.isEmpty && name.endIndex < endIndex && self[name.endIndex] == ":"
    }
}

extension Unicode.Scalar {
    /// Whether it is an ASCII letter, digit or underscore, as in the names of people, labels and commits.
    fileprivate var isWordPart: Bool { isASCII && (properties.isAlphabetic || isDigit || self == "_") }

    fileprivate var isDigit: Bool { "0"..."9" ~= self }
}
