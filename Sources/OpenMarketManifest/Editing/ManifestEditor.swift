import OpenMarket
import YAML

/// Writes values into an existing manifest file; everything between them stays, byte for byte.
///
/// Only a plain value written in the product itself can change. Others are refused with the reason, because their
/// change would affect something else: aliases, values with an anchor or a tag, and values from a merge key or from
/// `defaults`.
package struct ManifestEditor: Sendable {
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason, in a few words.
        package var reason: String
    }

    package struct Edit: Hashable, Sendable {
        var range: Range<Int>
        var replacement: [UInt8]
    }

    package let original: [UInt8]
    private var changes: [Edit] = []
    /// The texts of the file's scalars after the edits, by the numbers of their events.
    private var texts: [Int: [UInt8]] = [:]
    private let places: LinePositions
    private let outline: ManifestOutline

    /// Opens a file; throws ``Refusal`` if its bytes are not UTF-8 or not YAML.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        guard let places = LinePositions(bytes) else { throw Refusal(reason: "the file is in UTF-16") }
        original = bytes
        self.places = places
        do throws(YAMLError) { outline = try ManifestOutline(bytes) } catch {
            throw Refusal(reason: "the file cannot be read: \(error.message)")
        }
    }

    /// Writes all values of a product or none.
    ///
    /// Texts are given without YAML syntax, numbers in digits.
    mutating func write(
        _ values: [(key: String, text: String)],
        inProductAt position: SourcePosition
    ) throws(Refusal) {
        let product = try product(at: position)
        var (edits, texts): ([Edit], [Int: [UInt8]]) = ([], [:])
        for (key, text) in values {
            guard let value = product.values[key] else {
                throw Refusal(
                    reason: product.merges
                        ? "the value comes from a merge key, '<<'" : "the value comes from 'defaults'"
                )
            }
            if let reason = whyNotOwn(value, of: product) { throw Refusal(reason: reason) }
            edits += replacing(value, by: text, in: product)
            texts[value.event] = Array(text.utf8)
        }
        changes += edits
        self.texts.merge(texts) { _, new in new }
    }

    /// The current texts of a product's values; throws ``Refusal`` if the product is not at the position.
    func texts(inProductAt position: SourcePosition) throws(Refusal) -> [String: String] {
        try product(at: position).values.mapValues(\.text)
    }

    private func product(at position: SourcePosition) throws(Refusal) -> ManifestOutline.Product {
        let mark = SourcePosition(line: position.line, column: position.column)
        guard let product = outline.products[mark] else { throw Refusal(reason: "the whole product is an alias") }
        return product
    }

    /// Reads the edited file back, and returns whether its meaning is the same, except for the new texts.
    ///
    /// If not, all edits are undone.
    package mutating func settle() -> Bool {
        var expected = outline.events
        for (event, text) in texts { expected[event].text = text }
        if let read = try? ManifestOutline(bytes), read.events == expected { return true }
        (changes, texts) = ([], [:])
        return false
    }

    /// Makes ``settle()`` fail, for tests: no known text does.
    mutating func spoil() {
        changes = changes.map { Edit(range: $0.range, replacement: $0.replacement + [UInt8(ascii: "'")]) }
    }

    /// The edits, sorted by position.
    package var edits: [Edit] {
        changes.filter { !$0.range.isEmpty || !$0.replacement.isEmpty }
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The file with all edits.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for edit in edits {
            result += original[end..<edit.range.lowerBound] + edit.replacement
            end = edit.range.upperBound
        }
        return result + original[end...]
    }

    /// Why a change of the value would affect something else, or nothing.
    private func whyNotOwn(_ value: ManifestOutline.Value, of product: ManifestOutline.Product) -> String? {
        if let anchor = product.anchor, outline.aliased.contains(anchor) {
            return "the product has the anchor &\(anchor), by which its values are used elsewhere, too"
        }
        switch value.kind {
        case .alias: return "the value is the alias *\(value.anchor ?? "")"
        case .scalar: break
        default: return "the value is not a scalar"
        }
        if let anchor = value.anchor, outline.aliased.contains(anchor) {
            return "the value has the anchor &\(anchor), by which it is used elsewhere, too"
        }
        guard let tag = value.tag else { return nil }
        return tag.hasPrefix("!") ? "\(tag) gives the value" : "the value has a tag"
    }

    // MARK: Styles

    /// Edits that change a value, in its own style if that can express the text.
    private func replacing(
        _ value: ManifestOutline.Value,
        by text: String,
        in product: ManifestOutline.Product
    ) -> [Edit] {
        var range = places.offset(of: value.start)..<places.offset(of: value.end)
        if let anchor = value.anchor {
            // The value starts after its anchor.
            let behind = range.lowerBound + 1 + anchor.utf8.count
            let start = original[behind..<range.upperBound].firstIndex { $0 > UInt8(ascii: " ") } ?? range.upperBound
            range = start..<range.upperBound
        }
        let yaml = YAMLText(text)
        let isNumber = ExactDecimal(text) != nil
        switch value.style {
        case .plain:
            if isNumber || yaml.isPlain(inFlow: product.isFlow) {
                return [Edit(range: range, replacement: Array(text.utf8))]
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

    /// A literal block that replaces a value with nothing after it on its line.
    private func block(_ yaml: YAMLText, at range: Range<Int>, _ product: ManifestOutline.Product) -> Edit? {
        let line = places.line(of: range.upperBound)
        guard range.upperBound == places.content(ofLine: line).upperBound,
            let block = yaml.literal(indent: Int(product.start.column) + 1)
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
        let parent = Int(product.start.column) - 1
        let digit = original[header].first { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        let shown = lines.first.map { line in
            original[places.content(ofLine: line)].prefix { $0 == UInt8(ascii: " ") }.count
        }
        let indent = digit.map { parent + Int($0 - UInt8(ascii: "0")) } ?? shown ?? parent + 2
        guard indent - parent <= 9, let block = yaml.literal(indent: indent, step: indent - parent) else {
            return [
                Edit(range: header, replacement: Array(yaml.doubleQuoted.utf8)), Edit(range: body, replacement: []),
            ]
        }
        var rows = Self.rows(of: block)
        // A single paragraph is the same folded and literal.
        if isFolded, rows.count == 2 { rows[0] = ">" + rows[0].dropFirst() }
        return [
            Edit(range: header, replacement: Array(rows[0].utf8)),
            Edit(range: body, replacement: rows.dropFirst().flatMap { lineEnd + Array($0.utf8) }),
        ]
    }

    private static func rows(of block: String) -> [String] {
        block.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }

    /// A block's bytes with the file's own line ends.
    private static func lines(of block: String, endedBy lineEnd: [UInt8]) -> [UInt8] {
        Array(rows(of: block).map { Array($0.utf8) }.joined(separator: lineEnd))
    }
}
