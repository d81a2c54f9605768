/// A tag or a comment at the beginning of a text, as HTML tokenizes it.
package struct HTMLMarkup {
    /// Elements that begin a new line.
    package static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
        "legend", "li", "main", "menu", "nav", "ol", "optgroup", "option", "p", "pre", "section", "select", "summary",
        "table", "tbody", "tfoot", "thead", "tr", "ul",
    ]

    package enum Kind {
        /// The name, in lower case.
        case start(String)
        case end(String)
        /// Also a declaration or an instruction.
        case comment
    }

    package var kind: Kind
    package var rest: Substring

    /// Reads a text that begins with `<`; `nil` if the sign is literal, or no element name follows it.
    package init?(_ text: Substring) {
        let bytes = text.utf8.dropFirst()
        let isEnd = bytes.first == UInt8(ascii: "/")
        let named = bytes.dropFirst(isEnd ? 1 : 0)
        switch named.first {
        case UInt8(ascii: "!")? where !isEnd, UInt8(ascii: "?")? where !isEnd:
            kind = .comment
            rest = Self.afterComment(Substring(bytes))
        case let letter? where Self.isLetter(letter):
            let name = named.prefix { !Self.endsName($0) }
            // A URL in angle brackets is not an element.
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

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    private static func endsName(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }

    /// The first `>` outside of quoted values.
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

    /// The text after a comment, a declaration or an instruction; empty without an end.
    private static func afterComment(_ text: Substring) -> Substring {
        let end = text.utf8.starts(with: "!--".utf8) ? "-->" : ">"
        return text.utf8.dropFirst().firstRange(of: end.utf8).map { Substring(text.utf8[$0.upperBound...]) } ?? ""
    }

    /// The first element that shops keep only from trusted authors, such as `script`; `nil` if there is none.
    static func unsafeElement(in html: String) -> String? {
        var rest = html[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if let markup = HTMLMarkup(rest), case .start(let name) = markup.kind, unsafe.contains(name) { return name }
            rest = Substring(rest.utf8.dropFirst())
        }
        return nil
    }

    private static let unsafe: Set<String> = ["script", "style", "iframe", "object", "embed", "form", "input"]

    /// The text after an element whose content is not HTML; empty without an end.
    package static func after(element name: String, in text: Substring) -> Substring {
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

extension HTMLMarkup {
    /// A form that is equal for texts that are the same in HTML.
    ///
    /// Folded are entities, letter case of names, quotes and order of attributes, the slash in `<br />`, and blanks.
    /// Several blanks count as one, and as none next to an element that begins a line.
    static func form(of html: String) -> String {
        var form = ""
        var (isBlank, isAtBreak) = (false, true)
        // Blanks count in `<pre>`.
        let keepsBlanks = html.lowercased().contains("<pre")
        func add(_ text: String, isTag: Bool = false) {
            for scalar in text.unicodeScalars {
                if !isTag, !keepsBlanks, scalar.properties.isWhitespace {
                    isBlank = true
                    continue
                }
                if isBlank, !isAtBreak { form += " " }
                form.unicodeScalars.append(scalar)
                (isBlank, isAtBreak) = (false, isTag && isAtBreak)
            }
        }
        var rest = html[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
            add(HTMLEntities.decoded(rest[..<open]))
            rest = rest[open...]
            guard let markup = HTMLMarkup(rest) else {
                add("<")
                rest = Substring(rest.utf8.dropFirst())
                continue
            }
            let written = rest[..<markup.rest.startIndex]
            rest = markup.rest
            // No text has U+0000, so none looks like a tag.
            switch markup.kind {
            case .comment: add("\u{0}\(written)\u{0}", isTag: true)
            case .start(let name), .end(let name):
                let isBreak = name == "br" || blocks.contains(name)
                if isBreak { (isBlank, isAtBreak) = (false, true) }
                let slash = if case .end = markup.kind, name != "br" { "/" } else { "" }
                let parts = [slash + name] + attributes(written.utf8.drop { !endsName($0) }.dropLast())
                add("\u{0}\(parts.joined(separator: "\u{1}"))\u{0}", isTag: true)
            }
        }
        add(HTMLEntities.decoded(rest))
        return form
    }

    /// In a fixed order.
    private static func attributes(_ text: Substring.UTF8View) -> [String] {
        var attributes: [String] = []
        var rest = text
        while true {
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: "/") }
            guard !rest.isEmpty else { return attributes.sorted() }
            // A name may begin with `=`.
            let end = rest.dropFirst().firstIndex { endsName($0) || $0 == UInt8(ascii: "=") } ?? rest.endIndex
            let name = Substring(rest[..<end])
            rest = rest[end...]
            var value = Substring()
            let assigned = rest.drop(while: isBlank)
            if assigned.first == UInt8(ascii: "=") {
                rest = assigned.dropFirst().drop(while: isBlank)
                if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    value = Substring(rest.dropFirst().prefix { $0 != quote })
                    rest = rest.dropFirst(value.utf8.count + 2)
                } else {
                    value = Substring(rest.prefix { !isBlank($0) })
                    rest = rest.dropFirst(value.utf8.count)
                }
            }
            attributes.append("\(name.lowercased())=\(HTMLEntities.decoded(value))")
        }
    }
}
