package import OpenMarket
import YAML

/// Edits an existing manifest file; everything else stays, byte for byte.
///
/// A value changes only if it is written in the product itself. Others are refused with the reason, because their
/// change would affect something else: aliases, and values with an anchor or a tag. A value from `defaults` or from a
/// merge key is written into the product, which wins.
package struct ManifestEditor: Sendable {
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason, in a few words.
        package var reason: String

        package init(reason: String) { self.reason = reason }
    }

    package struct Edit: Equatable, Sendable {
        var range: Range<Int>
        var replacement: [UInt8] = []
        /// The events of the file that are replaced, and those that take their place.
        var events = 0..<0
        var written: [ManifestOutline.Event] = []
    }

    /// A value to write, over the present one if there is one; `nil` removes the key.
    typealias Change = (key: ProductKey, value: ManifestValue?)

    package let original: [UInt8]
    /// The edits of products that the file lists.
    private var present: [Edit] = []
    private var removedProducts = 0
    private var addedProducts: [(rows: [String], events: ArraySlice<ManifestOutline.Event>)] = []
    let places: LinePositions
    private let outline: ManifestOutline

    /// Opens a file, perhaps one that is to be created; throws ``Refusal`` if its bytes are not UTF-8 or not YAML.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        let bytes = bytes.isEmpty ? Array("products: []\n".utf8) : bytes
        guard let places = LinePositions(bytes) else { throw Refusal(reason: "the file is in UTF-16") }
        original = bytes
        self.places = places
        do throws(YAMLError) { outline = try ManifestOutline(bytes) } catch {
            throw Refusal(reason: "the file cannot be read: \(error.message)")
        }
    }

    /// The keys of the products that the file lists.
    package var listedKeys: Set<String> {
        Set(outline.products.values.compactMap { $0[.key]?.text.composed })
    }

    // MARK: Edits

    /// Changes all keys of a product or none.
    mutating func apply(_ changes: [Change], toProductAt position: SourcePosition) throws(Refusal) {
        let product = try product(at: position)
        try requireUnused(product.item.events.prefix(1))
        var edits: [Edit] = []
        for (key, value) in changes {
            if let value, let present = product[key] {
                edits.append(try overwriting(present, by: value, in: product))
            } else if let value {
                edits.append(try insertion(of: key, value, into: product))
            } else {
                edits.append(try removal(of: key, in: product))
            }
        }
        present += edits
    }

    /// Lists a product at the end; a file without the section `products` gets one.
    package mutating func add(_ added: AddedProduct, key: String) throws(Refusal) {
        if let section = outline.section {
            guard section.kind == .scalar || section.kind == .sequenceStart,
                outline.items.isEmpty || !section.isFlow
            else { throw Refusal(reason: "the products are not a list with '- '") }
            if let last = outline.items.last {
                let value = outline.products[last.start]?.entries.last
                guard value.map(isInline) ?? true || lastLine(of: last.end, from: last.start) + 1 < places.starts.count
                else {
                    throw Refusal(reason: "the file ends in a block of text without a line end")
                }
            } else {
                try requireNoComment(from: section.keyEnd, to: section.lastEnd)
            }
        } else if outline.end == nil {
            throw Refusal(reason: "the file lacks a section 'products'")
        }
        var writer = ManifestWriter()
        writer.append(ManifestProduct(key: key, added: added))
        guard let bytes = try? writer.takeBytes(), let written = try? ManifestOutline(bytes),
            let item = written.items.first
        else { throw Refusal(reason: "the product cannot be written") }
        let rows = Self.rows(of: String(decoding: bytes, as: UTF8.self))
        // The first row is `products:`, and the last one is empty.
        addedProducts.append((Array(rows.dropFirst().dropLast()), written.events[item.events]))
    }

    /// Takes a product out, with the comments directly above it.
    package mutating func removeProduct(at position: SourcePosition) throws(Refusal) {
        let product = try product(at: position)
        try requireUnused(product.item.events)
        guard let dash = dash(of: product.item) else { throw Refusal(reason: "the product is not on its own lines") }
        let margin = dash - places.starts[places.line(of: dash)]
        var lines = places.line(of: dash)..<lastLine(of: product.item.end, from: product.item.start) + 1
        while lines.lowerBound > 0, comment(inLine: lines.lowerBound - 1) == margin {
            lines = lines.lowerBound - 1..<lines.upperBound
        }
        if lines.lowerBound > 0, self.margin(ofLine: lines.lowerBound - 1) == nil {
            lines = lines.lowerBound - 1..<lines.upperBound
        } else if lines.upperBound < places.starts.count - 1, self.margin(ofLine: lines.upperBound) == nil {
            lines = lines.lowerBound..<lines.upperBound + 1
        }
        present.append(Edit(range: bytes(of: lines), events: product.item.events))
        removedProducts += 1
    }

    /// The text of a product's own key; `nil` for one that `defaults` or a merge key gives.
    func text(of key: ProductKey, inProductAt position: SourcePosition) throws(Refusal) -> String? {
        try product(at: position)[key]?.text
    }

    private func product(at position: SourcePosition) throws(Refusal) -> ManifestOutline.Product {
        guard let product = outline.products[position] else { throw Refusal(reason: "the whole product is an alias") }
        return product
    }

    // MARK: Reading back

    /// Reads the edited file back; throws ``Refusal``, and drops all edits, if it has another meaning than they.
    package mutating func settle() throws(Refusal) {
        var expected: [ManifestOutline.Event] = []
        var end = 0
        for edit in edits where edit.events.lowerBound >= end {
            expected += outline.events[end..<edit.events.lowerBound] + edit.written
            end = edit.events.upperBound
        }
        expected += outline.events[end...]
        guard (try? ManifestOutline(bytes))?.events != expected else { return }
        (present, removedProducts, addedProducts) = ([], 0, [])
        throw Refusal(reason: "an edit would also change another value of the file")
    }

    /// The edits, sorted by position.
    package var edits: [Edit] {
        var edits = (present + listEdits).sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        var end = 0
        for index in edits.indices {
            // Two products that leave may share a blank line.
            let range = edits[index].range
            edits[index].range = max(range.lowerBound, end)..<max(range.upperBound, end)
            end = edits[index].range.upperBound
        }
        return edits
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

    /// The edits of a file with these bytes; empty for a file that is to be created.
    package func edits(of file: [UInt8]) -> [Edit] {
        file.isEmpty ? [Edit(range: 0..<0, replacement: bytes)] : edits
    }

    /// The key of the product at a position of the file with all edits.
    package func key(at position: SourcePosition) -> String? {
        guard let outline = try? ManifestOutline(bytes) else { return nil }
        let start = outline.products.keys.filter { $0 <= position }.max()
        return start.flatMap { outline.products[$0]?[.key]?.text.composed }
    }

    /// The edits of the list itself: products at its end, with a blank line between them if the file has one.
    private var listEdits: [Edit] {
        if addedProducts.isEmpty {
            guard let section = outline.section, removedProducts > 0, removedProducts == outline.items.count else {
                return []
            }
            let colon = colon(after: section.keyEnd)
            return [Edit(range: colon..<colon, replacement: Array(" []".utf8))]
        }
        let events = addedProducts.flatMap(\.events)
        let list =
            [ManifestOutline.Event(kind: .sequenceStart)] + events + [ManifestOutline.Event(kind: .sequenceEnd)]
        let listed = Array(addedProducts.map(\.rows).joined(separator: [""]))
        guard let section = outline.section else {
            guard let end = outline.end else { return [] }
            let name = ManifestSchema.Section.products.rawValue
            let last = original.lastIndex { $0 > UInt8(ascii: " ") } ?? 0
            var edit = insertion(of: ["", "\(name):"] + listed, after: places.line(of: last))
            edit.events = end..<end
            edit.written = [ManifestOutline.Event(kind: .scalar, text: name)] + list
            return [edit]
        }
        guard let last = outline.items.last else {
            let end = places.offset(of: section.lastEnd)
            return [
                Edit(range: colon(after: section.keyEnd)..<end, events: section.events, written: list),
                insertion(of: listed, after: places.line(of: end)),
            ]
        }
        let margin = dash(of: last).map { $0 - places.starts[places.line(of: $0)] } ?? 0
        let isSpaced = isSpaced(last)
        var rows: [String] = []
        for product in addedProducts {
            if isSpaced { rows.append("") }
            // The writer's products begin behind two blanks.
            rows += product.rows.map { row in
                row.isEmpty ? row : String(repeating: " ", count: margin) + row.dropFirst(2)
            }
        }
        var line = lastLine(of: last.end, from: last.start)
        // A line of the last product that is commented out stays in it.
        while line + 1 < places.starts.count, let indent = comment(inLine: line + 1), indent > margin { line += 1 }
        var edit = insertion(of: rows, after: line)
        let end = section.events.upperBound - 1
        (edit.events, edit.written) = (end..<end, events)
        return [edit]
    }

    /// Whether there is a blank line above the last product, or, if there is only one, whether its values are on lines.
    private func isSpaced(_ last: ManifestOutline.Item) -> Bool {
        guard outline.items.count > 1, let dash = dash(of: last) else {
            return outline.products[last.start]?.isFlow == false
        }
        var line = places.line(of: dash) - 1
        while line > 0, comment(inLine: line) != nil { line -= 1 }
        return line > 0 && margin(ofLine: line) == nil
    }

    // MARK: Keys

    private func overwriting(
        _ present: ManifestOutline.Value,
        by value: ManifestValue,
        in product: ManifestOutline.Product
    ) throws(Refusal) -> Edit {
        var first = present.first
        switch value {
        case .plain, .text:
            try requireOwn(present, isA: .scalar, "a scalar")
            first.text = value.scalar
            var edit = replacing(present, by: value, in: product)
            (edit.events, edit.written) = (present.events, [first])
            return edit
        case .list(let items):
            try requireOwn(present, isA: .sequenceStart, "a list")
            try requireNoComment(from: present.keyEnd, to: present.lastEnd)
            let range = range(of: present, to: present.lastEnd)
            var text = Array(value.inline(inFlow: product.isFlow).utf8)
            if !present.isFlow {
                let start = range.lowerBound
                let margin = Array(original[places.starts[places.line(of: start)]..<start])
                text = Array(items.map { Array("- \($0.inline())".utf8) }.joined(separator: places.lineEnd + margin))
            }
            return Edit(
                range: range,
                replacement: text,
                events: present.events,
                written: [first] + value.events.dropFirst()
            )
        case .mapping: throw Refusal(reason: "the value is a mapping")
        }
    }

    /// Inserts a key behind the nearest one before it in the schema's order whose value is on lines of its own.
    private func insertion(
        of key: ProductKey,
        _ value: ManifestValue,
        into product: ManifestOutline.Product
    ) throws(Refusal) -> Edit {
        let before = ProductKey.allCases.prefix { $0 != key }.reversed().lazy.compactMap { product[$0] }
        guard let place = before.first(where: { isInline($0) }) else {
            throw Refusal(reason: "the product has no line to put '\(key.rawValue)' on")
        }
        var edit: Edit
        if product.isFlow {
            let end = places.offset(of: place.lastEnd)
            edit = Edit(range: end..<end, replacement: Array(", \(key.rawValue): \(value.inline(inFlow: true))".utf8))
        } else {
            let margin = String(repeating: " ", count: product.indent)
            let text = ManifestWriter.entry(key, ManifestWriter.text(of: value, key, indent: product.indent + 2))
            let line = lastLine(of: place.lastEnd, from: place.start)
            edit = insertion(of: Self.rows(of: margin + text), after: line)
        }
        edit.events = place.events.upperBound..<place.events.upperBound
        edit.written = [.init(kind: .scalar, text: key.rawValue)] + value.events
        return edit
    }

    private func isInline(_ value: ManifestOutline.Value) -> Bool {
        switch value.kind {
        case .scalar: value.style != .literal && value.style != .folded
        case .alias: true
        default: value.isFlow
        }
    }

    private func removal(of key: ProductKey, in product: ManifestOutline.Product) throws(Refusal) -> Edit {
        guard let index = product.entries.firstIndex(where: { $0.name == key.rawValue }) else {
            throw Refusal(reason: "the value comes from \(product.merges ? "a merge key, '<<'" : "'defaults'")")
        }
        let value = product.entries[index]
        try requireUnused(value.events)
        try requireNoComment(
            from: value.keyEnd,
            to: value.kind == .scalar || value.kind == .alias ? value.start : value.lastEnd
        )
        let start = places.offset(of: value.keyStart)
        let range: Range<Int>
        if index == 0 {
            // The second key takes the place of the first one.
            guard let next = product.entries.dropFirst().first else {
                throw Refusal(reason: "it is the product's only value")
            }
            try requireNoComment(from: value.lastEnd, to: next.keyStart)
            range = start..<places.offset(of: next.keyStart)
        } else if product.isFlow {
            let before = product.entries[index - 1].lastEnd
            try requireNoComment(from: before, to: value.keyStart)
            range = places.offset(of: before)..<places.offset(of: value.lastEnd)
        } else {
            range = bytes(of: places.line(of: start)..<lastLine(of: value.lastEnd, from: value.keyStart) + 1)
        }
        return Edit(range: range, events: value.keyEvent..<value.events.upperBound)
    }

    /// Throws if a change of the value would affect other values.
    private func requireOwn(
        _ value: ManifestOutline.Value,
        isA kind: YAMLEventKind,
        _ name: String
    ) throws(Refusal) {
        if value.kind == .alias { throw Refusal(reason: "the value is the alias *\(value.anchor ?? "")") }
        guard value.kind == kind else { throw Refusal(reason: "the value is not \(name)") }
        try requireUnused(value.events)
        if let tag = value.tag { throw Refusal(reason: "\(tag) gives the value") }
    }

    private func requireUnused(_ events: Range<Int>) throws(Refusal) {
        for event in outline.events[events] where event.kind != .alias {
            guard let anchor = event.anchor, outline.aliased.contains(anchor) else { continue }
            throw Refusal(reason: "it has the anchor &\(anchor), so it is also used elsewhere")
        }
    }

    private func requireNoComment(from start: SourcePosition, to end: SourcePosition) throws(Refusal) {
        let (start, end) = (places.offset(of: start), places.offset(of: end))
        guard start < end, original[start..<end].contains(UInt8(ascii: "#")) else { return }
        throw Refusal(reason: "a comment stands in the way")
    }

    // MARK: Lines

    /// The number of blanks at the start of a line; `nil` for a blank line.
    func margin(ofLine line: Int) -> Int? {
        let content = original[places.content(ofLine: line)]
        return content.firstIndex { $0 > UInt8(ascii: " ") }.map { $0 - content.startIndex }
    }

    /// The number of blanks before the comment that a line consists of; `nil` for any other line.
    private func comment(inLine line: Int) -> Int? {
        margin(ofLine: line).flatMap { original[places.starts[line] + $0] == UInt8(ascii: "#") ? $0 : nil }
    }

    /// The last line with something on it before an end.
    func lastLine(of end: SourcePosition, from start: SourcePosition) -> Int {
        let end = places.offset(of: end)
        var line = places.line(of: end)
        while line > places.line(of: places.offset(of: start)) {
            if places.starts[line] < end, margin(ofLine: line) != nil { break }
            line -= 1
        }
        return line
    }

    /// Lines with their ends.
    private func bytes(of lines: Range<Int>) -> Range<Int> {
        let end = lines.upperBound < places.starts.count ? places.starts[lines.upperBound] : original.count
        return places.starts[lines.lowerBound]..<end
    }

    private func insertion(of rows: [String], after line: Int) -> Edit {
        let end = bytes(of: line..<line + 1).upperBound
        // The last line is without a line end.
        let isLast = line + 1 == places.starts.count
        let text = rows.flatMap { isLast ? places.lineEnd + $0.utf8 : Array($0.utf8) + places.lineEnd }
        return Edit(range: end..<end, replacement: text)
    }

    /// The `-` of a product, if only blanks precede it on its line.
    private func dash(of item: ManifestOutline.Item) -> Int? {
        let start = places.offset(of: item.start)
        guard let dash = original[..<start].lastIndex(where: { $0 > UInt8(ascii: " ") }),
            original[dash] == UInt8(ascii: "-"),
            original[places.starts[places.line(of: dash)]..<dash].allSatisfy({ $0 == 0x20 })
        else { return nil }
        return dash
    }

    /// The byte after the colon of a key.
    private func colon(after key: SourcePosition) -> Int {
        let end = places.offset(of: key)
        return (original[end...].firstIndex(of: UInt8(ascii: ":")) ?? end) + 1
    }
}
