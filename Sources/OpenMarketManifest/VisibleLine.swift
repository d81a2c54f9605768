import OpenMarket

/// What a text must be to be seen on one line, as names and keys are.
package enum VisibleLine {
    /// What keeps it from that, as a phrase behind the word; `nil` where nothing does.
    package static func fault(of text: String) -> String? {
        if text.withUTF8Span({ $0.isKnownVisible }) { return nil }
        if text.unicodeScalars.contains(where: \.isControlOrLineBreak) {
            return "has a line break or another control character"
        }
        return text.unicodeScalars.contains(where: \.isVisible) ? nil : "has no visible character"
    }
}
