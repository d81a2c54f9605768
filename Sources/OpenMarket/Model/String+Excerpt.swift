extension String {
    /// The text for a message: one line, shortened, without loaded secrets and credentials of URLs.
    package var excerpt: String {
        // Before the cut, because recognition may need the rest.
        let text = masked.withoutURLCredentials
        var shown = ""
        for scalar in text.unicodeScalars.prefix(40) {
            switch scalar {
            case "\n": shown += "\\n"
            case "\t": shown += "\\t"
            case "\r": shown += "\\r"
            case _
            where scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .format:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > 40 ? shown + "…" : shown
    }
}
