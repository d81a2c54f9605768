import YAML

/// Writes a value in the style of the one that it replaces.
extension ManifestEditor {
    /// Edits that change a value, in its own style if that can express the text.
    func replacing(
        _ value: ManifestOutline.Value,
        by new: ManifestValue,
        in product: ManifestOutline.Product
    ) -> [Edit] {
        var range = places.offset(of: value.start)..<places.offset(of: value.end)
        if let anchor = value.anchor {
            // The value starts after its anchor.
            let behind = range.lowerBound + 1 + anchor.utf8.count
            let start = original[behind..<range.upperBound].firstIndex { $0 > UInt8(ascii: " ") } ?? range.upperBound
            range = start..<range.upperBound
        }
        let yaml = YAMLText(new.scalar)
        switch value.style {
        case .plain:
            if new.isPlain || yaml.isPlain(inFlow: product.isFlow) {
                // An empty value stands directly behind its colon.
                let gap = range.isEmpty ? " " : ""
                return [Edit(range: range, replacement: Array((gap + new.scalar).utf8))]
            }
            if yaml.hasLineFeed, !product.isFlow, let edit = block(yaml, at: range, product) { return [edit] }
            return [Edit(range: range, replacement: Array(yaml.quoted.utf8))]
        case .singleQuoted:
            return [Edit(range: range, replacement: Array((yaml.singleQuoted ?? yaml.doubleQuoted).utf8))]
        case .doubleQuoted:
            return [Edit(range: range, replacement: Array(yaml.doubleQuoted.utf8))]
        case .literal, .folded:
            return replacingBlock(range, isFolded: value.style == .folded, by: yaml, product)
        }
    }

    /// A literal block that replaces a value at the end of its line.
    private func block(_ yaml: YAMLText, at range: Range<Int>, _ product: ManifestOutline.Product) -> Edit? {
        let line = places.line(of: range.upperBound)
        guard range.upperBound == places.content(ofLine: line).upperBound,
            let block = yaml.literal(indent: product.indent + 2)
        else { return nil }
        return Edit(range: range, replacement: Self.lines(of: block, endedBy: places.lineEnd(ofLine: line)))
    }

    /// The edits of a block: its header, which a comment may follow, and its lines.
    private func replacingBlock(
        _ range: Range<Int>,
        isFolded: Bool,
        by yaml: YAMLText,
        _ product: ManifestOutline.Product
    ) -> [Edit] {
        let headerLine = places.line(of: range.lowerBound)
        let headerEnd = original[range.lowerBound...].firstIndex { $0 <= UInt8(ascii: " ") } ?? original.count
        let header = range.lowerBound..<headerEnd
        let lines = (headerLine + 1..<max(headerLine + 1, places.line(of: range.upperBound) + 1)).filter { line in
            let content = places.content(ofLine: line)
            return content.lowerBound < range.upperBound && original[content].contains { $0 > UInt8(ascii: " ") }
        }
        let lineEnd = places.lineEnd(ofLine: headerLine)
        let start = places.content(ofLine: headerLine).upperBound
        let body = start..<(lines.last.map { places.content(ofLine: $0).upperBound } ?? start)
        let parent = product.indent
        let shown = lines.first.map { line in
            original[places.content(ofLine: line)].prefix { $0 == UInt8(ascii: " ") }.count
        }
        let indent = shown ?? parent + 2
        guard indent - parent <= 9, let block = yaml.literal(indent: indent, step: indent - parent) else {
            return [Edit(range: header, replacement: Array(yaml.doubleQuoted.utf8)), Edit(range: body)]
        }
        var rows = Self.rows(of: block)
        // A single paragraph is the same folded and literal.
        if isFolded, rows.count == 2 { rows[0] = ">" + rows[0].dropFirst() }
        return [
            Edit(range: header, replacement: Array(rows[0].utf8)),
            Edit(range: body, replacement: rows.dropFirst().flatMap { lineEnd + Array($0.utf8) }),
        ]
    }

    /// The lines of a text.
    static func rows(of block: String) -> [String] {
        block.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// A block's bytes with the file's own line ends.
    static func lines(of block: String, endedBy lineEnd: [UInt8]) -> [UInt8] {
        Array(rows(of: block).map { Array($0.utf8) }.joined(separator: lineEnd))
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
            [ManifestOutline.Event(kind: .scalar, text: Array(text.utf8), tag: tag)]
        case .list(let items):
            [ManifestOutline.Event(kind: .sequenceStart, text: [])] + items.flatMap(\.events)
                + [ManifestOutline.Event(kind: .sequenceEnd, text: [])]
        case .mapping(let entries):
            [ManifestOutline.Event(kind: .mappingStart, text: [])]
                + entries.flatMap { [ManifestOutline.Event(kind: .scalar, text: Array($0.key.utf8))] + $0.value.events }
                + [ManifestOutline.Event(kind: .mappingEnd, text: [])]
        }
    }
}
