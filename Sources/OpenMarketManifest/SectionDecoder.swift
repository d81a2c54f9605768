import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import YAML

/// Reads the sections `market`, `state`, `defaults` and `policies`.
struct SectionDecoder {
    private(set) var sections = ManifestSections()
    private var places: [ManifestSchema.Section: SourceLocation] = [:]

    /// Notes where a section begins, and gives its earlier position in this or another file.
    mutating func note(_ section: ManifestSchema.Section, at location: SourceLocation) -> SourceLocation? {
        if let first = places[section] { return first }
        places[section] = location
        return nil
    }

    mutating func decodeMarket(_ node: YAMLNode, _ values: inout ValueDecoder) {
        values.forEachEntry(of: node, as: ManifestSchema.MarketKey.self) { values, key, pair in
            let value = pair.value
            switch key {
            case .url:
                sections.market.url = decodeURL(value, key, &values)
            case .api:
                if let text = values.text(value, field: key.rawValue) {
                    if let reference = MarketReference(text.value) {
                        sections.api = reference
                    } else {
                        values.report(
                            .choice,
                            "'api' must be \(MarketReference.words), and not \(text.shown)",
                            at: value.span,
                            field: key.rawValue,
                            help: text.origin == .written ? MarketReference.help(for: text.value) : nil
                        )
                    }
                }
            case .parameters: decodeParameters(value, &values)
            case .identifier:
                sections.market.identifier = values.secret(
                    value,
                    field: key.rawValue,
                    variable: "OPENMARKET_IDENTIFIER"
                )
            case .secret:
                sections.market.secret = values.secret(
                    value,
                    field: key.rawValue,
                    variable: "OPENMARKET_SECRET"
                )
            case .vendorID:
                sections.market.vendorID = values.integer(value, field: key.rawValue, in: key.entry.type.range)
            case .limits: decodeLimits(value, &values)
            case .pictureHosts: sections.market.pictureHosts = values.hosts(value, field: key.rawValue)
            case .picturesURL:
                sections.market.picturesURL = decodeURL(value, key, &values)
            case .sendKeys:
                sections.market.sendsKeys = values.boolean(value, field: key.rawValue) ?? false
            }
        }
    }

    /// Reads the state's location: a path beside the file, or an address, whose password is never shown.
    mutating func decodeState(_ node: YAMLNode, _ values: inout ValueDecoder) {
        let field = ManifestSchema.Section.state.rawValue
        guard let text = values.text(node, field: field) else { return }
        let location = StateLocation(text.value)
        guard !text.value.isEmpty, !text.value.utf8.contains(0) else {
            values.report(
                .noValue,
                "'\(field)' is empty",
                at: node.span,
                field: field,
                help: "name a file or an address"
            )
            return
        }
        guard location.scheme == nil, text.value.utf8.first != UInt8(ascii: "/") else {
            sections.market.state = location
            return
        }
        let folder = values.log.sources[values.file].folder
        sections.market.state = StateLocation(folder == "." ? text.value : FileSystem.path(of: text.value, in: folder))
    }

    /// An address without credentials, normalized.
    private func decodeURL(
        _ value: YAMLNode,
        _ key: ManifestSchema.MarketKey,
        _ values: inout ValueDecoder
    ) -> String? {
        guard let text = values.text(value, field: key.rawValue) else { return nil }
        do throws(MarketURL.Fault) {
            return try MarketURL(text.value).description
        } catch {
            values.report(
                .url,
                "'\(key.rawValue)' \(error.message)",
                at: value.span,
                field: key.rawValue,
                help: error.help
            )
            return nil
        }
    }

    /// Reads the mapping `market.parameters`, whose names the market's description defines.
    private mutating func decodeParameters(_ node: YAMLNode, _ values: inout ValueDecoder) {
        let field = ManifestSchema.MarketKey.parameters.rawValue
        guard let pairs = node.pairs else {
            values.report(
                node.isNull ? .noValue : .wrongType,
                "'\(field)' must be a mapping, and this is \(ValueDecoder.describe(node))",
                at: node.span,
                field: field
            )
            return
        }
        for pair in pairs {
            let name = pair.key.name
            values.notePlace(of: pair, field: "\(field).\(name)")
            guard let text = values.text(pair.value, field: "\(field).\(name)") else {
                // A parameter with a reported fault is not reported as missing, too.
                sections.unsetParameters.insert(name)
                continue
            }
            sections.parameters[name] = text.value
        }
    }

    private mutating func decodeLimits(_ node: YAMLNode, _ values: inout ValueDecoder) {
        values.forEachEntry(of: node, field: "limits", as: ManifestSchema.LimitKey.self) { values, key, pair in
            let field = "limits." + key.rawValue
            if key == .currencies {
                sections.currencies = values.currencies(pair.value, field: field)
                return
            }
            if let value = values.integer(pair.value, field: field, in: key.entry.type.range) {
                sections.limitChanges[key] = Int(value)
            }
        }
    }

    mutating func decodeDefaults(_ node: YAMLNode, _ values: inout ValueDecoder) {
        values.forEachEntry(of: node, as: ManifestSchema.DefaultsKey.self) { values, key, pair in
            switch key {
            case .currency:
                sections.defaults.currency = values.currency(pair.value, field: key.rawValue)
            case .stock:
                guard let stock = values.stock(pair.value) else { return }
                sections.defaults.stock = stock.units
                sections.defaults.isStockInitial = stock.isInitial
            case .ignoreChanges: sections.defaults.ignoreChanges = values.ignoredFields(pair.value)
            case .protected:
                sections.defaults.isProtected = values.boolean(pair.value, field: key.rawValue) ?? false
            }
        }
    }

    mutating func decodePolicies(_ node: YAMLNode, _ values: inout ValueDecoder) {
        values.forEachEntry(of: node, as: ManifestSchema.PoliciesKey.self) { values, key, pair in
            let value = pair.value
            switch key {
            case .maxDelete:
                // A share below 1 cannot be a number of products.
                guard let text = values.text(value, field: key.rawValue)?.value else { return }
                let isFraction = ExactDecimal(text).map { $0.wholeValue == nil } ?? false
                if isFraction || text.hasSuffix("%") {
                    sections.policies.maximumDelete = values.percentage(value, field: key.rawValue, most: 100)
                        .map(Policies.Bound.basisPoints)
                } else {
                    sections.policies.maximumDelete = values.integer(
                        value,
                        field: key.rawValue,
                        in: key.entry.type.range
                    ).map { .count(Int($0)) }
                }
            case .maxPriceChange:
                sections.policies.maximumPriceChange = values.percentage(value, field: key.rawValue, most: nil)
            case .minPrice: sections.policies.minimumPrice = values.amount(value, field: key.rawValue)
            case .onDrift: decodeDrift(value, &values)
            case .allowCurrencyChange:
                sections.policies.allowsCurrencyChange = values.boolean(value, field: key.rawValue) ?? true
            case .allowStockToZero:
                sections.policies.allowsStockToZero = values.boolean(value, field: key.rawValue) ?? true
            case .allowZeroPrice:
                sections.policies.allowsZeroPrice = values.boolean(value, field: key.rawValue) ?? false
            case .allowUnsettledCreates:
                sections.policies.allowsUnsettledCreates = values.boolean(value, field: key.rawValue) ?? false
            }
        }
    }
}

extension SectionDecoder {
    private mutating func decodeDrift(_ node: YAMLNode, _ values: inout ValueDecoder) {
        let name = ManifestSchema.PoliciesKey.onDrift.rawValue
        values.forEachEntry(of: node, field: name, as: ProductField.self) { values, key, pair in
            let field = name + "." + key.rawValue
            guard let text = values.text(pair.value, field: field) else { return }
            guard let handling = PlannerOptions.DriftHandling(rawValue: text.value) else {
                let choices = key.entry.type.choices
                values.report(
                    .choice,
                    "'\(field)' must be \(choices.listed("or")), and not \(text.shown)",
                    at: pair.value.span,
                    field: field,
                    help: Suggestion.nearest(to: text.value, in: choices).map { "did you mean '\($0)'?" }
                )
                return
            }
            sections.policies.onDrift[key] = handling
        }
    }
}

extension ValueDecoder {
    /// Calls the body for each entry of a section, except unknown keys.
    mutating func forEachEntry<Key: ManifestKey>(
        of node: YAMLNode,
        field: String = "",
        as type: Key.Type,
        _ body: (inout ValueDecoder, Key, YAMLNode.Pair) -> Void
    ) {
        guard let pairs = node.pairs else {
            let name = field.isEmpty ? scope.path : field
            if node.isNull { expectStray(Key.names) }
            report(
                node.isNull ? .noValue : .wrongType,
                "'\(name)' must be a mapping, and this is \(Self.describe(node))",
                at: node.span,
                field: field
            )
            return
        }
        for pair in pairs {
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
            notePlace(of: pair, field: field.isEmpty ? key.rawValue : field + "." + key.rawValue)
            body(&self, key, pair)
        }
    }
}
