import OpenMarket
import YAML

/// Writes manifests: the market first, then product after product, in the one way that this program writes them.
///
/// Keys come in the schema's order; every text is read back as the same bytes, in quotes where YAML would read something
/// else, and over several lines where it is long or has several. The same values give the same bytes.
///
/// A catalog of any size is written in pieces: ``takeBytes()`` gives what there is so far.
public struct ManifestWriter: Sendable {
    private var bytes: [UInt8] = []
    private var productCount = 0

    /// Texts with more characters than these stand on lines of their own.
    private static let lineLength = 100

    /// Begins a manifest.
    public init(_ head: ManifestHead = ManifestHead()) {
        for comment in head.comments { append("", comment: comment) }
        let market = ManifestSchema.MarketKey.allCases.compactMap { Self.line($0, head) }
        let defaults = ManifestSchema.DefaultsKey.allCases.compactMap { Self.line($0, head) }
        for (section, lines) in [(ManifestSchema.Section.market, market), (.defaults, defaults)] where !lines.isEmpty {
            if !bytes.isEmpty { append("\n") }
            append("\(section):\n")
            for line in lines { append("  \(line)\n") }
        }
    }

    /// Writes the next product.
    public mutating func append(_ product: ManifestProduct) {
        if productCount == 0 { beginProducts() } else { append("\n") }
        productCount += 1
        for comment in product.comments { append("  ", comment: comment) }
        var margin = "  - "
        for key in ProductKey.allCases {
            guard let value = Self.value(of: key, product) else { continue }
            append("\(margin)\(Self.entry(key, value))\n")
            margin = "    "
        }
    }

    /// Writes what ends a manifest; nothing comes behind it.
    public mutating func finish() {
        guard productCount == 0 else { return }
        if !bytes.isEmpty { append("\n") }
        append("\(ManifestSchema.Section.products): []\n")
    }

    /// Gives the bytes since this was last called.
    public mutating func takeBytes() -> [UInt8] {
        defer { bytes.removeAll() }
        return bytes
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

extension ManifestWriter {
    /// A key and its value; a value that begins on the next line leaves no blank behind the key.
    private static func entry(_ key: some ManifestKey, _ value: String) -> String {
        key.rawValue + (value.utf8.first == UInt8(ascii: "\n") ? ":" : ": ") + value
    }

    /// The value of a product's key; `nil` where the key does not stand there.
    private static func value(of key: ProductKey, _ product: ManifestProduct) -> String? {
        switch key {
        case .key: return text(product.key)
        case .name: return product.name.map { text($0) }
        case .description: return product.description.map { longText($0, indent: 6) }
        case .price: return product.price?.description
        case .currency: return product.currency.map { text($0.rawValue) }
        case .salePrice:
            guard case .salePrice(let price)? = product.reduction else { return nil }
            return price.description
        case .discount:
            guard case .discount(let amount)? = product.reduction else { return nil }
            return amount.description
        case .stock: return product.stock.map(stock)
        case .images: return product.images.map { list($0, indent: 6) }
        case .thumbnail: return product.thumbnail.map { text($0) }
        case .id: return product.id.map { String($0.rawValue) }
        case .previously: return product.previously.isEmpty ? nil : list(product.previously, indent: 6)
        case .state: return product.isAbsent ? "absent" : nil
        case .protected: return product.isProtected.map { String($0) }
        case .ignoreChanges: return fields(product.ignoreChanges)
        case .secret: return product.secret.flatMap(secret)
        }
    }

    private static func line(_ key: ManifestSchema.MarketKey, _ head: ManifestHead) -> String? {
        let value: String? =
            switch key {
            case .url: head.url.map { text($0) }
            case .api: head.profile?.rawValue
            case .identifier: head.identifier.flatMap(secret)
            case .secret: head.secret.flatMap(secret)
            case .vendorID: head.vendorID.map { String($0) }
            case .limits: limits(head)
            case .pictureHosts: head.pictureHosts.isEmpty ? nil : list(head.pictureHosts, indent: 4)
            }
        return value.map { entry(key, $0) }
    }

    private static func line(_ key: ManifestSchema.DefaultsKey, _ head: ManifestHead) -> String? {
        let value: String? =
            switch key {
            case .currency: head.defaultCurrency.map { text($0.rawValue) }
            case .stock: head.defaultStock.map(stock)
            case .ignoreChanges: fields(head.ignoreChanges)
            case .protected: head.isProtected.map { String($0) }
            }
        return value.map { entry(key, $0) }
    }

    /// The limits that are not the deployment's own, as a mapping below the key.
    private static func limits(_ head: ManifestHead) -> String? {
        guard let limits = head.limits else { return nil }
        let usual = (head.profile ?? .v2b).limits
        let lines = ManifestSchema.LimitKey.allCases.compactMap { key -> String? in
            let (value, usual) = (limits[key], usual[key])
            return value == usual ? nil : "\n    \(key.rawValue): \(value)"
        }
        return lines.isEmpty ? nil : lines.joined()
    }

    private static func stock(_ stock: ManifestProduct.Stock) -> String {
        switch stock {
        case .units(let units): String(units)
        case .initial(let units): "{\(ManifestSchema.StockKey.initial): \(units)}"
        }
    }

    private static func fields(_ fields: ProductFieldSet) -> String? {
        guard !fields.isEmpty else { return nil }
        return "[" + ProductField.allCases.filter(fields.contains).map(\.rawValue).joined(separator: ", ") + "]"
    }

    /// Where a secret is found; one that is written out elsewhere is not written out again.
    private static func secret(_ reference: SecretReference) -> String? {
        switch reference {
        case .environment(let name): "!env \(text(name))"
        case .file(let path): "!file \(text(path))"
        case .manifest: nil
        }
    }

    private static func text(_ text: String) -> String { YAMLText(text).inline() }

    /// A text that may take several lines.
    private static func longText(_ text: String, indent: Int) -> String {
        let yaml = YAMLText(text)
        let isLong = yaml.hasLineFeed || text.utf8.count > lineLength && text.unicodeScalars.count > lineLength
        return (isLong ? yaml.literal(indent: indent) : nil) ?? yaml.inline()
    }

    /// A list on one line, or on as many as it has items where it would be long.
    private static func list(_ items: [String], indent: Int) -> String {
        let flow = "[" + items.map { YAMLText($0).inline(inFlow: true) }.joined(separator: ", ") + "]"
        guard items.count > 1, flow.unicodeScalars.count > lineLength else { return flow }
        let margin = "\n" + String(repeating: " ", count: indent) + "- "
        return items.map { margin + text($0) }.joined()
    }
}

extension ProductLimits {
    /// A limit by the key that changes it.
    fileprivate subscript(key: ManifestSchema.LimitKey) -> Int {
        switch key {
        case .minName: nameLength.lowerBound
        case .maxName: nameLength.upperBound
        case .minDescription: descriptionLength.lowerBound
        case .maxDescription: descriptionLength.upperBound
        case .maxImages: imageCount.upperBound
        case .maxImageBytes: imageByteLimit
        }
    }
}
