/// The text that people see of HTML: without tags, paragraphs and list items on lines of their own.
enum PlainText {
    /// The text of some HTML; of a text without tags that text, its blanks put in order.
    static func text(ofHTML html: String) -> String {
        var text = ""
        var rest = html[...]
        while let open = rest.firstIndex(of: "<") {
            text += rest[..<open]
            guard let close = rest[open...].firstIndex(of: ">") else {
                // No tag, but a sign.
                text += rest[open...]
                rest = ""
                break
            }
            let tag = rest[rest.index(after: open)..<close].lowercased()
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }
            rest = rest[rest.index(after: close)...]
            if name.isEmpty {
                text += "<\(tag)>"
            } else if hidden.contains(String(name)), !tag.hasPrefix("/") {
                rest = after(String(name), in: rest)
            } else if blocks.contains(String(name)) {
                text += "\n"
            }
        }
        text += rest
        return tidied(entities(text))
    }

    /// Without blanks around lines, and no more than one empty line between others.
    static func tidied(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            line.split { $0.isWhitespace || $0.unicodeScalars.allSatisfy(\.isControl) }.joined(separator: " ")
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static let blocks: Set<String> = [
        "p", "br", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "section", "blockquote",
    ]
    private static let hidden: Set<String> = ["script", "style"]

    /// What follows the end of an element.
    private static func after(_ name: String, in text: Substring) -> Substring {
        var rest = text
        while let open = rest.firstIndex(of: "<") {
            let tail = rest[rest.index(after: open)...]
            if tail.prefix(name.count + 1).lowercased() == "/" + name {
                return tail.firstIndex(of: ">").map { tail[tail.index(after: $0)...] } ?? ""
            }
            rest = tail
        }
        return ""
    }

    private static let names: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "hellip": "…", "bull": "•", "deg": "°", "copy": "©",
        "reg": "®", "trade": "™", "times": "×", "eacute": "é", "euro": "€", "pound": "£",
    ]

    /// With the characters that entities stand for.
    private static func entities(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            let tail = rest[rest.index(after: start)...]
            guard let end = tail.prefix(10).firstIndex(of: ";"), let meant = character(tail[..<end]) else {
                result += "&"
                rest = tail
                continue
            }
            result += meant
            rest = tail[tail.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return names[String(name)] }
        let digits = name.dropFirst()
        let number = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }
}
