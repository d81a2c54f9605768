import OpenMarket
import SystemPackage
import YAML

extension ManifestDecoder {
    /// A text as it is meant: as written, or fetched by a tag.
    struct Text {
        /// Where a text comes from.
        enum Origin: Equatable {
            case written
            case environment(String)
            case file(String)
        }

        var value: String
        var origin: Origin

        /// For messages: what was fetched is named and not shown.
        var shown: String {
            switch origin {
            case .written: "'\(value.excerpt)'"
            case .environment(let name): "the value of \(name)"
            case .file(let path): "the text of \(path)"
            }
        }
    }

    /// What a node is, for messages.
    static func describe(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar: node.isNull ? "null" : "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Refuses null: leaving a key out says what null might be meant to say.
    mutating func refuseNull(_ node: YAMLNode, field: String) -> Bool {
        guard node.isNull else { return false }
        let isProductField = productIndex != nil && ProductField(rawValue: field) != nil
        report(
            "'\(field)' has no value",
            at: node.span,
            field: field,
            help: isProductField
                ? "leave the key out to not manage the field; a text that reads null needs quotes" : "leave the key out"
        )
        return true
    }

    /// The text of a scalar, whatever YAML would take it for.
    ///
    /// - Parameters:
    ///   - node: the value.
    ///   - field: its name; asked for only when something is wrong, for this runs for every line of a manifest.
    /// - Returns: the text, `nil` when something is wrong with it.
    mutating func text(_ node: YAMLNode, field: @autoclosure () -> String) -> Text? {
        if case .scalar(let text, let style) = node.content, node.tag == nil, style != .doubleQuoted, !node.isNull {
            return Text(value: text, origin: .written)
        }
        return unusualText(node, field: field())
    }

    /// The text of a scalar that is fetched, can hold control characters, or is wrong.
    private mutating func unusualText(_ node: YAMLNode, field: String) -> Text? {
        if refuseNull(node, field: field) { return nil }
        guard case .scalar(let text, let style) = node.content else {
            report("'\(field)' must be a single value, and this is \(Self.describe(node))", at: node.span, field: field)
            return nil
        }
        guard let tag = node.tag else {
            guard style == .doubleQuoted else { return Text(value: text, origin: .written) }
            return checkingCharacters(Text(value: text, origin: .written), node, field: field)
        }
        switch tag {
        case "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool":
            return checkingCharacters(Text(value: text, origin: .written), node, field: field)
        case "!env": return environmentText(text, node, field: field)
        case "!file": return fileText(text, node, field: field)
        default:
            report(
                SecretKey.isClose(field) ? "unknown tag" : "unknown tag '\(tag.excerpt)'",
                at: node.span,
                field: field,
                help: "the tags are '!env NAME' and '!file path'"
            )
            return nil
        }
    }

    private mutating func environmentText(_ name: String, _ node: YAMLNode, field: String) -> Text? {
        guard !name.isEmpty else {
            report("'!env' needs the name of a variable", at: node.span, field: field)
            return nil
        }
        guard let value = options.variable(name) else {
            if options.toleratesUnset, scope == "market" || field == ProductKey.secret.rawValue { return nil }
            let isEmpty = options.environment[name] != nil
            report(
                "the environment variable \(name.excerpt) is \(isEmpty ? "empty" : "not set")",
                at: node.span,
                field: field
            )
            return nil
        }
        return checkingCharacters(Text(value: value, origin: .environment(name)), node, field: field)
    }

    private mutating func fileText(_ path: String, _ node: YAMLNode, field: String) -> Text? {
        let place: ManifestPath
        switch ManifestPath.resolve(path, source: log.sources[file], options: options) {
        case .success(let found):
            place = found
            if found.isRespelt { log.noteRespelt(path, file: file, span: node.span) }
        case .failure(let refusal):
            report(refusal.message, at: node.span, field: field, help: refusal.help)
            return nil
        }
        let limit = YAMLLimits().scalarLength
        guard place.size <= limit else {
            report(
                "\(path) has \(place.size) bytes, and \(limit) is the most a value may have",
                at: node.span,
                field: field
            )
            return nil
        }
        var bytes: [UInt8] = []
        do throws(Errno) {
            try FileAccess.forEachChunk(of: place.absolute) { chunk in
                bytes += chunk
                return bytes.count <= limit
            }
        } catch {
            report("\(path) cannot be read: \(error)", at: node.span, field: field)
            return nil
        }
        noteInput(place.absolute)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            report("\(path) is not UTF-8 text", at: node.span, field: field, help: "save the file as UTF-8")
            return nil
        }
        return checkingCharacters(Text(value: text, origin: .file(place.absolute)), node, field: field)
    }

    /// Refuses control characters, which no shop can show; only escapes, variables and files can bring them.
    private mutating func checkingCharacters(_ text: Text, _ node: YAMLNode, field: String) -> Text? {
        let wrong = text.value.unicodeScalars.first { scalar in
            scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\r" && scalar != "\t"
        }
        guard let wrong else { return text }
        let digits = String(wrong.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        report("'\(field)' has the control character U+\(padded)", at: node.span, field: field)
        return nil
    }

    /// An exact decimal number, without exponent.
    mutating func decimal(_ node: YAMLNode, field: String) -> ExactDecimal? {
        guard let text = text(node, field: field) else { return nil }
        if Self.isDecimal(text.value) {
            if let number = ExactDecimal(text.value) { return number }
            report("\(text.shown) has more digits than a price can have", at: node.span, field: field)
            return nil
        }
        let value = text.value
        let problem: String
        var help: String?
        let bare = String(value.filter { $0 != "_" && $0 != "," && $0 != " " })
        if value.lowercased().hasPrefix("0x") {
            problem = "\(text.shown) is hexadecimal"
            help = "write the number in decimal"
        } else if value.contains(where: { $0 == "e" || $0 == "E" }), let number = ExactDecimal(value) {
            problem = "\(text.shown) has an exponent"
            help = "write it out: \(number)"
        } else if bare != value, Self.isDecimal(bare) {
            problem = "\(text.shown) has separators"
            help = text.origin == .written && Self.isGrouped(value) ? "write \(bare)" : nil
        } else {
            problem = "\(text.shown) is not a number"
        }
        report(problem, at: node.span, field: field, help: help)
        return nil
    }

    /// Whether separators stand between groups of three digits only, so that nobody can mean another number.
    private static func isGrouped(_ text: String) -> Bool {
        let whole = text.drop { $0 == "-" || $0 == "+" }.prefix { $0 != "." }
        let fraction = text.drop { $0 != "." }.dropFirst()
        let groups = whole.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "," || $0 == " " }
        return fraction.allSatisfy(\.isNumber) && groups.dropFirst().allSatisfy { $0.count == 3 }
            && (1...3).contains(groups[0].count)
    }

    /// An optional sign, digits, and more digits behind a point.
    private static func isDecimal(_ text: String) -> Bool {
        var digits = 0
        var digitsAfterPoint: Int?
        var isFirst = true
        for byte in text.utf8 {
            defer { isFirst = false }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if let count = digitsAfterPoint { digitsAfterPoint = count + 1 }
            case UInt8(ascii: "."):
                guard digitsAfterPoint == nil, digits > 0 else { return false }
                digitsAfterPoint = 0
            case UInt8(ascii: "-"), UInt8(ascii: "+"): guard isFirst else { return false }
            default: return false
            }
        }
        return digits > 0 && digitsAfterPoint != 0
    }

    /// A price: a number that is not negative.
    mutating func amount(_ node: YAMLNode, field: String) -> ExactDecimal? {
        guard let number = decimal(node, field: field) else { return nil }
        guard !number.isNegative else {
            report("'\(field)' is \(number), and cannot be negative", at: node.span, field: field)
            return nil
        }
        return number
    }

    /// A whole number in a range.
    mutating func integer(_ node: YAMLNode, field: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let number = decimal(node, field: field) else { return nil }
        guard let whole = number.wholeValue else {
            report("'\(field)' is \(number), and must be a whole number", at: node.span, field: field)
            return nil
        }
        guard range.contains(whole) else {
            let bound =
                whole < range.lowerBound
                ? (range.lowerBound == 0 ? "cannot be negative" : "must be at least \(range.lowerBound)")
                : "must be at most \(range.upperBound)"
            report("'\(field)' is \(whole), and \(bound)", at: node.span, field: field)
            return nil
        }
        return whole
    }

    /// `true` or `false`.
    mutating func boolean(_ node: YAMLNode, field: String) -> Bool? {
        guard let text = text(node, field: field) else { return nil }
        switch text.value {
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default:
            let help: String? =
                switch text.value.lowercased() {
                case "yes", "on", "y", "1": "write true"
                case "no", "off", "n", "0": "write false"
                default: nil
                }
            report("'\(field)' must be true or false, and not \(text.shown)", at: node.span, field: field, help: help)
            return nil
        }
    }

    /// One of the currencies.
    mutating func currency(_ node: YAMLNode, field: String) -> Currency? {
        guard let text = text(node, field: field) else { return nil }
        if let currency = Currency.known.first(where: { $0.rawValue == text.value }) { return currency }
        let names = ProductKey.currency.entry.type.choices
        let near = names.first { $0 == text.value.uppercased() } ?? Suggestion.nearest(to: text.value, in: names)
        report(
            "'\(field)' must be \(names.listed("or")), and not \(text.shown)",
            at: node.span,
            field: field,
            help: near.map { "did you mean '\($0)'?" }
        )
        return nil
    }

    /// `12`, or `{initial: 12}` for a stock that is only set when the product is created.
    mutating func stock(_ node: YAMLNode) -> (units: Int64, isInitial: Bool)? {
        guard let pairs = node.pairs else {
            return integer(node, field: "stock", in: ManifestSchema.ValueType.stock.range).map { ($0, false) }
        }
        var units: Int64?
        for pair in pairs {
            guard let key = ManifestSchema.StockKey(rawValue: pair.key.name) else {
                report(
                    "unknown key '\(pair.key.name.excerpt)'",
                    at: pair.key.span,
                    field: "stock.\(pair.key.name.excerpt)",
                    help: "a stock is a number or {initial: N}"
                )
                continue
            }
            switch key {
            case .initial: units = integer(pair.value, field: "stock." + key.rawValue, in: key.entry.type.range)
            }
            if units == nil { return nil }
        }
        guard let units else {
            if pairs.isEmpty {
                report("'stock' has no number", at: node.span, field: "stock", help: "write a number or {initial: N}")
            }
            return nil
        }
        return (units, true)
    }

    /// A list of texts, or a single text.
    mutating func texts(_ node: YAMLNode, field: String) -> [(text: Text, node: YAMLNode)] {
        let items = node.items ?? [node]
        var texts: [(text: Text, node: YAMLNode)] = []
        for (index, item) in items.enumerated() {
            if let text = text(item, field: node.items == nil ? field : "\(field)[\(index)]") {
                texts.append((text, item))
            }
        }
        return texts
    }

    /// The fields named by `ignore_changes`.
    mutating func ignoredFields(_ node: YAMLNode) -> Set<ProductField> {
        var fields: Set<ProductField> = []
        for (text, item) in texts(node, field: "ignore_changes") {
            if let field = ProductField(rawValue: text.value) {
                fields.insert(field)
                continue
            }
            let near =
                text.value == "discount"
                ? "sale_price"
                : ProductKey.synonyms[text.value].flatMap { ProductField(rawValue: $0.rawValue) }?.rawValue
                    ?? Suggestion.nearest(to: text.value, in: ProductField.allCases.map(\.rawValue))
            report(
                "\(text.shown) is no field of a product",
                at: item.span,
                field: "ignore_changes",
                help: near.map { "did you mean '\($0)'?" } ?? "the fields are "
                    + ProductField.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        return fields
    }

    /// A secret: from `!env` or `!file`, or written out, which is warned of.
    mutating func secret(_ node: YAMLNode, field: String, variable: String) -> ResolvedSecret? {
        conceal(node)
        guard let text = text(node, field: field) else { return nil }
        let reference: SecretReference
        var value = text.value
        switch text.origin {
        case .environment(let name): reference = .environment(name)
        case .file(let path):
            reference = .file(path)
            value = Secret(content: value).revealed
        case .written:
            let path = (productIndex.map { "products[\($0)]." } ?? scope + ".") + field
            reference = .manifest(log.sources[file].absolutePath, path: path)
            guard log.counts(.writtenSecret) else { break }
            log.add(
                .warning,
                "'\(field)' is written out in the manifest",
                file: file,
                span: node.span,
                path: path,
                help: "use '!env \(variable)' and keep the value out of the file"
            )
        }
        guard !value.isEmpty else {
            report("'\(field)' is empty", at: node.span, field: field)
            return nil
        }
        guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            report("'\(field)' has more than one line", at: node.span, field: field)
            return nil
        }
        return ResolvedSecret(reference: reference, value: Secret(value))
    }
}
