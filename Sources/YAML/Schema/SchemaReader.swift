package import OpenMarket

/// Reads the parts of a document by their tables, and reports faults with their positions.
package struct SchemaReader {
    /// A value recorded by its shape, for rules that apply to all values of its kind.
    package struct Note {
        package var path: String
        package var value: any Sendable
    }

    package private(set) var faults: [Problem] = []
    /// The positions of the document's parts by path.
    package private(set) var positions: [String: SourcePosition] = [:]
    package private(set) var notes: [Note] = []
    /// The path of the current part.
    private var path = ""

    package init() {}

    /// Reads a part of the current part; `nil` if it could not be read.
    ///
    /// `step` leads from the enclosing part: `.page`, `[2]`. The position is the start of the part, including its key.
    package mutating func within<Value>(
        _ step: String,
        _ node: YAMLNode,
        at position: SourcePosition,
        _ body: (inout SchemaReader) -> Value?
    ) -> Value? {
        let outer = path
        path = path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : path + step
        positions[path] = node.kind == .scalar ? node.start : position
        defer { path = outer }
        return body(&self)
    }

    // MARK: Scalars

    /// Reads a text; refuses a tag, and what JSON has another type for.
    package mutating func text(_ node: YAMLNode, _ expected: String) -> String? {
        switch PlainScalar(node) {
        case .text?: return node.text
        case .boolean?, .number?:
            let text = node.text ?? ""
            reportShape(
                "\(Self.withoutMarkdown(expected)) is needed here, and \(text.excerpt) is \(describe(node))",
                at: node.start,
                help: "write \"\(text.excerpt)\" if it is meant as a text"
            )
        case .null?, nil: reportKind(node, expected)
        }
        return nil
    }

    /// Reads any scalar except null as it is written; refuses a tag.
    package mutating func written(_ node: YAMLNode, _ expected: String) -> String? {
        if let scalar = PlainScalar(node), scalar != .null { return node.text }
        reportKind(node, expected)
        return nil
    }

    /// Records a value of the current part.
    package mutating func note(_ value: any Sendable) { notes.append(Note(path: path, value: value)) }

    // MARK: Sections

    /// Reads a section; `tag` is a key that was already read and selected the table.
    package mutating func section<Value>(_ table: Section<Value>, _ node: YAMLNode, tag: String? = nil) -> Value? {
        guard let pairs = node.pairs else {
            reportKind(node, "a mapping")
            return nil
        }
        let keys = table.keys
        var value = table.start
        var found = FoundKeys()
        for pair in pairs where pair.key.name != tag {
            guard let key = keys.first(where: { $0.name == pair.key.name }) else {
                reportUnknown(pair.key, keys: keys.map(\.name), refused: table.refused, rules: table.rules, &found)
                continue
            }
            found.seen.insert(key.name)
            _ = within("." + key.name, pair.value, at: pair.key.start) { reader -> Void? in
                key.read(pair.value, &reader, &value) ? () : nil
            }
        }
        reportMissing(of: node, required: keys.filter(\.isRequired).map(\.name), rules: table.rules, found)
        return value
    }

    private struct FoundKeys {
        var seen: Set<String> = []
        /// The likely intended names of misspelt keys: they are not also reported as missing.
        var meant: Set<String> = []
    }

    // Code that works without a section type is separate, so that it is compiled once and not for each type.

    /// Reports a key that the section does not have.
    private mutating func reportUnknown(
        _ key: YAMLNode.Key,
        keys: [String],
        refused: [String: String],
        rules: [SectionRule],
        _ found: inout FoundKeys
    ) {
        let refusal = refused[key.name]
        let near = Suggestion.nearest(to: key.name, in: keys)
        if let near, refusal == nil { found.meant.insert(near) }
        // The language does not have this key's meaning, so its alternative keys are not reported as missing.
        if refusal != nil { found.meant.formUnion(rules.flatMap(\.keys)) }
        let all = keys.isEmpty ? "no key is allowed here" : "the keys here are \(keys.joined(separator: ", "))"
        reportShape(
            "unknown key '\(key.name.excerpt)'",
            at: key.start,
            path: child(key.name),
            help: refusal ?? near.map { "did you mean '\($0)'?" } ?? all
        )
    }

    /// Reports missing required keys, and keys that do not belong together.
    private mutating func reportMissing(of node: YAMLNode, required: [String], rules: [SectionRule], _ found: FoundKeys)
    {
        let present = found.seen.union(found.meant)
        for key in required where !present.contains(key) { reportMissing(key, of: node, near: nil) }
        for rule in rules {
            guard let fault = rule.fault(in: present), Set(rule.keys).isDisjoint(with: found.meant) else { continue }
            let place = fault.key.map(child)
            let position = place.flatMap { positions[$0] } ?? node.start
            add(Problem(.shape, fault.message, path: place ?? path, position: position))
        }
    }

    /// The items of a list; `nil` if it is not a list or has too many.
    package mutating func items(of node: YAMLNode, _ count: ClosedRange<Int>) -> [YAMLNode]? {
        guard let items = node.items else {
            reportKind(node, "a list")
            return nil
        }
        guard count.contains(items.count) else {
            reportShape(
                items.isEmpty
                    ? "this list is empty"
                    : "this list has \(items.count) items, and at most \(count.upperBound) are taken",
                at: node.start
            )
            return nil
        }
        return items
    }

    /// The path of a key in the current part.
    private func child(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Reporting

    package mutating func add(_ fault: Problem) { faults.append(fault) }

    package mutating func report(
        _ kind: Problem.Kind,
        _ message: String,
        at position: SourcePosition,
        path: String? = nil,
        help: String? = nil
    ) {
        add(
            Problem(kind, message, path: path ?? self.path, position: position, help: help)
        )
    }

    /// Reports a fault that the JSON Schema also finds.
    package mutating func reportShape(
        _ message: String,
        at place: SourcePosition,
        path: String? = nil,
        help: String? = nil
    ) {
        report(.shape, message, at: place, path: path, help: help)
    }

    /// Reports a missing key; `near` is a key that was probably meant.
    package mutating func reportMissing(_ name: String, of node: YAMLNode, near: YAMLNode.Key?) {
        if let near {
            reportShape(
                "unknown key '\(near.name.excerpt)'",
                at: near.start,
                path: child(near.name),
                help: "did you mean '\(name)'?"
            )
        } else {
            reportShape(
                path.isEmpty ? "the key '\(name)' is missing" : "'\(path)' needs the key '\(name)'",
                at: node.start
            )
        }
    }

    package mutating func reportKind(_ node: YAMLNode, _ expected: String) {
        let expected = Self.withoutMarkdown(expected)
        reportShape(
            node.isNull
                ? "this key lacks a value, and needs \(expected)"
                : "\(expected) is needed here, and this is \(describe(node))",
            at: node.start
        )
    }

    /// Converts the reference's Markdown to plain text for a message.
    private static func withoutMarkdown(_ words: String) -> String {
        words.replacing(/\[([^\]]*)\]\([^)]*\)/) { "a mapping as in '\($0.output.1)'" }.replacing("`", with: "")
    }

    private func describe(_ node: YAMLNode) -> String {
        if node.hasTag { return "a value with a tag" }
        return switch node.kind {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar:
            switch PlainScalar(node) {
            case .number?: "a number"
            case .boolean?: "true or false"
            case .null?: "null"
            case .text?, nil: "a text"
            }
        }
    }
}

extension SchemaReader {
    /// Gives a fault the position of the part that it names, or of the nearest enclosing part.
    package func placed(_ fault: Problem) -> Problem {
        var fault = fault
        var path = fault.path[...]
        while !path.isEmpty {
            if let position = positions[String(path)] {
                fault.position = position
                return fault
            }
            path = path.lastIndex { $0 == "." || $0 == "[" }.map { path[..<$0] } ?? ""
        }
        fault.position = SourcePosition(line: 1, column: 1)
        return fault
    }
}
