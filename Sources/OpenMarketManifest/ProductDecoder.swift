import OpenMarket
import YAML

/// Reads one product.
///
/// Keys may be in any order, so values that depend on another key are read after all keys.
struct ProductDecoder {
    private var listing: Listing
    private var draft: ListingDrafts.Draft
    private var keyNode: YAMLNode?
    private var price: YAMLNode?
    private var salePrice: YAMLNode?
    private var discount: YAMLNode?
    private var thumbnail: YAMLNode?
    private var claim: UnresolvedID?
    private var former: YAMLNode?

    /// Reads a product; a faulty one is kept for the later checks and dropped at the end.
    ///
    /// `index` counts the file's products from 0.
    static func decode(_ node: YAMLNode, index: Int, _ values: inout ValueDecoder) {
        guard let entries = node.entries else {
            // An item of the preceding list, with too little indentation.
            if values.log.hasStrayKey(file: values.file, near: node.start.line) { return }
            values.report(
                .wrongType,
                "a product must be a mapping, and this is \(ValueDecoder.describe(node))",
                at: node.span,
                help: "begin it with '- key: …'"
            )
            return
        }
        values.isFaulty = false
        var decoder = ProductDecoder(
            listing: Listing(
                key: "",
                file: values.log.sources[values.file].name,
                position: node.start
            ),
            draft: ListingDrafts.Draft(
                file: values.file,
                index: UInt32(truncatingIfNeeded: index),
                firstMention: UInt32(truncatingIfNeeded: values.products.mentions.count)
            )
        )
        for pair in entries { decoder.decode(pair, &values) }
        decoder.finish(node, &values)
        decoder.draft.isFaulty = values.isFaulty
        values.products.append(decoder.listing, decoder.draft, id: decoder.claim)
    }

    private mutating func decode(_ pair: YAMLNode.Pair, _ values: inout ValueDecoder) {
        let value = pair.value
        guard let key = ProductKey(rawValue: pair.key.name) else {
            values.conceal(pair.key, value)
            reportUnknown(pair.key, &values)
            return
        }
        if let field = ProductField(key) {
            draft.written.insert(field)
            listing.fieldPositions[field] = value.start
        }
        switch key {
        case .key:
            keyNode = value
            listing.key = productKey(value, &values) ?? ""
        case .name:
            listing.values.name = values.text(value, field: key.rawValue)?.value
            noteEnd(of: value, isName: true, &values)
        case .description:
            listing.values.description = values.text(value, field: key.rawValue)?.value
            noteEnd(of: value, isName: false, &values)
        case .price: price = value
        case .currency: listing.values.currency = values.currency(value, field: key.rawValue)
        case .salePrice: salePrice = value
        case .discount: discount = value
        case .stock:
            guard let stock = values.stock(value) else { break }
            listing.values.stock = stock.units
            if stock.isInitial { listing.ignoreChanges.insert(.stock) }
        case .images: noteImages(value, &values)
        case .thumbnail: thumbnail = value
        case .id:
            guard let text = values.text(value, field: key.rawValue) else {
                draft.needIsUnclear = true
                break
            }
            (listing.pinnedID, claim) = values.id(text, at: value.span)
        case .previously: former = value
        case .state:
            let state = isAbsent(value, &values)
            listing.isAbsent = state ?? false
            if state == nil { draft.needIsUnclear = true }
        case .protected:
            draft.setsProtected = true
            listing.isProtected = values.boolean(value, field: key.rawValue) ?? false
        case .ignoreChanges: listing.ignoreChanges.formUnion(values.ignoredFields(value))
        case .secret: listing.secret = values.secret(value, field: key.rawValue, variable: "NAME")
        }
    }

    /// Records the end of a text, because a following comment may be meant as part of it.
    private func noteEnd(of node: YAMLNode, isName: Bool, _ values: inout ValueDecoder) {
        guard values.products.notesTextEnds, node.kind == .scalar, node.style == .plain, !node.hasTag else { return }
        values.products.noteTextEnd(node.end, isName: isName, file: values.file)
    }

    /// Reads the values that depend on other keys.
    private mutating func finish(_ node: YAMLNode, _ values: inout ValueDecoder) {
        if keyNode == nil {
            values.report(
                .key,
                "this product has no 'key'",
                at: SourceSpan(start: listing.position, length: 1),
                field: "key"
            )
        }
        // The secret is found by key: an index refers to another product once the list changes.
        if case .manifest(let file, _)? = listing.secret?.reference {
            listing.secret?.reference = .manifest(file, path: "products[\(listing.key)].secret")
        }
        if let thumbnail, let path = values.text(thumbnail, field: "thumbnail") {
            values.noteThumbnail(path, in: &draft, at: thumbnail.span)
        }
        if let price { listing.values.price = values.amount(price, .money(listing.values.currency), field: "price") }
        decodeSale(&values)
        if listing.isAbsent { checkTombstone(node, &values) }
        if let former { notePrevious(former, &values) }
        noteKey(&values)
    }

    private func reportUnknown(_ key: YAMLNode.Key, _ values: inout ValueDecoder) {
        let name = key.name.excerpt
        if key.name == "discounted_price" {
            values.report(
                .discountedPrice,
                "'discounted_price' means the sale price on v1 and the amount off on v2",
                at: key.span,
                field: name,
                help: "write 'sale_price' for the price that buyers pay, or 'discount' for the amount off"
            )
            return
        }
        values.report(
            .unknownKey,
            "unknown key '\(name)'",
            at: key.span,
            field: name,
            help: ProductKey.nearest(to: key.name).map { "did you mean '\($0)'?" }
        )
    }

    private func productKey(_ node: YAMLNode, _ values: inout ValueDecoder) -> String? {
        guard let text = values.text(node, field: "key") else { return nil }
        guard let fault = KeyRules.fault(of: text.value) else { return text.value.composed }
        values.report(.key, "'key' \(fault)", at: node.span, field: "key")
        return nil
    }

    /// Keys are unique across all files.
    private func noteKey(_ values: inout ValueDecoder) {
        guard let keyNode, !listing.key.isEmpty, let first = values.products.noteKey(listing.key) else { return }
        values.report(
            .repeatedKey,
            "the key '\(listing.key.excerpt)' is used by another product",
            at: keyNode.span,
            field: "key",
            notes: [Diagnostic.Note("it was used first here", location: values.products.listings.location(at: first))]
        )
    }

    private func isAbsent(_ node: YAMLNode, _ values: inout ValueDecoder) -> Bool? {
        values.choice(node, of: ProductKey.state.entry.type.choices, field: "state").map { $0 == "absent" }
    }

    private func checkTombstone(_ node: YAMLNode, _ values: inout ValueDecoder) {
        for pair in node.pairs ?? [] {
            guard let key = ProductKey(rawValue: pair.key.name), !ProductKey.ofTombstones.contains(key) else {
                continue
            }
            let others = ProductKey.ofTombstones.filter { $0 != .state }.map(\.rawValue)
            values.report(
                .tombstoneField,
                "'\(key.rawValue)' has no effect on an absent product",
                at: pair.key.span,
                field: key.rawValue,
                help: "with 'state: absent' only \(others.listed("and")) are allowed"
            )
        }
    }

    private mutating func notePrevious(_ node: YAMLNode, _ values: inout ValueDecoder) {
        for (text, item) in values.texts(node, field: "previously") {
            let key = text.value.composed
            guard key != listing.key else {
                values.report(
                    .formerKey,
                    "'previously' names the product's own key",
                    at: item.span,
                    field: "previously"
                )
                continue
            }
            listing.previously.append(key)
            values.products.formerKeys.append(
                ListingDrafts.FormerKey(name: key, listing: values.products.listings.count, span: item.span)
            )
        }
    }

    // MARK: Sale

    private mutating func decodeSale(_ values: inout ValueDecoder) {
        if let salePrice, let discount {
            let later = max(salePrice.start, discount.start) == salePrice.start ? salePrice : discount
            values.report(
                .salePrice,
                "'sale_price' and 'discount' exclude each other",
                at: later.span,
                field: later.start == salePrice.start ? "sale_price" : "discount",
                help: "keep one of them"
            )
            return
        }
        guard let node = salePrice ?? discount else { return }
        let field = salePrice == nil ? "discount" : "sale_price"
        guard let amount = values.amount(node, .money(listing.values.currency), field: field) else { return }
        guard let price = listing.values.price else {
            if !draft.written.contains(.price) {
                values.report(.salePrice, "'\(field)' needs 'price'", at: node.span, field: field)
            }
            return
        }
        guard amount <= price else {
            values.report(
                .salePrice,
                "'\(field)' is \(amount), and the price only \(price)",
                at: node.span,
                field: field
            )
            return
        }
        if salePrice != nil {
            listing.values.sale = .at(amount, insteadOf: price)
        } else if let reduced = price.subtracting(amount) {
            listing.values.sale = .at(reduced, insteadOf: price)
        } else {
            values.report(
                .salePrice,
                "'discount' and 'price' have too many digits between them",
                at: node.span,
                field: field
            )
        }
    }

    // MARK: Pictures

    private mutating func noteImages(_ node: YAMLNode, _ values: inout ValueDecoder) {
        if values.refuseNull(node, field: "images") { return }
        guard let items = values.items(node, "images", help: node.text.map { "write [\($0.excerpt)]" }) else { return }
        guard items.count <= 1000 else {
            values.report(.pictureCount, "'images' has \(items.count) items", at: node.span, field: "images")
            return
        }
        for (index, item) in items.enumerated() {
            if item.pairs?.contains(where: { $0.key.name == ProductKey.key.rawValue }) == true {
                values.hasStrayProduct = true
                values.report(
                    .wrongType,
                    "a product begins inside of 'images'",
                    at: item.span,
                    field: "images[\(index)]",
                    help: "indent its '-' like that of the product before it"
                )
                continue
            }
            guard let path = values.text(item, field: "images[\(index)]") else { continue }
            values.products.noteImage(path.value, in: &draft, at: item.start)
        }
    }
}

extension ProductField {
    init?(_ key: ProductKey) {
        switch key {
        case .name: self = .name
        case .description: self = .description
        case .price: self = .price
        case .currency: self = .currency
        case .salePrice, .discount: self = .salePrice
        case .stock: self = .stock
        case .images: self = .images
        case .thumbnail: self = .thumbnail
        case .key, .id, .previously, .state, .protected, .ignoreChanges, .secret: return nil
        }
    }
}
