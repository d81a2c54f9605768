import OpenMarket
import YAML

extension ManifestDecoder {
    /// Reads a product; one with faults is kept for the checks to come and dropped at the end.
    mutating func decodeProduct(_ node: YAMLNode) {
        guard let pairs = node.pairs else {
            report(
                "a product must be a mapping, and this is \(Self.describe(node))",
                at: node.span,
                help: "begin it with '- key: …'"
            )
            return
        }
        isFaulty = false
        var listing = Listing(key: "", file: log.sources[file].name, position: SourcePosition(node.start))
        var draft = ListingDrafts.Draft(
            file: file,
            index: UInt32(truncatingIfNeeded: productIndex ?? 0),
            firstMention: UInt32(truncatingIfNeeded: products.mentions.count)
        )
        var keyNode: YAMLNode?
        var salePrice: YAMLNode?
        var discount: YAMLNode?
        var thumbnail: YAMLNode?
        var former: YAMLNode?

        for pair in pairs {
            let value = pair.value
            guard let key = ProductKey(rawValue: pair.key.name) else {
                conceal(pair.key, pair.value)
                reportUnknown(pair.key)
                continue
            }
            if let field = ProductField(key) {
                draft.written[field] = true
                listing.fieldPositions[field] = SourcePosition(value.start)
            }
            switch key {
            case .key:
                keyNode = value
                listing.key = productKey(value) ?? ""
            case .name: listing.values.name = text(value, field: key.rawValue)?.value
            case .description: listing.values.description = text(value, field: key.rawValue)?.value
            case .price: listing.values.price = amount(value, field: key.rawValue)
            case .currency: listing.values.currency = currency(value, field: key.rawValue)
            case .salePrice: salePrice = value
            case .discount: discount = value
            case .stock:
                guard let stock = stock(value) else { break }
                listing.values.stock = stock.units
                if stock.isInitial { listing.ignoreChanges.insert(.stock) }
            case .images: noteImages(value, draft: &draft)
            case .thumbnail: thumbnail = value
            case .id:
                listing.pinnedID = integer(value, field: key.rawValue, in: key.entry.type.range).map { ProductID($0) }
                if listing.pinnedID == nil { draft.needIsUnclear = true }
            case .previously: former = value
            case .state:
                let state = isAbsent(value)
                listing.isAbsent = state ?? false
                if state == nil { draft.needIsUnclear = true }
            case .protected:
                draft.setsProtected = true
                listing.isProtected = boolean(value, field: key.rawValue) ?? false
            case .ignoreChanges: listing.ignoreChanges.formUnion(ignoredFields(value))
            case .secret: listing.secret = secret(value, field: key.rawValue, variable: "NAME")
            }
        }
        if keyNode == nil {
            report("this product has no 'key'", at: SourceSpan(start: listing.position, length: 1), field: "key")
        }
        if let thumbnail { noteThumbnail(thumbnail, draft: &draft) }
        if salePrice != nil || discount != nil { decodeSale(salePrice, discount, into: &listing, draft: &draft) }
        if listing.isAbsent { checkTombstone(pairs) }
        if let former { notePrevious(former, listing: &listing) }
        noteKey(listing.key, at: keyNode)
        draft.isFaulty = isFaulty
        products.listings.append(listing)
        products.drafts.append(draft)
    }

    private mutating func reportUnknown(_ key: YAMLNode.Key) {
        let name = key.name.excerpt
        if key.name == "discounted_price" {
            report(
                "'discounted_price' means the sale price on v1 and the amount off on v2",
                at: key.span,
                field: name,
                help: "write 'sale_price' for the price that buyers pay, or 'discount' for the amount off"
            )
            return
        }
        report(
            "unknown key '\(name)'",
            at: key.span,
            field: name,
            help: ProductKey.nearest(to: key.name).map { "did you mean '\($0)'?" }
        )
    }

    private mutating func productKey(_ node: YAMLNode) -> String? {
        guard let text = text(node, field: "key") else { return nil }
        let problem: String
        if text.value.isEmpty {
            problem = "'key' is empty"
        } else if !ProductLimits.allows(text.value, length: 0...200) {
            problem = "'key' has \(ProductLimits.length(of: text.value)) characters, and 200 is the most"
        } else if text.value.unicodeScalars.contains(where: \.isControlOrLineBreak) {
            problem = "'key' has a line break or another control character"
        } else if !text.value.unicodeScalars.contains(where: \.isVisible) {
            problem = "'key' has no visible character"
        } else {
            return text.value.composed
        }
        report(problem, at: node.span, field: "key")
        return nil
    }

    /// Keys are unique over all files.
    private mutating func noteKey(_ key: String, at node: YAMLNode?) {
        guard let node, !key.isEmpty else { return }
        let first = products.noteKey(key)
        guard let first else { return }
        report(
            "the key '\(key.excerpt)' is used by another product",
            at: node.span,
            field: "key",
            notes: [Diagnostic.Note("it was used first here", location: products.listings[first].location())]
        )
    }

    private mutating func isAbsent(_ node: YAMLNode) -> Bool? {
        guard let text = text(node, field: "state") else { return nil }
        switch text.value {
        case "absent": return true
        case "present": return false
        default:
            let choices = ProductKey.state.entry.type.choices
            report(
                "'state' must be \(choices.listed("or")), and not \(text.shown)",
                at: node.span,
                field: "state",
                help: Suggestion.nearest(to: text.value, in: choices).map { "did you mean '\($0)'?" }
            )
            return nil
        }
    }

    private mutating func checkTombstone(_ pairs: [YAMLNode.Pair]) {
        for pair in pairs {
            guard let key = ProductKey(rawValue: pair.key.name), !ProductKey.ofTombstones.contains(key) else {
                continue
            }
            let others = ProductKey.ofTombstones.filter { $0 != .state }.map(\.rawValue)
            report(
                "'\(key.rawValue)' says nothing about a product that is absent",
                at: pair.key.span,
                field: key.rawValue,
                help: "beside 'state: absent' only \(others.listed("and")) may stand"
            )
        }
    }

    private mutating func notePrevious(_ node: YAMLNode, listing: inout Listing) {
        for (text, item) in texts(node, field: "previously") {
            let key = text.value.composed
            guard key != listing.key else {
                report("'previously' names the product's own key", at: item.span, field: "previously")
                continue
            }
            listing.previously.append(key)
            products.formerKeys.append(
                ListingDrafts.FormerKey(name: key, listing: products.listings.count, span: item.span)
            )
        }
    }

    // MARK: Sale

    private mutating func decodeSale(
        _ salePrice: YAMLNode?,
        _ discount: YAMLNode?,
        into listing: inout Listing,
        draft: inout ListingDrafts.Draft
    ) {
        let price = listing.values.price
        let hasPrice = draft.written[.price]
        if let salePrice, let discount {
            let later = max(salePrice.start, discount.start) == salePrice.start ? salePrice : discount
            report(
                "'sale_price' and 'discount' exclude each other",
                at: later.span,
                field: later.start == salePrice.start ? "sale_price" : "discount",
                help: "keep one of them"
            )
            return
        }
        guard let node = salePrice ?? discount else { return }
        let field = salePrice == nil ? "discount" : "sale_price"
        guard let amount = amount(node, field: field) else { return }
        guard let price else {
            if !hasPrice { report("'\(field)' needs 'price' beside it", at: node.span, field: field) }
            return
        }
        guard amount <= price else {
            report("'\(field)' is \(amount), and the price only \(price)", at: node.span, field: field)
            return
        }
        if salePrice != nil {
            listing.values.sale = .at(amount, insteadOf: price)
        } else if let reduced = price.subtracting(amount) {
            listing.values.sale = .at(reduced, insteadOf: price)
            draft.hasDiscount = true
        } else {
            report("'discount' and 'price' have too many digits between them", at: node.span, field: field)
        }
    }

    // MARK: Pictures

    private mutating func noteImages(_ node: YAMLNode, draft: inout ListingDrafts.Draft) {
        if refuseNull(node, field: "images") { return }
        guard let items = node.items else {
            report(
                "'images' must be a list, and this is \(Self.describe(node))",
                at: node.span,
                field: "images",
                help: node.text.map { "write [\($0.excerpt)]" }
            )
            return
        }
        guard items.count <= 1000 else {
            report("'images' has \(items.count) items", at: node.span, field: "images")
            return
        }
        for (index, item) in items.enumerated() {
            guard let path = text(item, field: "images[\(index)]") else { continue }
            products.mentions.append(
                ListingDrafts.Mention(
                    picture: products.pictures.number(of: path.value, file: file),
                    position: SourcePosition(item.start)
                )
            )
            draft.mentionCount += 1
        }
    }

    private mutating func noteThumbnail(_ node: YAMLNode, draft: inout ListingDrafts.Draft) {
        guard let path = text(node, field: "thumbnail") else { return }
        let first = Int(draft.firstMention)
        let mine = products.mentions[first..<first + Int(draft.mentionCount)]
        let number = products.pictures.number(of: path.value, file: file)
        if let index = mine.firstIndex(where: { $0.picture == number }) {
            draft.thumbnail = UInt16(index - first)
            return
        }
        guard draft.written[.images] else {
            report("'thumbnail' needs 'images' beside it", at: node.span, field: "thumbnail")
            return
        }
        let paths = mine.map { products.pictures.path($0.picture) }
        let near =
            Suggestion.nearest(to: path.value, in: paths)
            ?? paths.first { FileAccess.name(of: $0) == FileAccess.name(of: path.value) }
        report(
            "'thumbnail' must be one of the images, and \(path.shown) is not",
            at: node.span,
            field: "thumbnail",
            help: near.map { "did you mean '\($0.excerpt)'?" }
        )
    }
}

extension ProductField {
    /// The field that a key of the manifest manages.
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
