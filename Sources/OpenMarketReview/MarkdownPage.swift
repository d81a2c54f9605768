import OpenMarket

/// A part of a page: a list or a table, which can be cut between its rows.
struct MarkdownSection {
    var title: String
    /// What a row is, for the line that counts those left out.
    var noun: String
    /// The same of several, where an s does not make it.
    var nouns: String?
    /// The names of the columns; none for a list.
    var header: [String] = []
    var rows: [String] = []
    /// What stands in for a row when the whole ones do not fit; none where rows may be left out.
    var shortRows: [String] = []
    var isFolded = false

    fileprivate var beginning: String {
        let head = isFolded ? "\n<details><summary>\(title)</summary>\n" : "\n### \(title)\n"
        guard !header.isEmpty else { return head + "\n" }
        return head + "\n| " + header.joined(separator: " | ") + " |\n"
            + "|" + String(repeating: " --- |", count: header.count) + "\n"
    }

    fileprivate var end: String { isFolded ? "\n</details>\n" : "" }
}

/// A page that never grows over its limit: what comes first is whole, and what does not fit any more is counted at its
/// end.
struct MarkdownPage {
    /// Room that is kept for the last line, which says what was left out.
    private static let reserve = 1000

    private let limit: Int
    /// Where what does not fit can be read.
    private let elsewhere: String
    private var text = ""
    private var size = 0
    private var omitted: [String] = []

    init(limit: Int, elsewhere: String = "The plan as text, JSON or HTML has them all.") {
        self.limit = limit - Self.reserve
        self.elsewhere = elsewhere
    }

    /// Writes what has to be there.
    mutating func write(_ text: String) {
        self.text += text
        size += text.utf8.count
    }

    /// Writes a section, or as many of its rows as there is room for.
    mutating func write(_ section: MarkdownSection) {
        guard !section.rows.isEmpty else { return }
        let frame = section.beginning.utf8.count + section.end.utf8.count
        var room = limit - size - frame
        var rows = section.rows
        // Shorter, but all of them: nobody should find out later that a product goes.
        if !section.shortRows.isEmpty, rows.reduce(0, { $0 + $1.utf8.count }) > room { rows = section.shortRows }
        let shown = rows.prefix { row in
            room -= row.utf8.count
            return room >= 0
        }
        if !shown.isEmpty {
            write(section.beginning)
            for row in shown { write(row) }
            write(section.end)
        }
        let missing = rows.count - shown.count
        if missing > 0 {
            omitted.append(missing == 1 ? "1 \(section.noun)" : "\(missing) \(section.nouns ?? section.noun + "s")")
        }
    }

    /// The page, with what was left out.
    consuming func finish() -> String {
        guard !omitted.isEmpty else { return text }
        return text + "\nNot shown for their length: " + omitted.joined(separator: ", ")
            + ". \(elsewhere)\n"
    }
}

extension StringProtocol {
    /// Text in which Markdown and HTML see nothing to obey, on one line.
    var markdownEscaped: String {
        var result = ""
        // By scalars, as a reader of Markdown does: a mark behind a sign makes one character of the two.
        let scalars = Array(terminalSafe.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let rest = scalars[(index + 1)...]
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\\", "`", "*", "_", "[", "]", "|", "~": result += "\\\(scalar)"
            // Without the invisible space these would name people and issues, whom that notifies.
            case "@", "#": result += "\\\(scalar)&#8203;"
            // Addresses would become links.
            case ":" where rest.starts(with: ["/", "/"]): result += "&#58;"
            case "." where result.suffix(3).lowercased() == "www": result += "&#46;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A path between `<` and `>` of a link.
    var linkEscaped: String {
        var result = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
