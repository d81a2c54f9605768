import YAML

/// An intended value, apart from its spelling; it is compared with the value read back.
enum ManifestValue: Sendable {
    /// A number, a boolean or a word of the schema, without quotes.
    case plain(String, tag: String? = nil)
    /// A text, which must not be read as another type.
    case text(String, tag: String? = nil)
    case list([ManifestValue])
    case mapping([(key: String, value: ManifestValue)])

    /// Whether a node read back has exactly this value.
    func isSaid(by node: YAMLNode) -> Bool {
        switch self {
        case .plain(let text, let tag):
            return node.style == .plain && node.tag == tag && node.withText { $0.elementsEqual(text.utf8) } ?? false
        case .text(let text, let tag):
            return !node.isNull && node.tag == tag && node.withText { $0.elementsEqual(text.utf8) } ?? false
        case .list(let values):
            guard let items = node.items, items.count == values.count else { return false }
            return zip(values, items).allSatisfy { $0.isSaid(by: $1) }
        case .mapping(let entries):
            guard let pairs = node.pairs, pairs.count == entries.count else { return false }
            return zip(entries, pairs).allSatisfy { entry, pair in
                entry.key.utf8.elementsEqual(pair.key.name.utf8) && entry.value.isSaid(by: pair.value)
            }
        }
    }

    /// The value on one line; `inFlow` means inside `[…]` or `{…}`.
    func inline(inFlow: Bool = false) -> String {
        switch self {
        case .plain(let text, let tag):
            // A text without quotes on its own line may need them between other values.
            return Self.prefix(tag) + (inFlow && YAMLText(text).hasFlowIndicators ? YAMLText(text).quoted : text)
        case .text(let text, let tag): return Self.prefix(tag) + YAMLText(text).inline(inFlow: inFlow)
        case .list(let values):
            return "[" + values.map { $0.inline(inFlow: true) }.joined(separator: ", ") + "]"
        case .mapping(let entries):
            let texts = entries.map { YAMLText($0.key).inline(inFlow: true) + ": " + $0.value.inline(inFlow: true) }
            return "{" + texts.joined(separator: ", ") + "}"
        }
    }

    private static func prefix(_ tag: String?) -> String {
        guard let tag else { return "" }
        return (tag.utf8.first == UInt8(ascii: "!") ? tag : "!<\(tag)>") + " "
    }
}
