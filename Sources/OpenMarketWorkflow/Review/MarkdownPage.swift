import OpenMarket

/// A row of a section: a line of a table or an entry of a list.
struct MarkdownRow {
    var text: String
    /// The text if the section does not fit; equals `text` without a shorter one.
    var short: String
    /// Whether the row is kept when others are cut.
    var isKept = false

    init(_ text: String, short: String? = nil, isKept: Bool = false) {
        self.text = text
        self.short = short ?? text
        self.isKept = isKept
    }
}

/// A list or a table of a page, which can be cut between its rows.
struct MarkdownSection {
    struct Column: ExpressibleByStringLiteral {
        var title: String
        var isNumber = false

        init(stringLiteral title: String) { self.title = title }

        static func number(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.isNumber = true
            return column
        }
    }

    var title: String
    /// The noun for a row, in the line that counts omitted rows.
    var noun: String
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

    fileprivate var keptSize: Int {
        let size = rows.reduce(0) { $0 + ($1.isKept ? $1.short.utf8.count : 0) }
        return size == 0 ? 0 : size + frame
    }

    /// The rows that fit: all of them whole, else all shortened, else as many as fit, with kept rows first.
    fileprivate func fitting(_ room: Int) -> [String] {
        guard rows.reduce(0, { $0 + $1.text.utf8.count }) > room else { return rows.map(\.text) }
        var room = room
        func fits(_ row: MarkdownRow) -> Bool {
            guard row.short.utf8.count <= room else {
                // Earlier rows come first, even if a later one is short enough to fit.
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

/// A page that never exceeds its limit.
///
/// The first rows are whole; the page ends with a count of the omitted rows.
struct MarkdownPage {
    /// Bytes reserved for the last line, which counts the omitted rows.
    private static let reserve = 1000

    private let limit: Int
    /// A sentence that names the place of the omitted rows.
    private let elsewhere: String
    private var text = ""
    private var size = 0
    private var omitted: [(noun: String, count: Int)] = []

    init(limit: Int, elsewhere: String = "The plan as text, JSON or HTML has them all.") {
        self.limit = limit - Self.reserve
        self.elsewhere = elsewhere
    }

    /// Writes text that may not be omitted.
    mutating func write(_ text: String) {
        self.text += text
        size += text.utf8.count
    }

    /// Writes sections, each with as many of its rows as fit.
    mutating func write(_ sections: [MarkdownSection]) {
        var kept = sections.reduce(0) { $0 + $1.keptSize }
        for section in sections {
            kept -= section.keptSize
            write(section, leaving: kept)
        }
    }

    /// Writes a section with as many of its rows as fit, and leaves room for the kept rows of later ones.
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
            omitted.append((section.noun, count))
        }
    }

    /// The page, with the count of omitted rows.
    consuming func finish() -> String {
        guard !omitted.isEmpty else { return text }
        let parts = omitted.map { counted($0.count, $0.noun) }
        return text + "\nNot shown for their length: " + parts.joined(separator: ", ") + ". \(elsewhere)\n"
    }
}

extension StringProtocol {
    /// The path, escaped for a link between `<` and `>`.
    package var linkEscaped: String {
        masked.percentEncoded { $0.isUnreserved && $0 != UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
    }
}
