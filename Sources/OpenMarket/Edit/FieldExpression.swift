/// What becomes of a field of each product: `price=+10%`, `sale_price=price-20%`, `stock=none`.
package struct FieldExpression: Sendable {
    private enum Operation: Sendable {
        /// `nil` takes the line out: the field is not managed any more, and a sale ends.
        case constant(FieldEdit.Value?)
        case text([Piece])
        case replacing(String, with: String)
        case number(Arithmetic)
    }

    /// The value of a field, or `key`, and the text behind it; without a name only the text.
    private typealias Piece = (name: String, text: String)

    /// A number that is multiplied, or that an amount is added to.
    private struct Arithmetic: Sendable {
        enum Start: Equatable, Sendable {
            case zero
            case own
            case other(ProductField)
        }

        var start: Start
        var factor: ExactDecimal?
        var amount = ExactDecimal.zero
    }

    /// How an amount is rounded after it is calculated.
    package struct Rounding: Sendable {
        private let offset: ExactDecimal
        private let step: ExactDecimal
        /// The least number of steps.
        private let least: Int64

        /// Multiples of a step, but none below it.
        package init(step text: String) throws(ExpressionError) {
            guard let step = FieldExpression.number(text), step > .zero else {
                throw ExpressionError("'\(text.excerpt)' is not a step to round to")
            }
            (offset, self.step, least) = (.zero, step, 1)
        }

        /// Numbers that end in these digits: `900` means 38 900, and `0.99` means 38 900.99.
        package init(ending text: String) throws(ExpressionError) {
            let whole = text.prefix { $0 != "." }
            let places = whole.isEmpty || whole == "0" && whole.count < text.count ? 0 : whole.utf8.count
            guard let offset = FieldExpression.number(text), places <= ExactDecimal.maximumScale,
                let step = ExactDecimal(significand: 1, scale: -places)
            else { throw ExpressionError("'\(text.excerpt)' is not an ending of a price") }
            (self.offset, self.step, least) = (offset, step, offset == .zero ? 1 : 0)
        }

        /// A price of 0 stays 0.
        fileprivate func rounded(_ amount: ExactDecimal) -> ExactDecimal? {
            amount > .zero ? amount.nearest(offset, step: step, least: least) : amount
        }
    }

    /// Why a product is left alone.
    struct Refusal: Error, Hashable {
        var reason: String
    }

    /// As written, for the diff and for faults.
    package let text: String
    /// `nil` for the price, and with it the sale.
    private let field: FieldEdit.Field?
    private let operation: Operation
    package var rounding: Rounding?

    /// Reads an assignment: `FIELD=VALUE`.
    package init(_ text: String) throws(ExpressionError) {
        guard let place = text.firstIndex(of: "=") else {
            throw ExpressionError(
                "'\(text.excerpt)' is not an assignment",
                help: "it is FIELD=VALUE, as in 'price=+10%'"
            )
        }
        try self.init(field: text[..<place].trimmed, String(text[text.index(after: place)...]), text: text)
    }

    /// Reads the value of a field; `text` is what faults show.
    package init(field name: String, _ value: String, text: String? = nil) throws(ExpressionError) {
        self.text = text ?? "\(name)=\(value)"
        switch name {
        case "prices": field = nil
        case "discount":
            throw ExpressionError("'discount' cannot be set", help: "'sale_price' is the price that buyers pay")
        default: field = try ExpressionError.field(name, of: FieldEdit.Field.all, beside: ["prices"])
        }
        operation = try Self.operation(value, of: field, in: self.text)
    }

    /// Replaces a text by another wherever a name or a description has it.
    package init(replacing old: String, with new: String, in name: String) throws(ExpressionError) {
        field = try ExpressionError.field(name, of: [.value(.name), .value(.description)])
        guard !old.isEmpty else { throw ExpressionError("an empty text cannot be replaced") }
        text = "'\(old.excerpt)' replaced by '\(new.excerpt)'"
        operation = .replacing(old, with: new)
    }

    private static func operation(
        _ text: String,
        of field: FieldEdit.Field?,
        in whole: String
    ) throws(ExpressionError) -> Operation {
        let value = text.trimmed
        func fault(_ reason: String) -> ExpressionError { ExpressionError("'\(whole.excerpt)': \(reason)") }
        if value == "none", field != nil { return .constant(nil) }
        switch field {
        case nil:
            guard let change = try? arithmetic(value, in: whole), change.start == .own else {
                throw fault("'prices' takes +N, -N, +N%, -N% or xN")
            }
            return .number(change)
        case .protected: return .constant(.flag(try ExpressionError.flag(value, in: whole)))
        case .id: throw fault("'id' can only be 'none'")
        case .value(let field):
            switch field.kind {
            case .text: return .text(try pieces(text))
            case .code: return .constant(.value(.text(try Currency.stated(value).rawValue)))
            case .images, .image: throw fault("'\(field.rawValue)' can only be 'none'")
            case .amount, .sale, .count:
                let change = try arithmetic(value, in: whole)
                if case .other(let other) = change.start, (other == .stock) != (field == .stock) {
                    throw fault("a stock is not an amount of money")
                }
                return .number(change)
            }
        }
    }

    /// Reads `35000`, `+500`, `-10%`, `x1.1`, `price-20%`.
    private static func arithmetic(_ text: String, in whole: String) throws(ExpressionError) -> Arithmetic {
        let fault = ExpressionError(
            "'\(whole.excerpt)': '\(text.excerpt)' is neither a number nor a change of one",
            help: "write 35000, +500, -500, +10%, -20%, x1.1, price-20% or none"
        )
        if let number = number(text) { return Arithmetic(start: .zero, amount: number) }
        if text.hasPrefix("x") {
            guard let factor = number(text.dropFirst()) else { throw fault }
            return Arithmetic(start: .own, factor: factor)
        }
        guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else { throw fault }
        let name = text[..<sign].trimmed
        var start = Arithmetic.Start.own
        if !name.isEmpty, case .value(let other) = try ExpressionError.field(name, of: FieldEdit.Field.numbers) {
            start = .other(other)
        }
        let digits = text[text.index(after: sign)...]
        let isShare = digits.hasSuffix("%")
        guard let amount = number(digits.dropLast(isShare ? 1 : 0)),
            let signed = text[sign] == "-" ? ExactDecimal.zero.subtracting(amount) : amount
        else { throw fault }
        guard isShare else { return Arithmetic(start: start, amount: signed) }
        guard let share = ExactDecimal(significand: signed.significand, scale: Int(signed.scale) + 2),
            let factor = share.adding(1)
        else { throw fault }
        return Arithmetic(start: start, factor: factor)
    }

    /// A number without a sign or an exponent.
    private static func number(_ text: some StringProtocol) -> ExactDecimal? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ? ExactDecimal(text) : nil
    }

    /// A text with `{field}` as the placeholder of a value; other braces stand for themselves.
    private static func pieces(_ text: String) throws(ExpressionError) -> [Piece] {
        let parts = text.split(separator: "{", omittingEmptySubsequences: false)
        var pieces: [Piece] = [("", String(parts[0]))]
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: "}"), end > part.startIndex,
                part[..<end].utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
            else {
                pieces.append(("", "{" + part))
                continue
            }
            let name = String(part[..<end])
            if name != "key" { _ = try ExpressionError.field(name, of: FieldEdit.Field.scalars, beside: ["key"]) }
            pieces.append((name, String(part[part.index(after: end)...])))
        }
        return pieces
    }

    // MARK: Evaluation

    /// Whether the result depends on the currency, apart from its digits.
    var needsOneCurrency: Bool {
        guard case .number(let change) = operation, field != .value(.stock) else { return false }
        return change.factor == nil || rounding != nil
    }

    package var isOfID: Bool { field == .id }

    /// The changes of a product; empty if its values stay or are not set.
    func edits(of listing: Listing) throws(Refusal) -> [FieldEdit] {
        var values = listing.values
        switch (field, operation) {
        case (let field?, .constant(nil)): return listing.mayHave(field) ? [FieldEdit(field, nil)] : []
        case (.protected, .constant(let flag)):
            return flag == .flag(listing.isProtected) ? [] : [FieldEdit(.protected, flag)]
        case (nil, .number(let change)):
            if let price = values.price { values.price = try calculated(price, by: change, .price, listing) }
            if let sale = values.sale?.salePrice {
                values.sale = Sale.at(try calculated(sale, by: change, .salePrice, listing), insteadOf: values.price)
            }
        case (.value(let field), .number(let change)):
            guard let number = try number(for: field, by: change, listing) else { return [] }
            switch field {
            case .price: values.price = number
            case .salePrice: values.sale = Sale.at(number, insteadOf: values.price)
            default:
                guard let whole = number.wholeValue else { throw Refusal(reason: "the stock \(number) has a fraction") }
                values.stock = whole
            }
        case (.value(let field), .constant(.value(let value))): values[field] = value
        case (.value(let field), .text(let pieces)): values[field] = .text(try text(pieces, listing))
        case (.value(let field), .replacing(let old, let new)):
            guard case .text(let own)? = values[field] else { return [] }
            values[field] = .text(own.replacing(old, with: new))
        default: return []
        }
        return try changes(to: values, of: listing)
    }

    private func changes(to values: ProductValues, of listing: Listing) throws(Refusal) -> [FieldEdit] {
        let changed = ProductField.allCases.filter { values[$0] != listing.values[$0] }
        if changed.contains(.price) || changed.contains(.salePrice), let price = values.price,
            let paid = values.sale?.salePrice, paid > price
        {
            throw Refusal(reason: "the sale price \(paid) would be above the price \(price)")
        }
        return changed.map { FieldEdit(.value($0), values[$0].map(FieldEdit.Value.value)) }
    }

    private func text(_ pieces: [Piece], _ listing: Listing) throws(Refusal) -> String {
        var text = ""
        for (name, part) in pieces {
            if name == "key" { text += listing.key }
            if let field = ProductField(rawValue: name) {
                if case .text(let value)? = listing.values[field] {
                    text += value
                } else {
                    text += try amount(of: field, listing).description
                }
            }
            text += part
        }
        return text
    }

    private func amount(of field: ProductField, _ listing: Listing) throws(Refusal) -> ExactDecimal {
        guard let amount = listing.values[field]?.amount else { throw Refusal(reason: "it lacks '\(field.rawValue)'") }
        return amount
    }

    /// The new number of a field; `nil` if it changes by its own value and has none.
    private func number(
        for field: ProductField,
        by change: Arithmetic,
        _ listing: Listing
    ) throws(Refusal) -> ExactDecimal? {
        let start: ExactDecimal? =
            switch change.start {
            case .zero: .zero
            case .own: listing.values[field]?.amount
            case .other(let other): try amount(of: other, listing)
            }
        guard let start else { return nil }
        return try calculated(start, by: change, field, listing)
    }

    private func calculated(
        _ start: ExactDecimal,
        by change: Arithmetic,
        _ field: ProductField,
        _ listing: Listing
    ) throws(Refusal) -> ExactDecimal {
        let currency = field == .stock ? nil : listing.values.currency
        let digits = field == .stock ? 0 : currency?.fractionDigits ?? ExactDecimal.maximumScale
        var result = start.adding(change.amount)
        if let factor = change.factor { result = start.multiplied(by: factor, digits: digits) }
        if field != .stock, let rounding { result = result.flatMap(rounding.rounded) }
        guard let result else { throw Refusal(reason: "the \(field.rawValue) would be out of range") }
        guard !result.isNegative else { throw Refusal(reason: "the \(field.rawValue) would be \(result)") }
        if let fault = currency?.fault(of: result) { throw Refusal(reason: "the \(field.rawValue) \(result) \(fault)") }
        return result
    }
}

extension Listing {
    /// Whether the field is set; pictures are unknown before they are read.
    fileprivate func mayHave(_ field: FieldEdit.Field) -> Bool {
        switch field {
        case .value(let field): field.kind == .images || field.kind == .image || values[field] != nil
        case .protected: isProtected
        case .id: pinnedID != nil
        }
    }
}
