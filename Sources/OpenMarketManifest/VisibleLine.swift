import OpenMarket

/// The rules for texts that are visible on one line, such as names and keys.
package enum VisibleLine {
    /// Why a text is not a visible line, as a phrase that follows its name; `nil` if it is one.
    package static func fault(of text: String) -> String? {
        if text.withUTF8Span({ $0.isKnownVisible }) { return nil }
        if text.unicodeScalars.contains(where: \.isControlOrLineBreak) {
            return "has a line break or another control character"
        }
        return text.unicodeScalars.contains(where: \.isVisible) ? nil : "has no visible character"
    }
}
