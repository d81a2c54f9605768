import OpenMarket
import OpenMarketDescription
import YAML

/// Writes manifests: the market first, then product after product, in the one way that this program writes them.
///
/// Keys come in the schema's order; every text is read back as the same bytes, in quotes where YAML would read something
/// else, and over several lines where it is long or has several. The same values give the same bytes.
///
/// A catalog of any size is written in pieces: ``takeBytes()`` gives what there is so far, and only what was read back as it
/// was meant.
package struct ManifestWriter: Sendable {
    private var bytes: [UInt8] = []
    private var productCount = 0
    /// What is written and not yet read back, from a byte on.
    private var unread = (start: 0, sections: [(key: String, value: ManifestValue)](), products: [ManifestValue]())
    /// What was not read back as it was meant.
    private var fault: UnreadableManifest?

    /// So many products are read back together.
    private static let batch = 256

    /// Texts with more characters than these are on lines of their own.
    private static let lineLength = 100

    /// Begins a manifest.
    package init(_ head: ManifestHead = ManifestHead()) {
        for comment in head.comments { append("", comment: comment) }
        let market = ManifestSchema.MarketKey.allCases.compactMap { Self.line($0, head) }
        let defaults = ManifestSchema.DefaultsKey.allCases.compactMap { Self.line($0, head) }
        for (section, lines) in [(ManifestSchema.Section.market, market), (.defaults, defaults)] where !lines.isEmpty {
            if !bytes.isEmpty { append("\n") }
            append("\(section):\n")
            for line in lines { append("  \(line.text)\n") }
            unread.sections.append((section.rawValue, .mapping(lines.map { ($0.key, $0.value) })))
        }
    }

    /// Writes the next product.
    package mutating func append(_ product: ManifestProduct) {
        if productCount == 0 { beginProducts() } else { append("\n") }
        productCount += 1
        for comment in product.keptComments { append("  #\(comment)\n") }
        for comment in product.comments { append("  ", comment: comment) }
        var margin = "  - "
        var entries: [(key: String, value: ManifestValue)] = []
        for key in ProductKey.allCases {
            let kept = product.kept[key]
            guard let value = kept?.value ?? Self.value(of: key, product) else { continue }
            append("\(margin)\(Self.entry(key, kept?.text ?? Self.text(of: value, key)))\n")
            entries.append((key.rawValue, value))
            margin = "    "
        }
        unread.products.append(.mapping(entries))
        if unread.products.count >= Self.batch { readBack() }
    }

    /// Writes what ends a manifest; nothing comes behind it.
    package mutating func finish() {
        guard productCount == 0 else { return }
        if !bytes.isEmpty { append("\n") }
        append("\(ManifestSchema.Section.products): []\n")
    }

    /// Gives the bytes since this was last called.
    ///
    /// - Throws: ``UnreadableManifest`` where anything that was written is not read back as it was meant.
    package mutating func takeBytes() throws(UnreadableManifest) -> [UInt8] {
        readBack()
        if let fault { throw fault }
        defer {
            bytes.removeAll()
            unread.start = 0
        }
        return bytes
    }

    /// Reads what was written last, and compares it with what was meant.
    private mutating func readBack() {
        let isHead = productCount == unread.products.count
        let section = "\(ManifestSchema.Section.products):\n"
        let written = (isHead ? [] : Array(section.utf8)) + bytes[unread.start...]
        let (sections, products) = (unread.sections, unread.products)
        unread = (bytes.count, [], [])
        guard fault == nil, !sections.isEmpty || !products.isEmpty else { return }
        let pairs = (try? YAMLNode.parse(written))?.pairs ?? []
        let items = pairs.last.flatMap {
            $0.key.name == ManifestSchema.Section.products.rawValue ? $0.value.items : nil
        }
        for (number, product) in products.enumerated() {
            guard let items, items.count == products.count, product.isSaid(by: items[number]) else {
                // Where the whole cannot be read, it is not known which product is to blame, unless there is one.
                let isKnown = items?.count == products.count || products.count == 1
                fault = UnreadableManifest(key: isKnown ? product.text(of: .key) : nil)
                return
            }
        }
        let heads = pairs.filter { $0.key.name != ManifestSchema.Section.products.rawValue }
        guard heads.count == sections.count,
            zip(sections, heads).allSatisfy({ $0.key == $1.key.name && $0.value.isSaid(by: $1.value) })
        else {
            fault = UnreadableManifest(key: nil)
            return
        }
    }

    private mutating func beginProducts() {
        if !bytes.isEmpty { append("\n") }
        append("\(ManifestSchema.Section.products):\n")
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    /// Writes a comment, on as many lines as it has.
    private mutating func append(_ margin: String, comment: String) {
        for line in comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            // A comment is for people: what YAML allows in none is left out.
            let scalars = line.unicodeScalars.filter {
                !$0.isControlOrLineBreak && $0 != "\u{FEFF}" && $0 != "\u{FFFE}" && $0 != "\u{FFFF}"
            }
            append(scalars.isEmpty ? "\(margin)#\n" : "\(margin)# \(String(String.UnicodeScalarView(scalars)))\n")
        }
    }
}

// MARK: - Values

extension ManifestValue {
    /// The text of a product's key.
    fileprivate func text(of key: ProductKey) -> String? {
        guard case .mapping(let entries) = self,
            case .text(let text, _)? = entries.first(where: { $0.key == key.rawValue })?.value
        else { return nil }
        return text
    }
}

extension ManifestWriter {
    /// A key and its value; a value that begins on the next line leaves no blank behind the key.
    private static func entry(_ key: some ManifestKey, _ value: String) -> String {
        key.rawValue + (value.utf8.first == UInt8(ascii: "\n") ? ":" : ": ") + value
    }

    /// How the value of a product's key is written.
    private static func text(of value: ManifestValue, _ key: ProductKey) -> String {
        switch value {
        case .text(let text, nil) where key == .description: longText(text, indent: 6)
        case .list(let items): list(items, indent: 6)
        default: value.inline()
        }
    }

    /// The value of a product's key; `nil` where the key is not there.
    static func value(of key: ProductKey, _ product: ManifestProduct) -> ManifestValue? {
        switch key {
        case .key: return .text(product.key)
        case .name: return product.name.map { .text($0) }
        case .description: return product.description.map { .text($0) }
        case .price: return product.price.map { .plain($0.description) }
        case .currency: return product.currency.map { .text($0.rawValue) }
        case .salePrice:
            guard case .salePrice(let price)? = product.reduction else { return nil }
            return .plain(price.description)
        case .discount:
            guard case .discount(let amount)? = product.reduction else { return nil }
            return .plain(amount.description)
        case .stock: return product.stock.map(stock)
        case .images: return product.images.map(texts)
        case .thumbnail: return product.thumbnail.map { .text($0) }
        case .id:
            switch product.id {
            case nil: return nil
            case .number(let number): return .plain(String(number))
            case .text(let text): return .text(text)
            }
        case .previously: return product.previously.isEmpty ? nil : texts(product.previously)
        case .state: return product.isAbsent ? .plain("absent") : nil
        case .protected: return product.isProtected.map { .plain(String($0)) }
        case .ignoreChanges: return fields(product.ignoreChanges)
        case .secret: return product.secret.flatMap(secret)
        }
    }

    /// A line of a section, and what it says.
    private typealias Line = (key: String, text: String, value: ManifestValue)

    private static func line(_ key: ManifestSchema.MarketKey, _ head: ManifestHead) -> Line? {
        let value: ManifestValue? =
            switch key {
            case .url: head.url.map { .text($0) }
            case .api: head.profile.map { $0.isBuiltIn ? .plain($0.name) : .text(head.descriptionFile ?? $0.name) }
            case .parameters: parameters(head)
            case .identifier: head.identifier.flatMap(secret)
            case .secret: head.secret.flatMap(secret)
            case .vendorID: head.vendorID.map { .plain(String($0)) }
            case .limits: limits(head)
            case .pictureHosts: head.pictureHosts.isEmpty ? nil : texts(head.pictureHosts)
            case .picturesURL: head.picturesURL.map { .text($0) }
            case .sendKeys: head.sendsKeys ? .plain("true") : nil
            }
        return value.map { value in
            let text =
                switch value {
                case .list(let items): list(items, indent: 4)
                // The limits are below their key.
                case .mapping(let entries): entries.map { "\n    \($0.key): \($0.value.inline())" }.joined()
                default: value.inline()
                }
            return (key.rawValue, entry(key, text), value)
        }
    }

    private static func line(_ key: ManifestSchema.DefaultsKey, _ head: ManifestHead) -> Line? {
        let value: ManifestValue? =
            switch key {
            case .currency: head.defaultCurrency.map { .text($0.rawValue) }
            case .stock: head.defaultStock.map(stock)
            case .ignoreChanges: fields(head.ignoreChanges)
            case .protected: head.isProtected.map { .plain(String($0)) }
            }
        return value.map { (key.rawValue, entry(key, $0.inline()), $0) }
    }

    /// What fills the market's description.
    private static func parameters(_ head: ManifestHead) -> ManifestValue? {
        guard let parameters = head.profile?.parameters, !parameters.isEmpty else { return nil }
        return .mapping(parameters.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
    }

    /// The limits that are not the profile's own.
    private static func limits(_ head: ManifestHead) -> ManifestValue? {
        guard let limits = head.limits else { return nil }
        let usual = (head.profile ?? .v2b).limits
        let entries = ManifestSchema.LimitKey.allCases.compactMap { key -> (key: String, value: ManifestValue)? in
            guard let value = limits[key] else {
                let more = (limits.currencies ?? []).filter { !usual.takes($0) }
                return more.isEmpty ? nil : (key.rawValue, texts(more.map(\.rawValue)))
            }
            return value == usual[key] ? nil : (key.rawValue, .plain(String(value)))
        }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    private static func stock(_ stock: ManifestProduct.Stock) -> ManifestValue {
        switch stock {
        case .units(let units): .plain(String(units))
        case .initial(let units): .mapping([(ManifestSchema.StockKey.initial.rawValue, .plain(String(units)))])
        }
    }

    private static func fields(_ fields: ProductFieldSet) -> ManifestValue? {
        guard !fields.isEmpty else { return nil }
        return texts(ProductField.allCases.filter(fields.contains).map(\.rawValue))
    }

    /// Where a secret is found; one that is written out elsewhere is not written out again.
    private static func secret(_ reference: SecretReference) -> ManifestValue? {
        switch reference {
        case .environment(let name): .text(name, tag: "!env")
        case .file(let path): .text(path, tag: "!file")
        case .manifest: nil
        }
    }

    private static func texts(_ texts: [String]) -> ManifestValue { .list(texts.map { .text($0) }) }

    /// A text that may take several lines.
    private static func longText(_ text: String, indent: Int) -> String {
        let yaml = YAMLText(text)
        let isLong = yaml.hasLineFeed || text.utf8.count > lineLength && text.unicodeScalars.count > lineLength
        return (isLong ? yaml.literal(indent: indent) : nil) ?? yaml.inline()
    }

    /// A list on one line, or on as many as it has items where it would be long.
    private static func list(_ items: [ManifestValue], indent: Int) -> String {
        let flow = ManifestValue.list(items).inline()
        guard items.count > 1, flow.unicodeScalars.count > lineLength else { return flow }
        let margin = "\n" + String(repeating: " ", count: indent) + "- "
        return items.map { margin + $0.inline() }.joined()
    }
}

extension ProductLimits {
    /// A limit by the key that changes it; `nil` for one that is not a number.
    fileprivate subscript(key: ManifestSchema.LimitKey) -> Int? {
        switch key {
        case .minName: nameLength.lowerBound
        case .maxName: nameLength.upperBound
        case .minDescription: descriptionLength.lowerBound
        case .maxDescription: descriptionLength.upperBound
        case .maxImages: imageCount.upperBound
        case .maxImageBytes: imageByteLimit
        case .currencies: nil
        }
    }
}
