import OpenMarket
import OpenMarketFiles
import YAML

extension ValueDecoder {
    /// A text as written, or as fetched by a tag.
    struct Text {
        enum Origin: Equatable {
            case written
            case environment(String)
            case file(String)
        }

        var value: String
        var origin: Origin

        /// The text for messages, which name a fetched text's source instead of showing it.
        var shown: String {
            switch origin {
            case .written: "'\(value.excerpt)'"
            case .environment(let name): "the value of \(name)"
            case .file(let path): "the text of \(path)"
            }
        }
    }

    static func describe(_ node: YAMLNode) -> String {
        switch node.kind {
        case .scalar: node.isNull ? "null" : "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Refuses null, because omitting the key already has the meaning that null could have.
    mutating func refuseNull(_ node: YAMLNode, field: String) -> Bool {
        guard node.isNull else { return false }
        // A managed sale ends when its key is omitted.
        let isSale = field == ProductField.salePrice.rawValue
        let isProductField = scope.isProduct && ProductField(rawValue: field) != nil && !isSale
        report(
            .noValue,
            "'\(field)' has no value",
            at: node.span,
            field: field,
            help: isProductField
                ? "leave the key out to not manage the field; a text that reads null needs quotes" : "leave the key out"
        )
        return true
    }

    /// The text of a scalar, whatever its type in YAML; `nil` if it is faulty.
    ///
    /// `field` is evaluated only for a fault, because this runs for every line of a manifest.
    mutating func text(_ node: YAMLNode, field: @autoclosure () -> String) -> Text? {
        if node.kind == .scalar, !node.hasTag, !node.isNull,
            node.style != .doubleQuoted || node.withText(\.isPrintable) == true, let text = node.text
        {
            return Text(value: text, origin: .written)
        }
        return unusualText(node, field: field())
    }

    /// The text of a scalar that is fetched, may contain control characters, or is faulty.
    private mutating func unusualText(_ node: YAMLNode, field: String) -> Text? {
        if refuseNull(node, field: field) { return nil }
        guard let text = node.text else {
            report(
                .wrongType,
                "'\(field)' must be a single value, and this is \(Self.describe(node))",
                at: node.span,
                field: field
            )
            return nil
        }
        guard let tag = node.tag else {
            guard node.style == .doubleQuoted else { return Text(value: text, origin: .written) }
            return checkingCharacters(Text(value: text, origin: .written), node, field: field)
        }
        switch tag {
        case "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool":
            return checkingCharacters(Text(value: text, origin: .written), node, field: field)
        case "!env": return environmentText(text, node, field: field)
        case "!file": return fileText(text, node, field: field)
        default:
            report(
                .unknownTag,
                SecretKey.isClose(field) ? "unknown tag" : "unknown tag '\(tag.excerpt)'",
                at: node.span,
                field: field,
                help: "the tags are '!env NAME' and '!file path'; put a text that begins with '!' in quotes"
            )
            return nil
        }
    }

    private mutating func environmentText(_ name: String, _ node: YAMLNode, field: String) -> Text? {
        guard !name.isEmpty else {
            report(.unsetVariable, "'!env' needs the name of a variable", at: node.span, field: field)
            return nil
        }
        let value = options.variable(name)
        // Only after all files it is clear whether the variable is a credential's, and not allowed here.
        let isTolerated = value == nil && toleratesUnset(field)
        note(.environment(name), value, node, field: field, isTolerated: isTolerated)
        guard let value else {
            if !isTolerated { isFaulty = true }
            return nil
        }
        return checkingCharacters(Text(value: value, origin: .environment(name)), node, field: field)
    }

    private func toleratesUnset(_ field: String) -> Bool {
        switch options.toleratesUnset {
        case .none: false
        case .secrets: isReadingCredential && field == ProductKey.secret.rawValue
        case .market: isReadingCredential || scope == .section(.market)
        }
    }

    private mutating func fileText(_ path: String, _ node: YAMLNode, field: String) -> Text? {
        let place: ManifestPath
        do throws(ManifestPath.Refusal) {
            place = try ManifestPath(path, source: log.sources[file], options: options)
        } catch {
            report(.textFile, error.message, at: node.span, field: field, help: error.help)
            return nil
        }
        let limit = YAMLLimits().scalarLength
        guard place.size <= limit else {
            report(
                .textFile,
                "\(path) has \(place.size) bytes, and \(limit) is the most a value may have",
                at: node.span,
                field: field
            )
            return nil
        }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try InputFile.bytes(of: place.absolute, as: .named)
        } catch {
            report(.textFile, FileError(.read, path, error.reason).description, at: node.span, field: field)
            return nil
        }
        guard let text = String(validating: bytes.withoutUTF8Mark, as: UTF8.self) else {
            report(.textFile, "\(path) is not UTF-8 text", at: node.span, field: field, help: "save the file as UTF-8")
            return nil
        }
        note(.file(place.absolute), text, node, field: field)
        return checkingCharacters(Text(value: text, origin: .file(place.absolute)), node, field: field)
    }

    /// Refuses control characters, which no shop can show; only escapes, variables and files can contain them.
    private mutating func checkingCharacters(_ text: Text, _ node: YAMLNode, field: String) -> Text? {
        let wrong = text.value.unicodeScalars.first { scalar in
            scalar.isControl && scalar != "\n" && scalar != "\r" && scalar != "\t"
        }
        guard let wrong else { return text }
        report(
            .controlCharacter,
            "'\(field)' has the control character \(wrong.codePoint)",
            at: node.span,
            field: field
        )
        return nil
    }

    /// The entries of a mapping; `nil` after reporting that there are none.
    mutating func pairs(_ node: YAMLNode, field: String) -> [YAMLNode.Pair]? {
        if let pairs = node.pairs { return pairs }
        // An entry of 'adjust' is its number, which alone names nothing.
        let name = field.isEmpty || field.utf8.first == UInt8(ascii: "[") ? path(of: field) : field
        let message = "'\(name)' must be a mapping, and this is \(Self.describe(node))"
        report(node.isNull ? .noValue : .wrongType, message, at: node.span, field: field)
        return nil
    }

    /// The items of a list; `nil` after reporting that there are none.
    mutating func items(_ node: YAMLNode, _ name: String, field: String? = nil, help: String?) -> [YAMLNode]? {
        if let items = node.items { return items }
        let message = "'\(name)' must be a list, and this is \(Self.describe(node))"
        report(.wrongType, message, at: node.span, field: field ?? name, help: help)
        return nil
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

    /// A secret from `!env` or `!file`; a written one causes a warning.
    mutating func secret(_ node: YAMLNode, field: String, variable: String) -> ResolvedSecret? {
        conceal(node)
        isReadingCredential = true
        defer { isReadingCredential = false }
        guard let text = text(node, field: field) else {
            // The identifier also determines the state, so it cannot be missing.
            guard field == ProductKey.secret.rawValue, toleratesUnset(field), node.tag == "!env",
                let name = node.text, !name.isEmpty, options.variable(name) == nil
            else { return nil }
            return ResolvedSecret(unset: .environment(name))
        }
        let reference: SecretReference
        var value = text.value
        switch text.origin {
        case .environment(let name): reference = .environment(name)
        case .file(let path):
            reference = .file(path)
            value = Secret(content: value).revealed
        case .written:
            let path = path(of: field)
            reference = .manifest(log.sources[file].absolutePath, path: path)
            guard log.counts(.writtenSecret) else { break }
            log.add(
                .warning,
                .writtenSecret,
                "'\(field)' is written out in the manifest",
                file: file,
                span: node.span,
                path: path,
                help: "use '!env \(variable)' and keep the value out of the file"
            )
        }
        guard !value.isEmpty else {
            report(.secret, "'\(field)' is empty", at: node.span, field: field)
            return nil
        }
        guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            report(.secret, "'\(field)' has more than one line", at: node.span, field: field)
            return nil
        }
        return ResolvedSecret(reference: reference, value: Secret(value))
    }
}
