import OpenMarket

/// The rules for product keys in manifests, tables and imported states.
package enum KeyRules {
    /// Why a text cannot be a key, as a phrase that follows the word "key"; `nil` if it can.
    package static func fault(of text: String) -> String? {
        if text.isEmpty { return "is empty" }
        if !ProductLimits.allows(text, length: 0...200) {
            return "has \(ProductLimits.length(of: text)) characters, and 200 is the most"
        }
        if text.withUTF8Span({ $0.hasLostText }) { return "is '\(text.excerpt)', which \(LostText.message)" }
        return VisibleLine.fault(of: text)
    }
}
