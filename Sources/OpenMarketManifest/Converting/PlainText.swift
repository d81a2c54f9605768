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
                if blocks.contains(name) { text.endLine() } else if cells.contains(name) { text.add(" ") }
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

    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section", "select", "summary",
        "table", "tbody", "tfoot", "thead", "tr", "ul",
    ]
    /// Elements that share a line but stay apart.
    private static let cells: Set<String> = ["td", "th"]
    private static let hidden: Set<String> = ["script", "style", "title"]
}

/// A text with line breaks as in a browser.
private struct VisibleText {
    private(set) var text = ""
    /// Whether a tag has just begun a line, where blanks and line breaks of the source are ignored.
    private var isAtTag = false

    mutating func add(_ piece: String) {
        let piece = isAtTag ? piece.drop(while: \.isWhitespace) : piece[...]
        guard !piece.isEmpty else { return }
        text += piece
        isAtTag = false
    }

    /// Begins a line, at any position of the text.
    mutating func breakLine() {
        text += "\n"
        isAtTag = true
    }

    /// Begins a line unless the text is at the beginning of one.
    mutating func endLine() {
        while text.last?.isWhitespace == true { text.removeLast() }
        breakLine()
    }
}

/// A tag or a comment at the beginning of a text, as HTML tokenizes it.
private struct HTMLMarkup {
    enum Kind {
        /// The name, in lower case.
        case start(String)
        case end(String)
        /// Also a declaration, or an instruction.
        case comment
    }

    var kind: Kind
    var rest: Substring

    /// Reads a text that begins with `<`; `nil` if that is a literal sign, or no element name follows it.
    init?(_ text: Substring) {
        let bytes = text.utf8.dropFirst()
        let isEnd = bytes.first == UInt8(ascii: "/")
        let named = bytes.dropFirst(isEnd ? 1 : 0)
        switch named.first {
        case UInt8(ascii: "!")? where !isEnd, UInt8(ascii: "?")? where !isEnd:
            kind = .comment
            rest = Self.afterComment(Substring(bytes))
        case let letter? where Self.isLetter(letter):
            let name = named.prefix { !Self.endsName($0) }
            // An address in angle brackets is not an element.
            guard name.allSatisfy({ Self.isLetter($0) || (0x30...0x39).contains($0) || "-_:.".utf8.contains($0) }),
                let end = Self.end(ofTag: named[name.endIndex...])
            else { return nil }
            let lowercased = Substring(name).lowercased()
            kind = isEnd ? .end(lowercased) : .start(lowercased)
            rest = Substring(named[end...].dropFirst())
        default: return nil
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    private static func endsName(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }

    /// The end of a tag: the first `>` that is not in a quoted value.
    private static func end(ofTag attributes: Substring.UTF8View) -> Substring.Index? {
        var index = attributes.startIndex
        var isAtValue = false
        while index < attributes.endIndex {
            let byte = attributes[index]
            if byte == UInt8(ascii: ">") { return index }
            if isAtValue, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                guard let close = attributes[attributes.index(after: index)...].firstIndex(of: byte) else { return nil }
                index = close
                isAtValue = false
            } else if !isBlank(byte) {
                isAtValue = byte == UInt8(ascii: "=") && !isAtValue
            }
            index = attributes.index(after: index)
        }
        return nil
    }

    /// The text after a comment, a declaration or an instruction; empty if it does not end.
    private static func afterComment(_ text: Substring) -> Substring {
        guard text.utf8.starts(with: "!--".utf8) else {
            return text.utf8.firstIndex(of: UInt8(ascii: ">")).map { Substring(text.utf8[$0...].dropFirst()) } ?? ""
        }
        let inside = text.utf8.dropFirst(3)
        for short in [">", "->"] where inside.starts(with: short.utf8) {
            return Substring(inside.dropFirst(short.utf8.count))
        }
        var rest = inside
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            for end in ["-->", "--!>"] where rest.starts(with: end.utf8) {
                return Substring(rest.dropFirst(end.utf8.count))
            }
            rest = rest.dropFirst()
        }
        return ""
    }

    /// The text after an element whose content is not HTML; empty if the element does not end.
    static func after(element name: String, in text: Substring) -> Substring {
        var rest = text
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if rest.utf8.dropFirst().first == UInt8(ascii: "/"), let markup = HTMLMarkup(rest),
                case .end(name) = markup.kind
            {
                return markup.rest
            }
            rest = Substring(rest.utf8.dropFirst())
        }
        return ""
    }
}
