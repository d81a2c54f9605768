import OpenMarket

/// The visible text of HTML: without tags, with paragraphs and list items on separate lines.
enum PlainText {
    /// The text of HTML with normalized blanks.
    ///
    /// Line breaks outside tags stay, because they matter in texts that are only partly HTML.
    static func text(ofHTML html: String) -> String {
        var text = VisibleText()
        var rest = html[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            text.add(HTMLEntities.decoded(rest[..<open]))
            rest = rest[open...]
            guard let markup = HTMLMarkup(rest) else {
                // A literal sign, not a tag.
                text.add("<")
                rest = rest[rest.utf8.index(after: open)...]
                continue
            }
            rest = markup.rest
            switch markup.kind {
            case .start(let name) where hidden.contains(name): rest = HTMLMarkup.after(element: name, in: rest)
            case .start("br"), .end("br"): text.breakLine()
            case .start(let name), .end(let name):
                if HTMLMarkup.blocks.contains(name) { text.endLine() } else if cells.contains(name) { text.add(" ") }
            case .comment: break
            }
        }
        text.add(HTMLEntities.decoded(rest))
        let lines = text.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { oneLine($0) }
        return lines.enumerated()
            .filter { number, line in !line.isEmpty || number > 0 && !lines[number - 1].isEmpty }
            .map(\.element).joined(separator: "\n").trimmed
    }

    /// A text whose lines are unchanged except for line ends, trailing blanks and control characters.
    static func tidied(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: line.unicodeScalars.map { $0.isControl && $0 != "\t" ? " " : $0 })
            while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
            return String(scalars)
        }.joined(separator: "\n")
    }

    /// A text on one line, with one blank between its words.
    static func oneLine(_ text: some StringProtocol) -> String {
        text.split { $0.isWhitespace || $0.unicodeScalars.allSatisfy(\.isControl) }.joined(separator: " ")
    }

    /// Elements that share a line but stay apart.
    private static let cells: Set<String> = ["td", "th"]
    private static let hidden: Set<String> = ["script", "style", "title"]
}

/// A text with line breaks as in a browser.
private struct VisibleText {
    private(set) var text = ""
    /// Whether a tag has just started a line; blanks and line breaks of the source are then ignored.
    private var isAtTag = false

    mutating func add(_ piece: String) {
        let piece = isAtTag ? piece.drop(while: \.isWhitespace) : piece[...]
        guard !piece.isEmpty else { return }
        text += piece
        isAtTag = false
    }

    /// Starts a line, at any position of the text.
    mutating func breakLine() {
        text += "\n"
        isAtTag = true
    }

    /// Starts a line unless the text is at the start of one.
    mutating func endLine() {
        while text.last?.isWhitespace == true { text.removeLast() }
        breakLine()
    }
}
