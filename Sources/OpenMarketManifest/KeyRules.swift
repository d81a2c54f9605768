import OpenMarket

/// What a text must be to be the key of a product, in manifests, tables and imported states.
package enum KeyRules {
    /// What keeps a text from being a key, as a phrase behind the word; `nil` where nothing does.
    package static func fault(of text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if !ProductLimits.allows(text, length: 0...200) {
            return "has \(ProductLimits.length(of: text)) characters, and 200 is the most"
        }
        if text.withUTF8Span({ $0.hasLostText }) { return "is '\(text.excerpt)', which \(LostText.message)" }
        return VisibleLine.fault(of: text)
    }
}
