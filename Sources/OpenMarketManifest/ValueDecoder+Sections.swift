import OpenMarket
import OpenMarketDescription
import YAML

extension ValueDecoder {
    /// Reads a mapping with the readers of its keys.
    mutating func read<Key: ManifestKey>(
        _ node: YAMLNode,
        field: String = "",
        as type: Key.Type,
        into sections: inout ManifestSections
    ) {
        if node.isNull { expectStray(Key.names) }
        for pair in pairs(node, field: field) ?? [] {
            guard let key = Key(rawValue: pair.key.name) else {
                conceal(pair.key, pair.value)
                if strayKeys.contains(pair.key.name) { continue }
                let name = pair.key.name.excerpt
                let section = ManifestSchema.Section(rawValue: pair.key.name)
                if let section {
                    expectStray(ManifestSchema.keyNames(of: section))
                    if section == .defaults { lostDefaults = true }
                }
                report(
                    .unknownKey,
                    "unknown key '\(name)'",
                    at: pair.key.span,
                    field: field.isEmpty ? name : field + "." + name,
                    help: section.map { "'\($0)' is a section, and begins at the start of its line" }
                        ?? Key.nearest(to: pair.key.name).map { "did you mean '\($0)'?" } ?? "the keys here are "
                        + Key.names.joined(separator: ", ")
                )
                continue
            }
            let name = field.isEmpty ? key.rawValue : field + "." + key.rawValue
            notePlace(of: pair, field: name)
            key.entry.read(&sections, &self, pair.value, name)
        }
    }

    /// The state's location: a path relative to the file, or a URL, whose password is never shown.
    mutating func state(_ node: YAMLNode) -> StateLocation? {
        let field = ManifestSchema.Section.state.rawValue
        guard let text = text(node, field: field)?.value else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            report(.noValue, "'\(field)' is empty", at: node.span, field: field, help: "name a file or an address")
            return nil
        }
        let location = StateLocation(text)
        return location.scheme == nil ? StateLocation(log.sources[file].path(text)) : location
    }

    /// A URL without credentials, normalized.
    mutating func url(_ node: YAMLNode, field: String) -> String? {
        guard let text = text(node, field: field) else { return nil }
        do throws(MarketURL.Fault) {
            return try MarketURL(text.value).description
        } catch {
            report(.url, "'\(field)' \(error.message)", at: node.span, field: field, help: error.help)
            return nil
        }
    }

    mutating func market(_ node: YAMLNode, field: String) -> MarketReference? {
        guard let text = text(node, field: field) else { return nil }
        if let reference = MarketReference(text.value) { return reference }
        report(
            .choice,
            "'\(field)' must be \(MarketReference.words), and not \(text.shown)",
            at: node.span,
            field: field,
            help: text.origin == .written ? MarketReference.help(for: text.value) : nil
        )
        return nil
    }

    /// Reads the mapping `market.parameters`, whose names the market's description defines.
    mutating func parameters(_ node: YAMLNode, field: String, into sections: inout ManifestSections) {
        for pair in pairs(node, field: field) ?? [] {
            let name = pair.key.name
            notePlace(of: pair, field: "\(field).\(name)")
            guard let text = self.text(pair.value, field: "\(field).\(name)") else {
                // A parameter with a reported fault is not also reported as missing.
                sections.unsetParameters.insert(name)
                continue
            }
            sections.parameters[name] = text.value
        }
    }

    /// A number of products, or a share of them; a share below 1 cannot be a number.
    mutating func countOrShare(_ node: YAMLNode, field: String) -> Policies.Bound? {
        guard let text = text(node, field: field)?.value else { return nil }
        let isFraction = ExactDecimal(text).map { $0.wholeValue == nil } ?? false
        if isFraction || text.hasSuffix("%") {
            return percentage(node, field: field, most: 100).map { .basisPoints($0) }
        }
        let range = ManifestSchema.ValueType.countOrShare.range
        return integer(node, field: field, in: range).map { .count(Int($0)) }
    }

    mutating func choice(_ node: YAMLNode, of choices: [String], field: String) -> String? {
        guard let text = text(node, field: field) else { return nil }
        if choices.contains(text.value) { return text.value }
        report(
            .choice,
            "'\(field)' must be \(choices.listed("or")), and not \(text.shown)",
            at: node.span,
            field: field,
            help: Suggestion.nearest(to: text.value, in: choices).map { "did you mean '\($0)'?" }
        )
        return nil
    }
}
