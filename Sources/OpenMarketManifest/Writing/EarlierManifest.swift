package import OpenMarket
import OpenMarketFiles
import YAML

/// An existing manifest file to rewrite from the market, keeping what only the file states.
///
/// Everything except the products stays byte for byte. Every key that is not a field of the market stays as written. A
/// field stays as written if the market shows the same value, or if the field does not follow the market. A field that
/// the manifest leaves to the market is not added. What cannot be kept is listed.
package struct EarlierManifest: Sendable {
    package struct Unusable: Error, Hashable, Sendable {
        /// A phrase: "it is …".
        package var reason: String
    }

    package struct Loss: Hashable, Sendable {
        /// The line in the file, from 1.
        package var line: Int
        package var what: String
    }

    /// A product to write, with the market's values.
    package struct Pulled: Sendable {
        /// The product as a new manifest would state it.
        var product: ManifestProduct
        /// The market's values, with pictures by their digests.
        var shown: ProductValues

        package init(product: ManifestProduct, shown: ProductValues) {
            self.product = product
            self.shown = shown
        }
    }

    fileprivate struct Entry {
        var listing: Listing
        var line: Int
        var values: [ProductKey: KeptValue]
        /// The comments above it that a person wrote.
        var comments: [String] = []
        /// The fields that an earlier pull left out, to be added when they are available.
        var omitted: Set<String> = []
    }

    private let bytes: [UInt8]
    private let layout: ManifestLayout
    private let places: LinePositions
    private let lineEnd: [UInt8]
    private let root: [YAMLNode.Pair]
    private var entries: [Entry] = []
    private var indices: [String: Int] = [:]
    private var pinned: [MarketID: Int] = [:]
    private var formerKeys: [String: Int] = [:]
    private var losses: [Loss] = []

    /// Reads a file; throws ``Unusable``.
    ///
    /// `manifest` is the content of the file, alone or with the sections of other files. `name` is the file's name in
    /// it.
    package init(
        _ bytes: [UInt8],
        named name: String,
        of manifest: Manifest,
        for market: MarketSettings
    ) throws(Unusable) {
        guard let places = LinePositions(bytes) else { throw Unusable(reason: "it is in UTF-16") }
        let layout: ManifestLayout?
        let root: YAMLNode?
        do throws(YAMLError) {
            layout = try ManifestLayout(bytes, places)
            root = try YAMLNode.parse(bytes)
        } catch {
            throw Unusable(reason: "it cannot be read: \(error.message)")
        }
        guard let layout, let pairs = root?.pairs else {
            throw Unusable(reason: "it is not a mapping with a line for each key")
        }
        self.bytes = bytes
        self.layout = layout
        self.places = places
        self.root = pairs
        lineEnd = places.lineEnd(ofLine: 0)
        let settings = root?[ManifestSchema.Section.market.rawValue]
        if let url = settings?[ManifestSchema.MarketKey.url.rawValue], !url.hasTag, let text = url.text,
            MarketURL.normalized(text) != market.url.map({ MarketURL.normalized($0) })
        {
            throw Unusable(reason: "it is the manifest of another market, \(text)")
        }
        if let api = settings?[ManifestSchema.MarketKey.api.rawValue], !api.hasTag, let text = api.text,
            !Self.names(text, market, from: name)
        {
            throw Unusable(reason: "it is the manifest of another market, one of \(text)")
        }
        readProducts(root?[ManifestSchema.Section.products.rawValue]?.items ?? [], manifest, name)
    }

    /// Whether the text of a manifest's `market.api` refers to this market.
    private static func names(_ text: String, _ market: MarketSettings, from manifest: String) -> Bool {
        switch MarketReference(text) {
        case .builtIn(let profile): return profile == market.profile
        case .file(let path):
            let folder = FileSystem.folder(of: manifest)
            guard let described = market.descriptionFile else { return false }
            return FileSystem.areSame(path.hasPrefix("/") ? path : FileSystem.path(of: path, in: folder), described)
        case nil: return false
        }
    }

    private mutating func readProducts(_ nodes: [YAMLNode], _ manifest: Manifest, _ name: String) {
        let own = manifest.listings.filter { $0.file.utf8.elementsEqual(name.utf8) }
        let listings = Dictionary(own.map { ($0.position, $0) }) { first, _ in first }
        var numbers: [Int: Int] = [:]
        for (number, node) in nodes.enumerated() {
            guard let listing = listings[node.start] else {
                losses.append(
                    Loss(line: Int(node.start.line), what: "a product that cannot be distinguished from others")
                )
                continue
            }
            var entry = Entry(listing: listing, line: Int(node.start.line), values: [:])
            for pair in node.pairs ?? [] {
                guard let key = ProductKey(rawValue: pair.key.name) else { continue }
                entry.values[key] = KeptValue(value: ManifestValue(pair.value), text: text(of: pair.value))
            }
            numbers[number] = entries.count
            indices[listing.key] = entries.count
            if let id = listing.pinnedID { pinned[id] = entries.count }
            for former in listing.previously { formerKeys[former] = entries.count }
            entries.append(entry)
        }
        for comment in layout.comments {
            if let field = LiveProductWriter.omittedField(in: comment.text) {
                if let index = comment.product.flatMap({ numbers[$0] }) { entries[index].omitted.insert(field) }
            } else if let index = comment.product.flatMap({ numbers[$0] }) {
                entries[index].comments.append(comment.text)
            } else {
                losses.append(Loss(line: comment.line, what: "the comment #\(comment.text)"))
            }
        }
        if let line = layout.anchors.min() {
            losses.append(Loss(line: line, what: "anchors and aliases: each value is written where it is meant"))
        }
    }

    /// A value as written, if it is on one line and has no anchor or alias.
    private func text(of node: YAMLNode) -> String? {
        guard node.start.line == node.end.line, node.style != .literal, node.style != .folded else { return nil }
        let written = bytes[places.offset(of: node.start)..<places.offset(of: node.end)]
        guard let first = written.first, first != UInt8(ascii: "&"), first != UInt8(ascii: "*"),
            !node.hasTag || first == UInt8(ascii: "!"),
            node.kind == .scalar || first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else { return nil }
        return String(decoding: written, as: UTF8.self)
    }

    // MARK: Keys

    package var keys: [String] { entries.map(\.listing.key) }

    /// The key of a live product in this file; `nil` if it has none.
    ///
    /// It is the key of the listing that pins the id, or that has or had the state's key `known`.
    package func key(of id: MarketID, known: String?) -> String? {
        let index = pinned[id] ?? known.flatMap { indices[$0] ?? formerKeys[$0] }
        return index.map { entries[$0].listing.key }
    }

    package func isTombstone(_ key: String) -> Bool { indices[key].map { entries[$0].listing.isAbsent } ?? false }

    // MARK: Merging

    /// Rewrites the file with these products under their keys in the file, and lists what is lost.
    ///
    /// The file starts with the remark as a comment. Throws ``UnreadableManifest`` if the file would have another
    /// meaning.
    package func merged(
        with pulled: [Pulled],
        keeping kept: Set<String> = [],
        remark: String
    ) throws(UnreadableManifest) -> (bytes: [UInt8], losses: [Loss]) {
        var losses = losses
        var writer = ManifestWriter()
        var count = 0
        let byKey = Dictionary(pulled.map { ($0.product.key, $0) }) { first, _ in first }
        for entry in entries {
            if let pulled = byKey[entry.listing.key], !entry.listing.isAbsent {
                writer.append(entry.merged(with: pulled, &losses))
            } else if entry.listing.isAbsent || kept.contains(entry.listing.key) {
                var unchanged = ManifestProduct(key: entry.listing.key)
                unchanged.keptComments = entry.comments
                unchanged.kept = entry.values
                writer.append(unchanged)
            } else {
                losses.append(
                    Loss(line: entry.line, what: "'\(entry.listing.key)', which is not among what was pulled")
                )
                continue
            }
            count += 1
        }
        for product in pulled.map(\.product) where indices[product.key] == nil {
            writer.append(product)
            count += 1
        }
        writer.finish()
        var section = try writer.takeBytes()
        if lineEnd != [UInt8(ascii: "\n")] {
            section = Array(
                section.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).joined(
                    separator: lineEnd
                )
            )
        }
        let head = head(remark)
        let gap = head.isEmpty || head.last == UInt8(ascii: "\n") ? [] : lineEnd
        let result = head + gap + section + bytes[layout.section.upperBound...]
        guard isSaid(by: result, products: count) else { throw UnreadableManifest(key: nil) }
        return (result, losses.sorted { $0.line < $1.line })
    }

    /// The part above the products, with the remark as its first line.
    private func head(_ remark: String) -> [UInt8] {
        var head = bytes[..<layout.section.lowerBound]
        var start = head.hasUTF8Mark ? UTF8Mark.bytes : []
        head = head.dropFirst(start.count)
        // Editor modelines stay in the first line.
        while let line = Self.modeline(head) {
            start += head.prefix(line)
            head = head.dropFirst(line)
        }
        start += "# \(remark)".utf8
        start += lineEnd
        let begun = ["# Pulled by openmarket from ", "# Exported by openmarket from "]
        if begun.contains(where: { head.starts(with: $0.utf8) }) {
            head = head.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
        } else if head.first != UInt8(ascii: "\n"), head.first != UInt8(ascii: "\r") {
            start += lineEnd
        }
        return start + head
    }

    /// The length in bytes of the first line with its line end, if it is an editor's modeline.
    private static func modeline(_ text: ArraySlice<UInt8>) -> Int? {
        let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let words = String(decoding: line, as: UTF8.self)
        let signs = ["yaml-language-server:", "$schema", "-*-", "vim:", "yamllint", "prettier-ignore"]
        let isMeant = words.hasPrefix("#!") || words.hasPrefix("#") && signs.contains(where: words.contains)
        guard isMeant, let end = text.dropFirst(line.count).first else { return nil }
        let isPair = end == UInt8(ascii: "\r") && text.dropFirst(line.count + 1).first == UInt8(ascii: "\n")
        return line.count + (isPair ? 2 : 1)
    }

    /// Whether the result has all the content of this file except the products, and the expected number of products.
    private func isSaid(by result: [UInt8], products count: Int) -> Bool {
        guard let pairs = (try? YAMLNode.parse(result))?.pairs else { return false }
        let name = ManifestSchema.Section.products.rawValue
        let (old, new) = (root.filter { $0.key.name != name }, pairs.filter { $0.key.name != name })
        guard old.count == new.count, pairs.first(where: { $0.key.name == name })?.value.items?.count == count else {
            return false
        }
        return zip(old, new).allSatisfy { $0.key.name == $1.key.name && ManifestValue($0.value).isSaid(by: $1.value) }
    }
}

extension EarlierManifest.Entry {
    /// The product as the file states it, with the market's values for fields that follow the market.
    fileprivate func merged(
        with pulled: EarlierManifest.Pulled,
        _ losses: inout [EarlierManifest.Loss]
    ) -> ManifestProduct {
        var product = pulled.product
        product.keptComments = comments
        var omitted = omitted
        for key in ProductKey.allCases {
            switch key {
            case .id: if product.id == listing.pinnedID { product.kept[key] = values[key] }
            case .salePrice: mergeSale(&product, pulled, &losses)
            // Merged with the sale and with the pictures, which precede it.
            case .discount: break
            case .thumbnail: mergeThumbnail(&product, pulled, &losses)
            case .ignoreChanges where !product.ignoreChanges.subtracting(ProductFieldSet(listing.ignoreChanges)).isEmpty:
                product.ignoreChanges.formUnion(ProductFieldSet(listing.ignoreChanges))
            default:
                if let field = ProductField(key) {
                    if !merge(field, of: key, &product, pulled, &losses) { omitted.insert(field.rawValue) }
                } else {
                    // The market does not show keys that are not fields.
                    product.kept[key] = values[key]
                }
            }
        }
        product.comments = product.comments.filter { comment in
            LiveProductWriter.omittedField(in: comment).map { omitted.contains($0) } ?? true
        }
        return product
    }

    /// Writes a field as it is, or as the market shows it, and returns whether it is stated.
    ///
    /// A market value that no manifest can state is left to the market.
    private func merge(
        _ field: ProductField,
        of key: ProductKey,
        _ product: inout ManifestProduct,
        _ pulled: EarlierManifest.Pulled,
        _ losses: inout [EarlierManifest.Loss]
    ) -> Bool {
        guard let value = values[key] else {
            // The value's source, such as `defaults`, may have another value than the market.
            let isOther = listing.values[field] != nil && !keeps(field, pulled)
            if !isOther, !omitted.contains(field.rawValue) { product.clear(field) }
            return true
        }
        let isWritable = ManifestWriter.value(of: key, product) != nil
        // Pictures that cannot be downloaded, and values that the market does not show, do not count as different.
        if keeps(field, pulled) || !isWritable && (field == .images || pulled.shown[field] == nil) {
            product.kept[key] = value
            return true
        }
        note(value, of: key, &losses)
        return isWritable
    }

    /// The sale in the file's own form: a `discount` stays one.
    private func mergeSale(
        _ product: inout ManifestProduct,
        _ pulled: EarlierManifest.Pulled,
        _ losses: inout [EarlierManifest.Loss]
    ) {
        guard let key = [ProductKey.salePrice, .discount].first(where: { values[$0] != nil }), let value = values[key]
        else {
            if !omitted.contains(ProductField.salePrice.rawValue) { product.reduction = nil }
            return
        }
        if listing.ignoreChanges.contains(.salePrice) || keeps(.salePrice, pulled) && keeps(.price, pulled) {
            product.reduction = nil
            product.kept[key] = value
            return
        }
        note(value, of: key, &losses)
        guard key == .discount, case .salePrice(let paid)? = product.reduction else { return }
        let price = product.kept[.price] == nil ? product.price : listing.values.price
        if let amount = price?.subtracting(paid) { product.reduction = .discount(amount) }
    }

    /// The thumbnail, which is one of the pictures as written.
    private func mergeThumbnail(
        _ product: inout ManifestProduct,
        _ pulled: EarlierManifest.Pulled,
        _ losses: inout [EarlierManifest.Loss]
    ) {
        guard let value = values[.thumbnail] else {
            if !omitted.contains(ProductField.images.rawValue) { product.thumbnail = nil }
            return
        }
        guard case .list(let images)? = product.kept[.images]?.value else { return }
        product.thumbnail = nil
        product.kept[.thumbnail] = value
        guard !keeps(.thumbnail, pulled), let wanted = pulled.shown.thumbnail,
            let index = pulled.shown.images?.firstIndex(of: wanted), index < images.count
        else { return }
        note(value, of: .thumbnail, &losses)
        product.kept[.thumbnail] = KeptValue(value: images[index])
    }

    /// Whether a field stays as written: the market shows the same value, or the field does not follow the market.
    private func keeps(_ field: ProductField, _ pulled: EarlierManifest.Pulled) -> Bool {
        if listing.ignoreChanges.contains(field) { return true }
        guard let own = listing.values[field] else { return false }
        return own == pulled.shown[field]
    }

    /// Lists a value that came from elsewhere and is now written out.
    private func note(_ kept: KeptValue, of key: ProductKey, _ losses: inout [EarlierManifest.Loss]) {
        guard let source = kept.value.source else { return }
        let what = "'\(listing.key)' has its \(key.rawValue) from \(source), and the market shows another"
        losses.append(EarlierManifest.Loss(line: line, what: what))
    }
}

extension ManifestValue {
    /// The source of a value that is not written here, such as `!env PRICE`; `nil` for a written value.
    fileprivate var source: String? {
        switch self {
        case .plain(let text, let tag?), .text(let text, let tag?): tag.hasPrefix("!") ? "\(tag) \(text)" : nil
        case .plain, .text: nil
        case .list(let values): values.lazy.compactMap(\.source).first
        case .mapping(let entries): entries.lazy.compactMap(\.value.source).first
        }
    }
}
