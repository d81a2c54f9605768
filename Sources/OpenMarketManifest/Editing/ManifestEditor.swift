package import OpenMarket
import YAML

/// Edits an existing manifest file; everything else stays, byte for byte.
///
/// A value changes only if it is written in the product itself. Others are refused with the reason, because their
/// change would affect something else: aliases, and values with an anchor or a tag. A value from `defaults` or from a
/// merge key is written into the product, where it wins.
package struct ManifestEditor: Sendable {
    package struct Refusal: Error, Hashable, Sendable {
        /// The reason, in a few words.
        package var reason: String

        package init(reason: String) { self.reason = reason }
    }

    package struct Edit: Hashable, Sendable {
        var range: Range<Int>
        var replacement: [UInt8]
    }

    enum Change: Sendable {
        /// Writes a value, over the present one if there is one.
        case set(ProductKey, ManifestValue)
        case remove(ProductKey)
    }

    /// What is edited together or not at all.
    private struct Step: Sendable {
        var edits: [Edit] = []
        /// The events that are replaced, and those that take their place.
        var splices: [(range: Range<Int>, events: [ManifestOutline.Event])] = []
        var removesProduct = false
        var added: (rows: [String], events: [ManifestOutline.Event])?
    }

    package let original: [UInt8]
    private var steps: [Step] = []
    /// The steps whose edits are read back as meant, or all of them before ``settle()``.
    private var kept: [Int] = []
    /// How often the file may still be read back to find a step that is not read back as meant.
    private var readings = 100
    let places: LinePositions
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

    private mutating func add(_ step: Step) -> Int {
        kept.append(steps.count)
        steps.append(step)
        return steps.count - 1
    }

    // MARK: Edits

    /// Changes all keys of a product or none; returns the number of the step.
    mutating func apply(_ changes: [Change], toProductAt position: SourcePosition) throws(Refusal) -> Int {
        let product = try product(at: position)
        if let anchor = product.anchor, outline.aliased.contains(anchor) {
            throw Refusal(reason: "the product has the anchor &\(anchor), by which its values are used elsewhere, too")
        }
        var step = Step()
        for change in changes {
            switch change {
            case .set(let key, let value):
                if let present = product.values[key.rawValue] {
                    try replace(present, by: value, in: product, &step)
                } else {
                    try insert(key, value, into: product, &step)
                }
            case .remove(let key): try remove(key.rawValue, of: product, &step)
            }
        }
        return add(step)
    }

    /// Lists a product at the end; returns the number of the step.
    mutating func append(_ product: ManifestProduct) throws(Refusal) -> Int {
        if let section = outline.section {
            if !outline.items.isEmpty, section.isFlow { throw Refusal(reason: "the list of products is in brackets") }
            guard section.kind != .alias, section.kind != .mappingStart else {
                throw Refusal(reason: "the section 'products' is not a list")
            }
            if outline.items.isEmpty { try requireNoComment(from: section.keyEnd, to: section.lastEnd) }
        } else if outline.end == nil {
            throw Refusal(reason: "the file has no section 'products'")
        }
        var writer = ManifestWriter()
        writer.append(product)
        guard let bytes = try? writer.takeBytes(), let written = try? ManifestOutline(bytes),
            let item = written.items.first
        else { throw Refusal(reason: "the product cannot be written") }
        let rows = Self.rows(of: String(decoding: bytes, as: UTF8.self))
        // The first row is `products:`, and the last one is empty.
        return add(Step(added: (Array(rows.dropFirst().dropLast()), Array(written.events[item.events]))))
    }

    /// Takes a product out, with the comments directly above it; returns the number of the step.
    mutating func removeProduct(at position: SourcePosition) throws(Refusal) -> Int {
        let product = try product(at: position)
        try requireUnused(product.item.events)
        guard let dash = dash(of: product.item) else { throw Refusal(reason: "the product is not on its own lines") }
        let margin = dash - places.starts[places.line(of: dash)]
        var lines = places.line(of: dash)..<lastLine(of: product.item.end, from: product.item.start) + 1
        while lines.lowerBound > 0, comment(inLine: lines.lowerBound - 1) == margin {
            lines = lines.lowerBound - 1..<lines.upperBound
        }
        if lines.lowerBound > 0, isBlank(lines.lowerBound - 1) {
            lines = lines.lowerBound - 1..<lines.upperBound
        } else if lines.upperBound < places.starts.count - 1, isBlank(lines.upperBound) {
            lines = lines.lowerBound..<lines.upperBound + 1
        }
        return add(
            Step(
                edits: [Edit(range: bytes(of: lines), replacement: [])],
                splices: [(product.item.events, [])],
                removesProduct: true
            )
        )
    }

    /// The text of a product's own key; `nil` for one that `defaults` or a merge key gives.
    func text(of key: ProductKey, inProductAt position: SourcePosition) throws(Refusal) -> String? {
        try product(at: position).values[key.rawValue]?.text
    }

    private func product(at position: SourcePosition) throws(Refusal) -> ManifestOutline.Product {
        let mark = SourcePosition(line: position.line, column: position.column)
        guard let product = outline.products[mark] else { throw Refusal(reason: "the whole product is an alias") }
        return product
    }

    // MARK: Reading back

    /// Reads the edited file back, and undoes the steps whose meaning is another one; returns their numbers.
    package mutating func settle() -> Set<Int> {
        let all = Array(steps.indices)
        kept = exact(all[...])
        // Steps may be fine one by one, and not together.
        if kept.count < all.count, !isExact(kept[...]) { kept = [] }
        return Set(all).subtracting(kept)
    }

    private mutating func exact(_ steps: ArraySlice<Int>) -> [Int] {
        if isExact(steps) { return Array(steps) }
        guard steps.count > 1 else { return [] }
        let middle = steps.startIndex + steps.count / 2
        return exact(steps[..<middle]) + exact(steps[middle...])
    }

    private mutating func isExact(_ steps: ArraySlice<Int>) -> Bool {
        guard !steps.isEmpty else { return true }
        guard readings > 0 else { return false }
        readings -= 1
        let (edits, expected) = result(of: steps)
        return (try? ManifestOutline(applied(edits)))?.events == expected
    }

    /// The edits, sorted by position.
    package var edits: [Edit] { result(of: kept[...]).edits }

    /// The file with all edits.
    package var bytes: [UInt8] { applied(edits) }

    /// The key of the product at a position of the file with all edits.
    package func key(at position: SourcePosition) -> String? {
        guard let outline = try? ManifestOutline(bytes) else { return nil }
        let start = outline.products.keys.filter { $0 <= position }.max()
        return start.flatMap { outline.products[$0]?.values[ProductKey.key.rawValue]?.text.composed }
    }

    private func applied(_ edits: [Edit]) -> [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for edit in edits {
            result += original[end..<edit.range.lowerBound] + edit.replacement
            end = edit.range.upperBound
        }
        return result + original[end...]
    }

    /// The edits of steps, sorted by position, and the events of the file after them.
    private func result(of steps: ArraySlice<Int>) -> (edits: [Edit], events: [ManifestOutline.Event]) {
        let steps = steps.map { self.steps[$0] }
        var list = Step()
        let added = steps.compactMap(\.added)
        if !added.isEmpty {
            add(added.map(\.rows), added.flatMap(\.events), &list)
        } else if let section = outline.section, !outline.items.isEmpty,
            steps.count(where: \.removesProduct) == outline.items.count
        {
            let colon = colon(after: section.keyEnd)
            list.edits.append(Edit(range: colon..<colon, replacement: Array(" []".utf8)))
        }
        let order = { (left: Range<Int>, right: Range<Int>) in
            (left.lowerBound, left.upperBound) < (right.lowerBound, right.upperBound)
        }
        var edits = (steps.flatMap(\.edits) + list.edits)
            .filter { !$0.range.isEmpty || !$0.replacement.isEmpty }
            .sorted { order($0.range, $1.range) }
        var end = 0
        for index in edits.indices {
            // Two products that leave may share a blank line.
            let range = edits[index].range
            edits[index].range = max(range.lowerBound, end)..<max(range.upperBound, end)
            end = edits[index].range.upperBound
        }
        var events: [ManifestOutline.Event] = []
        end = 0
        for splice in (steps.flatMap(\.splices) + list.splices).sorted(by: { order($0.range, $1.range) })
        where splice.range.lowerBound >= end {
            events += outline.events[end..<splice.range.lowerBound] + splice.events
            end = splice.range.upperBound
        }
        return (edits, events + outline.events[end...])
    }

    /// Adds products at the end of the list, with a blank line between them if the file has one.
    private func add(_ products: [[String]], _ events: [ManifestOutline.Event], _ step: inout Step) {
        let kinds: [YAMLEventKind] = [.sequenceStart, .sequenceEnd]
        let brackets = kinds.map { ManifestOutline.Event(kind: $0, text: []) }
        let list = [brackets[0]] + events + [brackets[1]]
        var rows: [String] = []
        guard let section = outline.section else {
            guard let end = outline.end else { return }
            let name = ManifestSchema.Section.products.rawValue
            step.splices.append((end..<end, [.init(kind: .scalar, text: Array(name.utf8))] + list))
            rows = ["", "\(name):"] + products.joined(separator: [""])
            let last = original.lastIndex { $0 > UInt8(ascii: " ") } ?? 0
            step.edits.append(insertion(of: rows, after: places.line(of: last)))
            return
        }
        guard let last = outline.items.last else {
            fill(section, with: Array(products.joined(separator: [""])), list, &step)
            return
        }
        let margin = dash(of: last).map { $0 - places.starts[places.line(of: $0)] } ?? 0
        let isSpaced = isSpaced(last)
        for product in products {
            if isSpaced { rows.append("") }
            // The writer's products begin behind two blanks.
            rows += product.map { row in
                row.isEmpty ? row : String(repeating: " ", count: margin) + row.dropFirst(2)
            }
        }
        let end = section.events.upperBound - 1
        step.splices.append((end..<end, events))
        var line = lastLine(of: last.end, from: last.start)
        // A line of the last product that is commented out stays in it.
        while line + 1 < places.starts.count, let indent = comment(inLine: line + 1), indent > margin { line += 1 }
        step.edits.append(insertion(of: rows, after: line))
    }

    /// Writes the rows of a section that is empty, in the place of its value.
    private func fill(
        _ section: ManifestOutline.Value,
        with rows: [String],
        _ events: [ManifestOutline.Event],
        _ step: inout Step
    ) {
        step.splices.append((section.events, events))
        let end = places.offset(of: section.lastEnd)
        step.edits.append(Edit(range: colon(after: section.keyEnd)..<end, replacement: []))
        step.edits.append(insertion(of: rows, after: places.line(of: end)))
    }

    /// Whether the file has a section `market` without anything in it.
    package var hasEmptyMarket: Bool { emptyMarket != nil }

    private var emptyMarket: ManifestOutline.Value? {
        guard let market = outline.market, market.anchor == nil else { return nil }
        let isEmpty =
            market.kind == .mappingStart ? market.events.count == 2 : market.kind == .scalar && market.text.isEmpty
        return isEmpty && (try? requireNoComment(from: market.keyEnd, to: market.lastEnd)) != nil ? market : nil
    }

    /// Writes the section `market` of a head, if the file has an empty one.
    package mutating func fillMarket(_ head: ManifestHead) {
        guard let market = emptyMarket else { return }
        var head = head
        head.comments = []
        var writer = ManifestWriter(head)
        guard let bytes = try? writer.takeBytes(), let written = try? ManifestOutline(bytes), let new = written.market
        else { return }
        var step = Step()
        let rows = Self.rows(of: String(decoding: bytes, as: UTF8.self)).prefix { !$0.isEmpty }
        fill(market, with: Array(rows.dropFirst()), Array(written.events[new.events]), &step)
        _ = add(step)
    }

    /// Whether there is a blank line above the last product, or, if there is only one, whether its values are on lines.
    private func isSpaced(_ last: ManifestOutline.Item) -> Bool {
        guard outline.items.count > 1, let dash = dash(of: last) else {
            return outline.products[last.start]?.isFlow == false
        }
        var line = places.line(of: dash) - 1
        while line > 0, comment(inLine: line) != nil { line -= 1 }
        return line > 0 && isBlank(line)
    }

    // MARK: Keys

    private func replace(
        _ present: ManifestOutline.Value,
        by value: ManifestValue,
        in product: ManifestOutline.Product,
        _ step: inout Step
    ) throws(Refusal) {
        switch value {
        case .plain, .text:
            if let reason = whyNotOwn(present, isA: .scalar, "a scalar") { throw Refusal(reason: reason) }
            step.edits += replacing(present, by: value, in: product)
            var event = outline.events[present.events.lowerBound]
            event.text = Array(value.scalar.utf8)
            step.splices.append((present.events, [event]))
        case .list(let items):
            if let reason = whyNotOwn(present, isA: .sequenceStart, "a list") { throw Refusal(reason: reason) }
            try requireNoComment(from: present.keyEnd, to: present.lastEnd)
            try requireUnused(present.events)
            let start = places.offset(of: present.start)
            var text = value.inline(inFlow: product.isFlow)
            if !present.isFlow {
                let line = places.line(of: start)
                let margin = String(repeating: " ", count: start - places.starts[line])
                text = items.map { "- " + $0.inline() }.joined(separator: "\n" + margin)
            }
            step.edits.append(
                Edit(
                    range: start..<places.offset(of: present.lastEnd),
                    replacement: Self.lines(of: text, endedBy: places.lineEnd(ofLine: 0))
                )
            )
            var first = outline.events[present.events.lowerBound]
            first.text = []
            step.splices.append((present.events, [first] + value.events.dropFirst()))
        case .mapping: throw Refusal(reason: "the value is a mapping")
        }
    }

    /// Inserts a key behind the nearest one before it in the schema's order whose value is on lines of its own.
    private func insert(
        _ key: ProductKey,
        _ value: ManifestValue,
        into product: ManifestOutline.Product,
        _ step: inout Step
    ) throws(Refusal) {
        let before = ProductKey.allCases.prefix { $0 != key }.reversed().lazy.compactMap { product.values[$0.rawValue] }
        guard let place = before.first(where: { isInline($0) }) else {
            throw Refusal(reason: "there is no place for '\(key.rawValue)' in the product")
        }
        if product.isFlow {
            let end = places.offset(of: place.lastEnd)
            let text = ", \(key.rawValue): \(value.inline(inFlow: true))"
            step.edits.append(Edit(range: end..<end, replacement: Array(text.utf8)))
        } else {
            let margin = String(repeating: " ", count: product.indent)
            let text = ManifestWriter.entry(key, ManifestWriter.text(of: value, key, indent: product.indent + 2))
            let line = lastLine(of: place.lastEnd, from: place.start)
            step.edits.append(insertion(of: Self.rows(of: margin + text), after: line))
        }
        let event = place.events.upperBound
        step.splices.append((event..<event, [.init(kind: .scalar, text: Array(key.rawValue.utf8))] + value.events))
    }

    private func isInline(_ value: ManifestOutline.Value) -> Bool {
        switch value.kind {
        case .scalar: value.style != .literal && value.style != .folded
        case .alias: true
        default: value.isFlow
        }
    }

    private func remove(
        _ key: String,
        of product: ManifestOutline.Product,
        _ step: inout Step
    ) throws(Refusal) {
        guard let index = product.order.firstIndex(of: key), let value = product.values[key] else {
            throw Refusal(reason: "the value comes from \(product.merges ? "a merge key, '<<'" : "'defaults'")")
        }
        try requireUnused(value.events)
        try requireNoComment(
            from: value.keyEnd,
            to: value.kind == .scalar || value.kind == .alias ? value.start : value.lastEnd
        )
        let next = index + 1 < product.order.count ? product.values[product.order[index + 1]] : nil
        let start = places.offset(of: value.keyStart)
        let range: Range<Int>
        if product.isFlow {
            if index > 0, let before = product.values[product.order[index - 1]] {
                try requireNoComment(from: before.lastEnd, to: value.keyStart)
                range = places.offset(of: before.lastEnd)..<places.offset(of: value.lastEnd)
            } else {
                guard let next else { throw Refusal(reason: "it is the product's only value") }
                try requireNoComment(from: value.lastEnd, to: next.keyStart)
                range = start..<places.offset(of: next.keyStart)
            }
        } else {
            let lines = places.line(of: start)..<lastLine(of: value.lastEnd, from: value.keyStart) + 1
            if index > 0 {
                range = bytes(of: lines)
            } else {
                // The second key takes the place of the first one, behind the dash.
                guard let next else { throw Refusal(reason: "it is the product's only value") }
                let second = places.offset(of: next.keyStart)
                guard (lines.upperBound..<places.line(of: second)).allSatisfy({ comment(inLine: $0) == nil }) else {
                    throw Refusal(reason: "a comment stands between it and the next value")
                }
                range = start..<second
            }
        }
        step.edits.append(Edit(range: range, replacement: []))
        step.splices.append((value.keyEvent..<value.events.upperBound, []))
    }

    /// Why a change of the value would affect something else, or nothing.
    private func whyNotOwn(_ value: ManifestOutline.Value, isA kind: YAMLEventKind, _ name: String) -> String? {
        if value.kind == .alias { return "the value is the alias *\(value.anchor ?? "")" }
        guard value.kind == kind else { return "the value is not \(name)" }
        if let anchor = value.anchor, outline.aliased.contains(anchor) {
            return "the value has the anchor &\(anchor), by which it is used elsewhere, too"
        }
        guard let tag = value.tag else { return nil }
        return tag.hasPrefix("!") ? "\(tag) gives the value" : "the value has a tag"
    }

    private func requireUnused(_ events: Range<Int>) throws(Refusal) {
        for event in outline.events[events] where event.kind != .alias {
            guard let anchor = event.anchor, outline.aliased.contains(anchor) else { continue }
            throw Refusal(reason: "it has the anchor &\(anchor), by which it is used elsewhere, too")
        }
    }

    private func requireNoComment(from start: SourcePosition, to end: SourcePosition) throws(Refusal) {
        let (start, end) = (places.offset(of: start), places.offset(of: end))
        guard start < end, original[start..<end].contains(UInt8(ascii: "#")) else { return }
        throw Refusal(reason: "there is a comment inside the value")
    }

    // MARK: Lines

    private func isBlank(_ line: Int) -> Bool {
        original[places.content(ofLine: line)].allSatisfy { $0 <= UInt8(ascii: " ") }
    }

    /// The number of blanks before the comment that a line consists of; `nil` for any other line.
    private func comment(inLine line: Int) -> Int? {
        let content = original[places.content(ofLine: line)]
        let start = content.firstIndex { $0 > UInt8(ascii: " ") }
        return start.flatMap { original[$0] == UInt8(ascii: "#") ? $0 - content.startIndex : nil }
    }

    /// The last line with something on it before an end.
    private func lastLine(of end: SourcePosition, from start: SourcePosition) -> Int {
        let end = places.offset(of: end)
        var line = places.line(of: end)
        while line > places.line(of: places.offset(of: start)) {
            let content = places.content(ofLine: line)
            if content.lowerBound < end, original[content].contains(where: { $0 > UInt8(ascii: " ") }) { break }
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
        let lineEnd = places.lineEnd(ofLine: 0)
        let text = rows.map { Array($0.utf8) }
        guard line + 1 < places.starts.count else {
            // The last line has no end.
            return Edit(range: original.count..<original.count, replacement: text.flatMap { lineEnd + $0 })
        }
        let start = places.starts[line + 1]
        return Edit(range: start..<start, replacement: text.flatMap { $0 + lineEnd })
    }

    /// The `-` of a product, if nothing but blanks is before it on its line.
    private func dash(of item: ManifestOutline.Item) -> Int? {
        let start = places.offset(of: item.start)
        guard let dash = original[..<start].lastIndex(where: { $0 > UInt8(ascii: " ") }),
            original[dash] == UInt8(ascii: "-"),
            original[places.content(ofLine: places.line(of: dash)).lowerBound..<dash].allSatisfy({ $0 == 0x20 })
        else { return nil }
        return dash
    }

    /// The byte after the colon of a key.
    private func colon(after key: SourcePosition) -> Int {
        let end = places.offset(of: key)
        return (original[end...].firstIndex(of: UInt8(ascii: ":")) ?? end) + 1
    }
}
