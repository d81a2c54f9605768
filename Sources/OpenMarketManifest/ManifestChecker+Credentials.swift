import OpenMarket

/// Keeps the market's credentials out of everything that is shown or sent as a product.
///
/// It checks all texts, under any key. Texts fetched by tags are compared by source and by value, written texts by
/// value.
extension ManifestChecker {
    /// Collects the credentials, and reports tags that fetch one of them for another value.
    mutating func settleCredentials(_ fetched: [FetchedText]) {
        var secrets = [market.identifier, market.secret].compactMap { $0?.value }
        secrets += ManifestOptions.credentialVariables.compactMap { options.variable($0).map { Secret($0) } }
        for index in products.listings.indices { products.listings.secret(at: index).map { secrets.append($0.value) } }
        secrets.removeAll { $0.revealed.isEmpty }
        credentials = SecretMask(secrets)
        log.hide(secrets)
        for secret in secrets { KnownSecrets.current?.hide(secret) }
        var variables = ManifestOptions.credentialVariables
        var files: Set<ExactText> = []
        defer { credentialVariables = variables }
        for text in fetched where text.isCredential {
            switch text.origin {
            case .environment(let name): variables.insert(name)
            case .file(let path): files.insert(ExactText(path))
            case .written: break
            }
        }
        for text in fetched where !text.isCredential {
            let isNamed =
                switch text.origin {
                case .environment(let name): variables.contains(name)
                case .file(let path): files.contains(ExactText(path))
                case .written: false
                }
            // A market's address may contain the vendor identity.
            let isProduct = text.path.hasPrefix("products[") || text.path.hasPrefix("defaults")
            let isValue = text.value.map { isProduct ? credentials.isHeld(by: $0) : credentials.isOne($0) } ?? false
            guard isNamed || isValue else { continue }
            markFaulty(text)
            reportCredential(file: text.file, span: text.span, path: text.path)
        }
        for text in fetched where text.value == nil && !text.isTolerated {
            guard case .environment(let name) = text.origin, text.isCredential || !variables.contains(name) else {
                continue
            }
            log.add(
                .error,
                .unsetVariable,
                "the environment variable \(name.excerpt) is \(options.environment[name] == nil ? "not set" : "empty")",
                file: text.file,
                span: text.span,
                path: text.path
            )
        }
        guard !credentials.isEmpty else { return }
        reportMarketCredentials()
        picturesWithCredentials = products.pictures.numbers { [credentials] in credentials.isHeld(by: $0) }
        for former in products.formerKeys where credentials.isHeld(by: former.name) {
            let draft = products.drafts[former.listing]
            products.drafts[former.listing].isFaulty = true
            reportCredential(file: draft.file, span: former.span, path: "products[\(draft.index)].previously")
        }
    }

    /// Reports the texts of a product that contain a credential, and returns whether there are any.
    ///
    /// Other diagnostics of such a product are dropped, because messages quote names.
    mutating func reportCredentials(of index: Int) -> Bool {
        guard !credentials.isEmpty else { return false }
        let texts = credentials
        var places: [(field: String, place: SourcePosition?)] = []
        if products.listings.withKey(at: index, texts.isHeld) { places.append(("key", nil)) }
        for field in [ProductField.name, .description] {
            let isHeld =
                field == .name
                ? products.listings.withName(at: index, texts.isHeld)
                : products.listings.withDescription(at: index, texts.isHeld)
            guard isHeld == true else { continue }
            places.append((field.rawValue, products.listings.fieldPosition(at: index, of: field)))
        }
        let draft = products.drafts[index]
        if !picturesWithCredentials.isEmpty {
            let first = Int(draft.firstMention)
            for (offset, mention) in products.mentions[first..<first + Int(draft.mentionCount)].enumerated()
            where picturesWithCredentials.contains(mention.picture) {
                places.append(("images[\(offset)]", mention.position))
            }
        }
        guard !places.isEmpty else { return false }
        products.drafts[index].isFaulty = true
        let isRow = products.listings.row(at: index) != nil
        for (field, place) in places {
            let start = place ?? products.listings.position(at: index)
            reportCredential(
                file: draft.file,
                span: SourceSpan(start: start, length: place == nil || isRow ? 1 : nil),
                path: isRow
                    ? place.map { TableDecoder.address(Int($0.line), Int($0.column) - 1) } ?? ""
                    : "products[\(draft.index)].\(field)",
                of: field
            )
        }
        return true
    }

    mutating func reportCredential(file: Int, span: SourceSpan, path: String, of field: String? = nil) {
        let name = field ?? path.split(separator: ".").last.map { String($0) } ?? path
        // A value contains the text that a tag fetched.
        let place = "\(file) \(span.start.line):\(span.start.column)"
        let isNew = path.isEmpty || reportedCredentials.insert("\(file) \(path)").inserted
        guard reportedCredentials.insert(place).inserted, isNew else { return }
        log.add(
            .error,
            .credentialInText,
            "'\(name)' holds a credential of the market",
            file: file,
            span: span,
            path: path,
            help: Self.credentialHelp
        )
    }

    static let credentialHelp =
        "a product's texts are public; a credential belongs under 'identifier' or 'secret' only"

    private mutating func markFaulty(_ text: FetchedText) {
        guard let open = text.path.firstIndex(of: "["), let close = text.path.firstIndex(of: "]"), open < close,
            let number = UInt32(text.path[text.path.index(after: open)..<close]),
            let index = products.drafts.firstIndex(where: { $0.file == text.file && $0.index == number })
        else { return }
        products.drafts[index].isFaulty = true
    }
}
