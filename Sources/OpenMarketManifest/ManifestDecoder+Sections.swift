import OpenMarket
import YAML

extension ManifestDecoder {
    /// Gives the entries of a section one by one, unknown keys excepted.
    private mutating func entries<Key: ManifestKey>(
        of node: YAMLNode,
        field: String = "",
        as type: Key.Type,
        _ body: (inout ManifestDecoder, Key, YAMLNode.Pair) -> Void
    ) {
        guard let pairs = node.pairs else {
            let name = field.isEmpty ? scope : field
            report("'\(name)' must be a mapping, and this is \(Self.describe(node))", at: node.span, field: field)
            return
        }
        for pair in pairs {
            guard let key = Key(rawValue: pair.key.name) else {
                conceal(pair.key, pair.value)
                let name = pair.key.name.excerpt
                report(
                    "unknown key '\(name)'",
                    at: pair.key.span,
                    field: field.isEmpty ? name : field + "." + name,
                    help: Key.nearest(to: pair.key.name).map { "did you mean '\($0)'?" } ?? "the keys here are "
                        + Key.names.joined(separator: ", ")
                )
                continue
            }
            body(&self, key, pair)
        }
    }

    /// The `market:` section.
    mutating func decodeMarket(_ node: YAMLNode) {
        entries(of: node, as: ManifestSchema.MarketKey.self) { decoder, key, pair in
            let value = pair.value
            switch key {
            case .url:
                // A password in a URL is refused, and no code frame shows it.
                if let written = value.text, written.contains("@") { decoder.log.secrets.append(Secret(written)) }
                if let text = decoder.text(value, field: key.rawValue) {
                    do throws(MarketURL.Fault) {
                        decoder.sections.market.url = try MarketURL(text.value).description
                    } catch {
                        decoder.report("'url' \(error.message)", at: value.span, field: key.rawValue, help: error.help)
                    }
                }
            case .api:
                if let text = decoder.text(value, field: key.rawValue) {
                    decoder.sections.market.profile = MarketProfile(name: text.value)
                    if decoder.sections.market.profile == nil {
                        decoder.report(
                            "'api' must be \(key.entry.type.choices.listed("or")), and not \(text.shown)",
                            at: value.span,
                            field: key.rawValue
                        )
                    }
                }
            case .identifier:
                decoder.sections.market.identifier = decoder.secret(
                    value,
                    field: key.rawValue,
                    variable: "OPENMARKET_IDENTIFIER"
                )
            case .secret:
                decoder.sections.market.secret = decoder.secret(
                    value,
                    field: key.rawValue,
                    variable: "OPENMARKET_SECRET"
                )
            case .vendorID:
                decoder.sections.market.vendorID = decoder.integer(value, field: key.rawValue, in: key.entry.type.range)
            case .limits: decoder.decodeLimits(value)
            case .pictureHosts: decoder.sections.market.pictureHosts = decoder.hosts(value, field: key.rawValue)
            }
        }
    }

    private mutating func decodeLimits(_ node: YAMLNode) {
        entries(of: node, field: "limits", as: ManifestSchema.LimitKey.self) { decoder, key, pair in
            let field = "limits." + key.rawValue
            if let value = decoder.integer(pair.value, field: field, in: key.entry.type.range) {
                decoder.sections.limitChanges[key] = ManifestSections.LimitChange(
                    value: Int(value),
                    span: pair.value.span,
                    file: decoder.file
                )
            }
        }
    }

    /// Hosts, each perhaps with a port: `cdn.example.org`, `127.0.0.1:9000`.
    private mutating func hosts(_ node: YAMLNode, field: String) -> [String] {
        texts(node, field: field).compactMap { text, item in
            let fault: String
            do throws(MarketURL.Fault) {
                let url = try MarketURL("http://" + text.value)
                if !url.description.dropFirst("http://".count).contains("/") { return text.value.lowercased() }
                fault = "must be a host without a path"
            } catch { fault = error.message }
            report(
                "'\(field)': \(text.shown) \(fault)",
                at: item.span,
                field: field,
                help: "write hosts like cdn.example.org or 127.0.0.1:9000"
            )
            return nil
        }
    }

    /// The `defaults:` section.
    mutating func decodeDefaults(_ node: YAMLNode) {
        entries(of: node, as: ManifestSchema.DefaultsKey.self) { decoder, key, pair in
            switch key {
            case .currency: decoder.sections.defaults.currency = decoder.currency(pair.value, field: key.rawValue)
            case .stock:
                guard let stock = decoder.stock(pair.value) else { return }
                decoder.sections.defaults.stock = stock.units
                decoder.sections.defaults.isStockInitial = stock.isInitial
            case .ignoreChanges: decoder.sections.defaults.ignoreChanges = decoder.ignoredFields(pair.value)
            case .protected:
                decoder.sections.defaults.isProtected = decoder.boolean(pair.value, field: key.rawValue) ?? false
            }
        }
    }

    /// The `policies:` section.
    mutating func decodePolicies(_ node: YAMLNode) {
        entries(of: node, as: ManifestSchema.PoliciesKey.self) { decoder, key, pair in
            let value = pair.value
            switch key {
            case .maxDelete:
                if value.text?.hasSuffix("%") == true {
                    decoder.sections.policies.maximumDelete = decoder.percentage(value, field: key.rawValue, most: 100)
                        .map(Policies.Bound.basisPoints)
                } else {
                    decoder.sections.policies.maximumDelete = decoder.integer(
                        value,
                        field: key.rawValue,
                        in: key.entry.type.range
                    ).map { .count(Int($0)) }
                }
            case .maxPriceChange:
                decoder.sections.policies.maximumPriceChange = decoder.percentage(value, field: key.rawValue, most: nil)
            case .allowCurrencyChange:
                decoder.sections.policies.allowsCurrencyChange = decoder.boolean(value, field: key.rawValue) ?? true
            case .allowStockToZero:
                decoder.sections.policies.allowsStockToZero = decoder.boolean(value, field: key.rawValue) ?? true
            }
        }
    }

    /// `30%` or `2.5%`, in hundredths of a percent.
    private mutating func percentage(_ node: YAMLNode, field: String, most: Int64?) -> Int64? {
        guard let text = text(node, field: field) else { return nil }
        guard text.value.hasSuffix("%"), let number = ExactDecimal(text.value.dropLast()), !number.isNegative,
            let points = ExactDecimal(significand: number.significand, scale: Int(number.scale) - 2)?.wholeValue
        else {
            report(
                "'\(field)' must be a percentage, and not \(text.shown)",
                at: node.span,
                field: field,
                help: "write it like 30%"
            )
            return nil
        }
        if let most, points > most * 100 {
            report("'\(field)' is \(text.value), and must be at most \(most)%", at: node.span, field: field)
            return nil
        }
        return points
    }
}
