extension String {
    /// The text as a message shows it: on one line, and not long.
    package var excerpt: String {
        var shown = ""
        for scalar in unicodeScalars.prefix(40) {
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
        return unicodeScalars.count > 40 ? shown + "…" : shown
    }
}
