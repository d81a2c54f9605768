import OpenMarket

/// A row of a section: a line of a table, an entry of a list.
struct MarkdownRow {
    /// The row, with its line end.
    var text: String
    /// What replaces it where the section does not fit; the same where nothing is shorter.
    var short: String
    /// Whether it is there, if any is: others make room for it.
    var isKept = false

    init(_ text: String, short: String? = nil, isKept: Bool = false) {
        self.text = text
        self.short = short ?? text
        self.isKept = isKept
    }
}

/// A part of a page: a list or a table, which can be cut between its rows.
struct MarkdownSection {
    /// The name of a column, and how its cells are aligned.
    struct Column: ExpressibleByStringLiteral {
        var title: String
        var isNumber = false

        init(stringLiteral title: String) { self.title = title }

        /// A column of numbers, which are aligned by their last digit.
        static func number(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.isNumber = true
            return column
        }
    }

    var title: String
    /// What a row is, for the line that counts those left out.
    var noun: String
    /// The same of several, where an s does not make it.
    var nouns: String?
    /// The columns; none for a list.
    var header: [Column] = []
    var rows: [MarkdownRow] = []
    var isFolded = false

    fileprivate var beginning: String {
        let head = isFolded ? "\n<details><summary>\(title)</summary>\n" : "\n### \(title)\n"
        guard !header.isEmpty else { return head + "\n" }
        return head + "\n| " + header.map(\.title).joined(separator: " | ") + " |\n|"
            + header.map { $0.isNumber ? " ---: |" : " --- |" }.joined() + "\n"
    }

    fileprivate var end: String { isFolded ? "\n</details>\n" : "" }

    fileprivate var frame: Int { beginning.utf8.count + end.utf8.count }

    /// The least that it takes with the rows that others make room for.
    fileprivate var keptSize: Int {
        let size = rows.reduce(0) { $0 + ($1.isKept ? $1.short.utf8.count : 0) }
        return size == 0 ? 0 : size + frame
    }

    /// The rows that fit: whole, else all of them shorter, else as many as there is room for, those to be kept first.
    fileprivate func fitting(_ room: Int) -> [String] {
        guard rows.reduce(0, { $0 + $1.text.utf8.count }) > room else { return rows.map(\.text) }
        var room = room
        func fits(_ row: MarkdownRow) -> Bool {
            guard row.short.utf8.count <= room else {
                // What comes first is there, and not what happens to be short.
                room = 0
                return false
            }
            room -= row.short.utf8.count
            return true
        }
        let kept = rows.indices.filter { rows[$0].isKept }.prefix { fits(rows[$0]) }
        let others = rows.indices.filter { !rows[$0].isKept }.prefix { fits(rows[$0]) }
        return (kept + others).sorted().map { rows[$0].short }
    }
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
    /// How many rows of each kind are left out, in the order of the page.
    private var omitted: [(noun: String, nouns: String, count: Int)] = []

    init(limit: Int, elsewhere: String = "The plan as text, JSON or HTML has them all.") {
        self.limit = limit - Self.reserve
        self.elsewhere = elsewhere
    }

    /// Writes what has to be there.
    mutating func write(_ text: String) {
        self.text += text
        size += text.utf8.count
    }

    /// Writes sections, each with as many of its rows as there is room for.
    mutating func write(_ sections: [MarkdownSection]) {
        var kept = sections.reduce(0) { $0 + $1.keptSize }
        for section in sections {
            kept -= section.keptSize
            write(section, leaving: kept)
        }
    }

    /// Writes a section, or as many of its rows as there is room for beside what later ones need.
    private mutating func write(_ section: MarkdownSection, leaving kept: Int) {
        guard !section.rows.isEmpty else { return }
        let shown = section.fitting(limit - size - section.frame - kept)
        if !shown.isEmpty {
            write(section.beginning)
            for row in shown { write(row) }
            write(section.end)
        }
        leaveOut(section.rows.count - shown.count, of: section)
    }

    private mutating func leaveOut(_ count: Int, of section: MarkdownSection) {
        guard count > 0 else { return }
        if let place = omitted.firstIndex(where: { $0.noun == section.noun }) {
            omitted[place].count += count
        } else {
            omitted.append((section.noun, section.nouns ?? section.noun + "s", count))
        }
    }

    /// The page, with what was left out.
    consuming func finish() -> String {
        guard !omitted.isEmpty else { return text }
        let parts = omitted.map { "\($0.count) \($0.count == 1 ? $0.noun : $0.nouns)" }
        return text + "\nNot shown for their length: " + parts.joined(separator: ", ") + ". \(elsewhere)\n"
    }
}

extension StringProtocol {
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
