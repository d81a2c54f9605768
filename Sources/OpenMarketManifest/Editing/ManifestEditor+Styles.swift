import OpenMarket
import YAML

/// Writes a value in the style of the one that it replaces.
extension ManifestEditor {
    /// An edit that changes a value, in its own style if that can express the text.
    func replacing(
        _ value: ManifestOutline.Value,
        by new: ManifestValue,
        in product: ManifestOutline.Product
    ) -> Edit {
        let range = range(of: value, to: value.end)
        let yaml = YAMLText(new.scalar)
        let text: String
        switch value.style {
        case .singleQuoted: text = yaml.singleQuoted ?? yaml.doubleQuoted
        case .doubleQuoted: text = yaml.doubleQuoted
        case .plain where new.isPlain || !yaml.hasLineFeed || product.isFlow:
            text = new.inline(inFlow: product.isFlow)
        case .plain, .literal, .folded: return block(yaml, over: range, value, product)
        }
        // An empty value stands directly behind its colon.
        return Edit(range: range, replacement: Array(((range.isEmpty ? " " : "") + text).utf8))
    }

    /// The bytes of a value behind its anchor.
    func range(of value: ManifestOutline.Value, to end: SourcePosition) -> Range<Int> {
        let (start, end) = (places.offset(of: value.start), places.offset(of: end))
        guard let anchor = value.anchor else { return start..<end }
        let behind = original[(start + 1 + anchor.utf8.count)..<end]
        return (behind.firstIndex { $0 > UInt8(ascii: " ") } ?? end)..<end
    }

    /// A literal block with the comment behind the value, or behind the header of the block, that it replaces.
    private func block(
        _ yaml: YAMLText,
        over range: Range<Int>,
        _ value: ManifestOutline.Value,
        _ product: ManifestOutline.Product
    ) -> Edit {
        let header = original[range.lowerBound...].firstIndex { $0 <= UInt8(ascii: " ") } ?? original.count
        let end = value.style == .plain ? range.upperBound : header
        let first = places.line(of: end)
        let last = max(first, lastLine(of: value.end, from: value.start))
        let margin = (first + 1..<last + 1).lazy.compactMap { self.margin(ofLine: $0) }.first
        let indent = min(margin ?? product.indent + 2, product.indent + 9)
        let rows = yaml.literal(indent: indent, step: indent - product.indent).map(Self.rows) ?? [yaml.quoted]
        return Edit(
            range: range.lowerBound..<places.content(ofLine: last).upperBound,
            replacement: Array(((range.isEmpty ? " " : "") + rows[0]).utf8)
                + original[end..<places.content(ofLine: first).upperBound]
                + rows.dropFirst().flatMap { places.lineEnd + Array($0.utf8) }
        )
    }

    /// The lines of a text.
    static func rows(of block: String) -> [String] {
        block.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}

extension ManifestValue {
    /// The text of a scalar; empty for a list or a mapping.
    var scalar: String {
        switch self {
        case .plain(let text, _), .text(let text, _): text
        case .list, .mapping: ""
        }
    }

    var isPlain: Bool { if case .plain = self { true } else { false } }

    /// The events as which the value is read back.
    var events: [ManifestOutline.Event] {
        switch self {
        case .plain(let text, let tag), .text(let text, let tag):
            [ManifestOutline.Event(kind: .scalar, text: text, tag: tag)]
        case .list(let items):
            [ManifestOutline.Event(kind: .sequenceStart)] + items.flatMap(\.events)
                + [ManifestOutline.Event(kind: .sequenceEnd)]
        case .mapping(let entries):
            [ManifestOutline.Event(kind: .mappingStart)]
                + entries.flatMap { [ManifestOutline.Event(kind: .scalar, text: $0.key)] + $0.value.events }
                + [ManifestOutline.Event(kind: .mappingEnd)]
        }
    }
}
