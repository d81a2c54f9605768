package import OpenMarket

extension ManifestEditor {
    /// The outcome for fields that are written together or not at all.
    package struct Outcome: Sendable {
        package var fields: [FieldEdit.Field]
        /// Why they cannot be written; `nil` if they are.
        package var refusal: Refusal?
    }

    /// Edits fields of a listed product, as far as possible; an edit that the product has already is left out.
    package mutating func apply(_ edits: [FieldEdit], to listing: Listing) -> [Outcome] {
        var outcomes: [Outcome] = []
        var wanted: [FieldEdit] = []
        for edit in edits {
            if let refusal = edit.refusal {
                outcomes.append(Outcome(fields: [edit.field], refusal: Refusal(reason: refusal)))
            } else if listing.has(edit) {
                continue
            } else if !listing.isBase(of: edit) {
                let reason =
                    listing.adjusts(edit.field)
                    ? "its value came from 'adjust' for this market" : "the manifest was also changed"
                outcomes.append(Outcome(fields: [edit.field], refusal: Refusal(reason: reason)))
            } else {
                wanted.append(edit)
            }
        }
        // A price in another currency is another price.
        let refused = outcomes.filter { $0.fields.contains(where: \.isMoney) }
        let isOtherCurrency = (wanted.map(\.field) + refused.flatMap(\.fields)).contains(.value(.currency))
        let money = wanted.filter(\.field.isMoney)
        if isOtherCurrency, let refusal = refused.first?.refusal {
            outcomes += money.map { Outcome(fields: [$0.field], refusal: refusal) }
        } else if !money.isEmpty {
            outcomes.append(write(money, to: listing))
        }
        for edit in wanted where !edit.field.isMoney { outcomes.append(write([edit], to: listing)) }
        return outcomes
    }

    private mutating func write(_ edits: [FieldEdit], to listing: Listing) -> Outcome {
        var outcome = Outcome(fields: edits.map(\.field))
        do throws(Refusal) {
            try apply(changes(for: edits, of: listing), toProductAt: listing.position)
        } catch {
            outcome.refusal = error
        }
        return outcome
    }

    private func changes(for edits: [FieldEdit], of listing: Listing) throws(Refusal) -> [Change] {
        var changes: [Change] = []
        for edit in edits where edit.field != .value(.salePrice) {
            guard let key = ProductKey(rawValue: edit.field.name) else { continue }
            switch edit.wanted {
            case nil: changes.append((key, nil))
            case .value(let value): changes.append((key, try ManifestValue(value)))
            case .flag(let flag): changes.append((key, .plain(String(flag))))
            case .paths(let paths):
                changes.append((key, key == .images ? .list(paths.map { .text($0) }) : .text(paths.first ?? "")))
            }
        }
        let price = edits.first { $0.field == .value(.price) }
        let sale = edits.first { $0.field == .value(.salePrice) }
        if let sale, sale.wanted == nil {
            let isDiscount = try text(of: .discount, inProductAt: listing.position) != nil
            changes.append((isDiscount ? .discount : .salePrice, nil))
        } else if price?.wanted != nil || sale != nil {
            try changes += reduction(price?.wanted, sale?.wanted, of: listing)
        }
        return changes
    }

    /// `sale_price` or `discount`, whichever is present, so that buyers pay the sale price; none if neither has to
    /// change.
    ///
    /// A sale that ended becomes a sale at the full price: removing the line would also remove its comment.
    private func reduction(
        _ price: FieldEdit.Value?,
        _ sale: FieldEdit.Value?,
        of listing: Listing
    ) throws(Refusal) -> [Change] {
        var values = listing.values
        if case .value(let price)? = price { values[.price] = price }
        if case .value(let sale)? = sale { values[.salePrice] = sale }
        guard let sale = values.sale else { return [] }
        guard let price = values.price else { throw Refusal(reason: "its price is missing") }
        let discount = try text(of: .discount, inProductAt: listing.position)
        let salePrice = try text(of: .salePrice, inProductAt: listing.position)
        let written = discount ?? salePrice
        if written == nil, sale == .fullPrice { return [] }
        let paid = sale.salePrice ?? price
        guard paid <= price else {
            throw Refusal(reason: "the sale price \(paid) is above the price \(price)")
        }
        guard sale == .fullPrice || paid < price else {
            throw Refusal(reason: "the price stays \(price), and the sale price equals it")
        }
        guard let amount = discount == nil ? paid : price.subtracting(paid) else {
            throw Refusal(reason: "the amounts have too many digits between them")
        }
        if let written, ExactDecimal(written) == amount { return [] }
        return [(discount == nil ? .salePrice : .discount, .plain(amount.description))]
    }
}

extension FieldEdit.Field {
    /// Whether it is an amount or its currency.
    fileprivate var isMoney: Bool {
        self == .value(.price) || self == .value(.salePrice) || self == .value(.currency)
    }
}

extension Listing {
    /// Whether an edit is already done.
    fileprivate func has(_ edit: FieldEdit) -> Bool {
        switch (edit.field, edit.wanted) {
        case (.value(.images), .paths(let paths)?):
            values.images != nil && pictures.map { ExactText($0.path) } == paths.map { ExactText($0) }
        case (.value(.thumbnail), .paths(let paths)?):
            pictures.contains { picture in
                values.thumbnail == .digest(picture.digest) && paths.first.isExactly(picture.path)
            }
        case (.value(let field), .value(let value)?): values[field] == value
        case (.value(let field), nil): values[field] == nil
        case (.protected, .flag(let flag)?): isProtected == flag
        case (.protected, nil): !isProtected
        case (.id, nil): pinnedID == nil
        default: false
        }
    }

    fileprivate func adjusts(_ field: FieldEdit.Field) -> Bool {
        if case .value(let field) = field { adjusted?.touches(field) == true } else { false }
    }

    fileprivate func isBase(of edit: FieldEdit) -> Bool {
        guard case .value(let base) = edit.base, case .value(let field) = edit.field else { return true }
        // A sale that ended leaves a price without a sale.
        return values[field] == base || base == .sale(.fullPrice) && values[field] == nil && values.price != nil
    }
}

extension ManifestValue {
    /// A value as a manifest writes it.
    fileprivate init(_ value: FieldValue) throws(ManifestEditor.Refusal) {
        switch value {
        case .text(let text): self = .text(text)
        case .number(let number): self = .plain(number.description)
        case .integer(let number): self = .plain(String(number))
        case .sale(let sale): self = .plain(sale.salePrice?.description ?? "")
        case .images, .image: throw ManifestEditor.Refusal(reason: "pictures are files, which are not fetched")
        }
    }
}
