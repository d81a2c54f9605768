import OpenMarket

extension TableConverter {
    /// The visible text of a cell.
    func plain(_ text: String) -> String {
        mapping.isHTML ? PlainText.text(ofHTML: text) : PlainText.tidied(text)
    }

    func description(_ row: Row, _ parent: Row?) -> String {
        let text = value(mapping.description, row, parent)
        return plain(mapping.isEscaped ? Self.withLineBreaks(text) : text)
    }

    /// Replaces `\n` with a line break, as WooCommerce writes it; `\\n` stays.
    private static func withLineBreaks(_ text: String) -> String {
        text.split(separator: #"\\n"#, omittingEmptySubsequences: false).map { piece in
            piece.split(separator: #"\n"#, omittingEmptySubsequences: false).joined(separator: "\n")
        }.joined(separator: #"\\n"#)
    }

    /// Truncates a text that is too long; a name keeps the part that distinguishes variants.
    mutating func cut(
        _ text: String,
        keeping end: String = "",
        to length: Int,
        _ what: String,
        _ key: String
    ) -> String {
        let whole = text + end
        guard whole.count > length else { return whole }
        report.change(key, "the \(what) is cut to \(length) characters")
        let room = length - 1 - end.count
        guard room > 0 else { return String(whole.prefix(length - 1)).trimmed + "…" }
        return String(text.prefix(room)).trimmed + "…" + end
    }
}
