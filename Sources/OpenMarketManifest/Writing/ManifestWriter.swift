import OpenMarket
import OpenMarketDescription
import YAML

/// Writes manifests in one fixed style: the market first, then the products one by one.
///
/// Keys are in the schema's order. Every text is read back as the same bytes: it is quoted if YAML would read something
/// else, and on several lines if it is long or has several. The same values yield the same bytes.
///
/// A catalog of any size is written in pieces: ``takeBytes()`` returns the bytes so far, and only those that were read
/// back correctly.
package struct ManifestWriter: Sendable {
    private var bytes: [UInt8] = []
    private var productCount = 0
    /// The part from byte `start` on, which is not yet read back.
    private var unread = (start: 0, sections: [(key: String, value: ManifestValue)](), products: [ManifestValue]())
    /// Whether a part was not read back correctly.
    private var isUnreadable = false

    /// The number of products that are read back together.
    private static let batch = 256

    /// Longer texts, in characters, are on separate lines.
    private static let lineLength = 100

    package init(_ head: ManifestHead = ManifestHead()) {
        for comment in head.comments { append("", comment: comment) }
        let market = ManifestSchema.MarketKey.allCases.compactMap { Self.line($0, head) }
        let defaults = head.defaultCurrency.map { currency -> [Line] in
            let value = ManifestValue.text(currency.rawValue)
            let key = ManifestSchema.DefaultsKey.currency
            return [(key.rawValue, Self.entry(key, value.inline()), value)]
        }
        for (section, lines) in [(ManifestSchema.Section.market, market), (.defaults, defaults ?? [])]
        where !lines.isEmpty {
            if !bytes.isEmpty { append("\n") }
            append("\(section):\n")
            for line in lines { append("  \(line.text)\n") }
            unread.sections.append((section.rawValue, .mapping(lines.map { ($0.key, $0.value) })))
        }
    }

    package mutating func append(_ product: ManifestProduct) {
        if productCount == 0 { beginProducts() } else { append("\n") }
        productCount += 1
        for comment in product.added.comments { append("  ", comment: comment) }
        var margin = "  - "
        var entries: [(key: String, value: ManifestValue)] = []
        for key in ProductKey.allCases {
            guard let value = Self.value(of: key, product) else { continue }
            append("\(margin)\(Self.entry(key, Self.text(of: value, key)))\n")
            entries.append((key.rawValue, value))
            margin = "    "
        }
        unread.products.append(.mapping(entries))
        if unread.products.count >= Self.batch { readBack() }
    }

    /// Writes the end of the manifest; it must be the last call.
    package mutating func finish() {
        guard productCount == 0 else { return }
        if !bytes.isEmpty { append("\n") }
        append("\(ManifestSchema.Section.products): []\n")
        unread.sections.append((ManifestSchema.Section.products.rawValue, .list([])))
    }

    /// Returns the bytes since the last call.
    ///
    /// Throws ``UnreadableManifest`` if any part is not read back correctly.
    package mutating func takeBytes() throws(UnreadableManifest) -> [UInt8] {
        readBack()
        guard !isUnreadable else { throw UnreadableManifest() }
        defer {
            bytes.removeAll()
            unread.start = 0
        }
        return bytes
    }

    /// Reads the last part back, and compares it with the intended values.
    private mutating func readBack() {
        let isHead = productCount == unread.products.count
        let section = "\(ManifestSchema.Section.products):\n"
        let written = (isHead ? [] : Array(section.utf8)) + bytes[unread.start...]
        var entries = unread.sections
        if !unread.products.isEmpty {
            entries.append((ManifestSchema.Section.products.rawValue, .list(unread.products)))
        }
        unread = (bytes.count, [], [])
        guard !isUnreadable, !entries.isEmpty else { return }
        isUnreadable = (try? YAMLNode.parse(written)).map { !ManifestValue.mapping(entries).isSaid(by: $0) } ?? true
    }

    private mutating func beginProducts() {
        if !bytes.isEmpty { append("\n") }
        append("\(ManifestSchema.Section.products):\n")
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func append(_ margin: String, comment: String) {
        for line in comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            // A comment is for people, so characters that YAML forbids are left out.
            let scalars = line.unicodeScalars.filter {
                !$0.isControlOrLineBreak && $0 != "\u{FEFF}" && $0 != "\u{FFFE}" && $0 != "\u{FFFF}"
            }
            append(scalars.isEmpty ? "\(margin)#\n" : "\(margin)# \(String(String.UnicodeScalarView(scalars)))\n")
        }
    }
}

// MARK: - Values

extension ManifestWriter {
    /// A key and its value; there is no blank after the key if the value starts on the next line.
    static func entry(_ key: some ManifestKey, _ value: String) -> String {
        key.rawValue + (value.utf8.first == UInt8(ascii: "\n") ? ":" : ": ") + value
    }

    /// The text of a value; `indent` is the number of blanks before the lines of a block.
    static func text(of value: ManifestValue, _ key: ProductKey, indent: Int = 6) -> String {
        switch value {
        case .text(let text, nil) where key == .description: longText(text, indent: indent)
        case .list(let items): list(items, indent: indent)
        default: value.inline()
        }
    }

    /// The value of a product's key; `nil` if the key is absent.
    static func value(of key: ProductKey, _ product: ManifestProduct) -> ManifestValue? {
        let (added, values) = (product.added, product.added.values)
        switch key {
        case .key: return .text(product.key)
        case .name: return values.name.map { .text($0) }
        case .description: return values.description.map { .text($0) }
        case .price: return values.price.map { .plain($0.description) }
        case .currency: return values.currency.map { .text($0.rawValue) }
        case .salePrice: return values.sale?.salePrice.map { .plain($0.description) }
        case .stock: return values.stock.map { .plain(String($0)) }
        case .images: return added.images.map(texts)
        case .thumbnail: return added.thumbnail.map { .text($0) }
        case .id:
            switch added.id {
            case nil: return nil
            case .number(let number): return .plain(String(number))
            case .text(let text): return .text(text)
            }
        case .discount, .previously: return nil
        case .state: return added.isAbsent ? .plain("absent") : nil
        case .protected: return added.isProtected ? .plain("true") : nil
        case .ignoreChanges:
            let fields = ProductField.allCases.filter(added.ignoreChanges.contains)
            return fields.isEmpty ? nil : texts(fields.map(\.rawValue))
        case .secret: return added.secret.flatMap(secret)
        }
    }

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
                // The limits are on the lines below their key.
                case .mapping(let entries): entries.map { "\n    \($0.key): \($0.value.inline())" }.joined()
                default: value.inline()
                }
            return (key.rawValue, entry(key, text), value)
        }
    }

    private static func parameters(_ head: ManifestHead) -> ManifestValue? {
        guard let parameters = head.profile?.parameters, !parameters.isEmpty else { return nil }
        return .mapping(parameters.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
    }

    /// The limits that differ from the profile's.
    private static func limits(_ head: ManifestHead) -> ManifestValue? {
        guard let limits = head.limits else { return nil }
        let usual = (head.profile ?? .standard).limits
        let entries = ManifestSchema.LimitKey.allCases.compactMap { key -> (key: String, value: ManifestValue)? in
            guard let value = limits[key] else {
                let more = (limits.currencies ?? []).filter { !usual.takes($0) }
                return more.isEmpty ? nil : (key.rawValue, texts(more.map(\.rawValue)))
            }
            return value == usual[key] ? nil : (key.rawValue, .plain(String(value)))
        }
        return entries.isEmpty ? nil : .mapping(entries)
    }

    /// A reference to a secret; a secret written in another file is not written again.
    private static func secret(_ reference: SecretReference) -> ManifestValue? {
        switch reference {
        case .environment(let name): .text(name, tag: "!env")
        case .file(let path): .text(path, tag: "!file")
        case .manifest: nil
        }
    }

    private static func texts(_ texts: [String]) -> ManifestValue { .list(texts.map { .text($0) }) }

    private static func longText(_ text: String, indent: Int) -> String {
        let yaml = YAMLText(text)
        let isLong = yaml.hasLineFeed || text.utf8.count > lineLength && text.unicodeScalars.count > lineLength
        return (isLong ? yaml.literal(indent: indent) : nil) ?? yaml.inline()
    }

    /// A list on one line, or on a line for each item if it would be long.
    private static func list(_ items: [ManifestValue], indent: Int) -> String {
        let flow = ManifestValue.list(items).inline()
        guard items.count > 1, flow.unicodeScalars.count > lineLength else { return flow }
        let margin = "\n" + String(repeating: " ", count: indent) + "- "
        return items.map { margin + $0.inline() }.joined()
    }
}

extension ProductLimits {
    /// A limit by the key that changes it; `nil` for a limit that is not a number.
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
