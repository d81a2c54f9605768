import OpenMarket
import YAML

/// Reads the parts of a description by their tables, and reports faults at their positions.
struct DescriptionReader {
    private(set) var faults: [DescriptionFault] = []
    /// The positions of the document's parts by path.
    private(set) var positions: [String: SourcePosition] = [:]
    /// Parts that could not be read or are probably misspelt.
    ///
    /// Faults of the whole that only follow from their absence are useless.
    private(set) var spoilt: [String] = []
    /// All pointers, templates and names of the document, for rules that apply to each of them.
    private(set) var uses = DescriptionUses()
    /// The path of the current part.
    private var path = ""
    /// The number of pointers of each top-level section.
    private var pointers: [Substring: Int] = [:]

    /// Reads a part of the current part; `nil` if it could not be read.
    ///
    /// The step leads from the enclosing part: `.page`, `[2]`. The position is where the part starts, with its key.
    mutating func within<Value>(
        _ step: String,
        _ node: YAMLNode,
        at position: YAMLPosition,
        _ body: (inout DescriptionReader) -> Value?
    ) -> Value? {
        let outer = path
        path = path.isEmpty && step.hasPrefix(".") ? String(step.dropFirst()) : path + step
        positions[path] = SourcePosition(line: node.start.line, column: node.start.column)
        if node.kind != .scalar { positions[path] = SourcePosition(line: position.line, column: position.column) }
        defer { path = outer }
        let value = body(&self)
        if value == nil { spoilt.append(path) }
        return value
    }

    // MARK: Scalars

    /// The scalar as every YAML reader reads it; `nil` if the node is not a scalar.
    func plain(_ node: YAMLNode) -> PlainScalar? { PlainScalar(node) }

    /// Reads a text; refuses one that other YAML readers take for another type.
    mutating func text(_ node: YAMLNode, _ expected: String) -> String? {
        switch plain(node) {
        case .text?: return node.text
        case .other(let kind)?:
            let text = node.text ?? ""
            reportShape(
                "'\(text.excerpt)' is read as \(kind) by other readers of YAML",
                at: node,
                help: "write \"\(text.excerpt)\""
            )
        case .boolean?, .number?:
            let text = node.text ?? ""
            reportShape(
                "\(Self.withoutMarkdown(expected)) is needed here, and \(text.excerpt) is \(describe(node))",
                at: node,
                help: "write \"\(text.excerpt)\" if it is meant as a text"
            )
        case .null?, nil: reportKind(node, expected)
        }
        return nil
    }

    /// Notes a pointer of the current section, and checks it beyond its form.
    mutating func note(_ pointer: JSONPointer, at position: YAMLPosition) {
        uses.pointers.append(DescriptionUses.Use(path: path, value: pointer))
        for case .member(let name) in pointer.tokens {
            if name == "-" {
                report(.rule, "'-' is the place behind the end of an array, where nothing is", at: position)
            } else if name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                Int(name).map({ $0 > JSONPointer.lastIndex }) ?? true
            {
                report(.rule, "a pointer names at most the element \(JSONPointer.lastIndex) of an array", at: position)
            }
        }
        let section = path.prefix { $0 != "." && $0 != "[" }
        pointers[section, default: 0] += 1
        if pointers[section] == MarketLanguage.mostPointers + 1 {
            report(.rule, "'\(section)' has more than \(MarketLanguage.mostPointers) pointers", at: position)
        }
    }

    /// Notes a template and its use.
    mutating func note(_ template: Template, _ role: TextForm.Role) {
        uses.templates.append(DescriptionUses.Use(path: path, value: template))
        if role == .path { uses.paths.append(DescriptionUses.Use(path: path, value: template)) }
    }

    /// Notes a name if it is sent.
    mutating func note(name: String, _ role: TextForm.Role) {
        switch role {
        case .header: uses.headers.append(DescriptionUses.Use(path: path, value: name))
        case .query: uses.queries.append(DescriptionUses.Use(path: path, value: name))
        case .plain, .path: break
        }
    }

    // MARK: Sections

    /// Reads a section; `tag` is a key that was already read and selected the table.
    mutating func section<Section: DescriptionSection>(
        _ type: Section.Type,
        _ node: YAMLNode,
        tag: String? = nil
    ) -> Section? {
        guard let pairs = node.pairs else {
            reportKind(node, "a mapping")
            return nil
        }
        let keys = Section.keys
        var section = Section()
        var found = FoundKeys()
        for pair in pairs where pair.key.name != tag {
            guard let key = keys.first(where: { $0.name == pair.key.name }) else {
                reportUnknown(pair.key, keys: keys.map(\.name), refused: Section.refused, rules: Section.rules, &found)
                continue
            }
            found.seen.insert(key.name)
            _ = within("." + key.name, pair.value, at: pair.key.start) { reader -> Void? in
                key.read(pair.value, &reader, &section) ? () : nil
            }
        }
        reportMissing(of: node, required: keys.filter(\.isRequired).map(\.name), rules: Section.rules, found)
        return section
    }

    private struct FoundKeys {
        var seen: Set<String> = []
        /// Names that were misspelt: they are not also reported as missing.
        var meant: Set<String> = []
    }

    // Code that needs no section type is separate, so that it is compiled once and not for each type.

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
        if let near, refusal == nil {
            found.meant.insert(near)
            spoilt.append(child(near))
        }
        // The language refuses the meaning, so that alternative keys are not reported as missing.
        if refusal != nil { found.meant.formUnion(rules.flatMap(\.keys)) }
        let all = keys.isEmpty ? "nothing more is said here" : "the keys here are \(keys.joined(separator: ", "))"
        reportShape(
            "unknown key '\(key.name.excerpt)'",
            at: key,
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
            spoilt += rule.keys.map(child)
            let place = fault.key.map(child)
            let position =
                place.flatMap { positions[$0] } ?? SourcePosition(line: node.start.line, column: node.start.column)
            add(DescriptionFault(kind: .shape, message: fault.message, path: place ?? path, position: position))
        }
    }

    /// The items of a list; `nil` if it is not a list or has too many.
    mutating func items(of node: YAMLNode, most: Int) -> [YAMLNode]? {
        guard let items = node.items else {
            reportKind(node, "a list")
            return nil
        }
        guard (1...most).contains(items.count) else {
            reportShape(
                items.isEmpty
                    ? "this list is empty" : "this list has \(items.count) items, and at most \(most) are taken",
                at: node
            )
            return nil
        }
        return items
    }

    /// The path of a key in the current part.
    private func child(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Reporting

    mutating func add(_ fault: DescriptionFault) { faults.append(fault) }

    mutating func report(
        _ kind: DescriptionFault.Kind,
        _ message: String,
        at position: YAMLPosition,
        path: String? = nil,
        help: String? = nil
    ) {
        add(
            DescriptionFault(
                kind: kind,
                message: message,
                path: path ?? self.path,
                position: SourcePosition(line: position.line, column: position.column),
                help: help
            )
        )
    }

    /// Reports a fault that the JSON Schema also finds.
    mutating func reportShape(_ message: String, at node: YAMLNode, help: String? = nil) {
        report(.shape, message, at: node.start, help: help)
    }

    /// Reports a key that the JSON Schema also refuses.
    mutating func reportShape(_ message: String, at key: YAMLNode.Key, path: String? = nil, help: String? = nil) {
        report(.shape, message, at: key.start, path: path, help: help)
    }

    /// Reports a missing key; `near` is one that was probably meant.
    mutating func reportMissing(_ name: String, of node: YAMLNode, near: YAMLNode.Key?) {
        spoilt.append(child(name))
        if let near {
            reportShape(
                "unknown key '\(near.name.excerpt)'",
                at: near,
                path: child(near.name),
                help: "did you mean '\(name)'?"
            )
        } else {
            reportShape(path.isEmpty ? "the key '\(name)' is missing" : "'\(path)' needs the key '\(name)'", at: node)
        }
    }

    /// Reports a word that is not among the accepted ones.
    mutating func reportOther(_ text: String, than names: [String], at node: YAMLNode) {
        reportShape(
            "'\(text.excerpt)' is not \(names.listed("or"))",
            at: node,
            help: Suggestion.nearest(to: text, in: names).map { "did you mean '\($0)'?" }
        )
    }

    mutating func reportKind(_ node: YAMLNode, _ expected: String) {
        let expected = Self.withoutMarkdown(expected)
        reportShape(
            node.isNull
                ? "this key has no value, and needs \(expected)"
                : "\(expected) is needed here, and this is \(describe(node))",
            at: node
        )
    }

    /// Converts words of the reference to words of a message.
    private static func withoutMarkdown(_ words: String) -> String {
        words.replacing(/\[([^\]]*)\]\([^)]*\)/) { "a mapping as in '\($0.output.1)'" }.replacing("`", with: "")
    }

    private func describe(_ node: YAMLNode) -> String {
        switch node.kind {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar:
            switch plain(node) {
            case .number?: "a number"
            case .boolean?: "true or false"
            case .null?: "null"
            // A word for a boolean that JSON does not have.
            case .text?, .other("a boolean")?, nil: "a text"
            case .other(let kind)?: kind
            }
        }
    }
}

extension DescriptionReader {
    /// Whether a part of the document, or one around or inside it, could not be read.
    func isSpoilt(_ path: String) -> Bool {
        spoilt.contains { $0 == path || $0.isPart(of: path) || path.isPart(of: $0) }
    }

    /// Positions a fault at the part that it names, or at the nearest enclosing one.
    func placed(_ fault: DescriptionFault) -> DescriptionFault {
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

extension String {
    /// Whether this path is inside another one.
    fileprivate func isPart(of other: String) -> Bool {
        hasPrefix(other + ".") || hasPrefix(other + "[")
    }
}
