/// What becomes of a field of each product: `price=+10%`, `sale_price=price-20%`, `stock=none`.
package struct FieldExpression: Hashable, Sendable {
    private enum Target: Hashable, Sendable {
        case field(ProductField)
        /// The price, and with it the sale.
        case prices
        case isProtected
        case id
    }

    private enum Operation: Hashable, Sendable {
        /// The line goes: the field is not managed any more, and a sale ends.
        case none
        case flag(Bool)
        case currency(Currency)
        case text([Piece])
        case replacing(String, with: String)
        case set(ExactDecimal)
        case add(ExactDecimal, to: ProductField?)
        case multiply(ExactDecimal, of: ProductField?)
    }

    private enum Piece: Hashable, Sendable {
        case text(String)
        case key
        case field(ProductField)
    }

    /// How an amount is rounded after it is calculated.
    package struct Rounding: Hashable, Sendable {
        private let text: String
        private let offset: ExactDecimal
        private let step: ExactDecimal
        /// The least number of steps.
        private let least: Int64

        /// Multiples of a step, but none below it.
        package init(step text: String) throws(ExpressionError) {
            guard let step = FieldExpression.number(text), step > .zero else {
                throw ExpressionError("'\(text.excerpt)' is no step to round to")
            }
            (self.text, offset, self.step, least) = (text, .zero, step, 1)
        }

        /// Numbers that end in these digits: `900` means 38 900, and `0.99` means 38 900.99.
        package init(ending text: String) throws(ExpressionError) {
            let whole = text.prefix { $0 != "." }
            let places = whole.isEmpty || whole == "0" && whole.count < text.count ? 0 : whole.utf8.count
            guard let offset = FieldExpression.number(text), places <= ExactDecimal.maximumScale,
                let step = ExactDecimal(significand: 1, scale: -places)
            else { throw ExpressionError("'\(text.excerpt)' is no ending of a price") }
            (self.text, self.offset, self.step, least) = (text, offset, step, offset == .zero ? 1 : 0)
        }

        /// What costs nothing stays so.
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
    private let target: Target
    private let operation: Operation
    package var rounding: Rounding?

    private static let names = ["prices"] + ProductField.allCases.map(\.rawValue) + ["protected", "id"]

    /// Reads an assignment: `FIELD=VALUE`.
    package init(_ text: String) throws(ExpressionError) {
        guard let place = text.firstIndex(of: "=") else {
            throw ExpressionError("'\(text.excerpt)' is no assignment", help: "it is FIELD=VALUE, as in 'price=+10%'")
        }
        try self.init(field: text[..<place].trimmed, String(text[text.index(after: place)...]), text: text)
    }

    /// Reads the value of a field; `text` is what faults show.
    package init(field name: String, _ value: String, text: String? = nil) throws(ExpressionError) {
        self.text = text ?? "\(name)=\(value)"
        switch name {
        case "prices": target = .prices
        case "protected": target = .isProtected
        case "id": target = .id
        default:
            guard let field = ProductField(rawValue: name) else {
                if name == "discount" {
                    throw ExpressionError("'discount' cannot be set", help: "'sale_price' is what buyers pay")
                }
                throw ExpressionError.unknownField(name, Self.names)
            }
            target = .field(field)
        }
        operation = try Self.operation(value, of: target, in: self.text)
    }

    /// Replaces a text by another wherever a name or a description has it.
    package init(replacing old: String, with new: String, in name: String) throws(ExpressionError) {
        let fields: [ProductField] = [.name, .description]
        guard let field = fields.first(where: { $0.rawValue == name }) else {
            throw ExpressionError.unknownField(name, fields.map(\.rawValue))
        }
        guard !old.isEmpty else { throw ExpressionError("an empty text cannot be replaced") }
        text = "'\(old.excerpt)' replaced by '\(new.excerpt)'"
        target = .field(field)
        operation = .replacing(old, with: new)
    }

    private static func operation(
        _ text: String,
        of target: Target,
        in whole: String
    ) throws(ExpressionError) -> Operation {
        let value = text.trimmed
        if value == "none" {
            guard target != .prices else { throw ExpressionError("'\(whole.excerpt)': 'prices' cannot be none") }
            return .none
        }
        switch target {
        case .prices:
            switch try arithmetic(value, in: whole) {
            case .add(let amount, to: nil): return .add(amount, to: nil)
            case .multiply(let factor, of: nil): return .multiply(factor, of: nil)
            default: throw ExpressionError("'\(whole.excerpt)': 'prices' takes +N, -N, +N%, -N% or xN")
            }
        case .isProtected:
            guard value == "true" || value == "false" else {
                throw ExpressionError("'\(whole.excerpt)': 'protected' is 'true' or 'false'")
            }
            return .flag(value == "true")
        case .id: throw ExpressionError("'\(whole.excerpt)': 'id' can only be 'none'")
        case .field(let field):
            switch field.kind {
            case .text: return .text(try pieces(text))
            case .code: return .currency(try Currency.stated(value))
            case .images, .image: throw ExpressionError("'\(whole.excerpt)': '\(field.rawValue)' can only be 'none'")
            case .amount, .sale, .count:
                let operation = try arithmetic(value, in: whole)
                switch operation {
                case .add(_, to: let other?), .multiply(_, of: let other?):
                    guard (other.kind == .count) == (field.kind == .count) else {
                        throw ExpressionError("'\(whole.excerpt)': a stock is no amount of money")
                    }
                default: break
                }
                return operation
            }
        }
    }

    /// Reads `35000`, `+500`, `-10%`, `x1.1`, `price-20%`.
    private static func arithmetic(_ text: String, in whole: String) throws(ExpressionError) -> Operation {
        let fault = ExpressionError(
            "'\(whole.excerpt)': '\(text.excerpt)' is no number and no change of one",
            help: "write 35000, +500, -500, +10%, -20%, x1.1, price-20% or none"
        )
        if let number = number(text) { return .set(number) }
        if text.hasPrefix("x") {
            guard let factor = number(text.dropFirst()) else { throw fault }
            return .multiply(factor, of: nil)
        }
        guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else { throw fault }
        let name = text[..<sign].trimmed
        let fields: [ProductField] = [.price, .salePrice, .stock]
        let other = fields.first { $0.rawValue == name }
        if other == nil, !name.isEmpty { throw ExpressionError.unknownField(name, fields.map(\.rawValue)) }
        let digits = text[text.index(after: sign)...]
        let isShare = digits.hasSuffix("%")
        guard let amount = number(digits.dropLast(isShare ? 1 : 0)),
            let signed = text[sign] == "-" ? ExactDecimal.zero.subtracting(amount) : amount
        else { throw fault }
        guard isShare else { return .add(signed, to: other) }
        guard let share = ExactDecimal(significand: signed.significand, scale: Int(signed.scale) + 2),
            let factor = share.adding(1)
        else { throw fault }
        return .multiply(factor, of: other)
    }

    /// A number without a sign or an exponent.
    private static func number(_ text: some StringProtocol) -> ExactDecimal? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ? ExactDecimal(text) : nil
    }

    /// A text in which `{field}` stands for a value; other braces stand for themselves.
    private static func pieces(_ text: String) throws(ExpressionError) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: start)..<end])
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) }) else {
                pieces.append(.text(String(rest[...start])))
                rest = rest[rest.index(after: start)...]
                continue
            }
            pieces.append(.text(String(rest[..<start])))
            let fields = ProductField.allCases.filter { $0.kind != .images && $0.kind != .image }
            if name == "key" {
                pieces.append(.key)
            } else if let field = fields.first(where: { $0.rawValue == name }) {
                pieces.append(.field(field))
            } else {
                throw ExpressionError.unknownField(name, ["key"] + fields.map(\.rawValue))
            }
            rest = rest[rest.index(after: end)...]
        }
        return pieces + [.text(String(rest))]
    }

    // MARK: Evaluation

    /// Whether the result depends on the currency, apart from its digits.
    var needsOneCurrency: Bool {
        switch (target, operation) {
        case (.prices, .add), (.field(.price), .set), (.field(.price), .add), (.field(.salePrice), .set),
            (.field(.salePrice), .add):
            true
        case (.prices, .multiply), (.field(.price), .multiply), (.field(.salePrice), .multiply): rounding != nil
        default: false
        }
    }

    package var isOfID: Bool { target == .id }

    /// Whether prices move by a share while sales stay.
    var movesPriceAlone: Bool {
        if case .multiply = operation { target == .field(.price) } else { false }
    }

    /// The changes of a product, none if its values stay or are not said.
    func edits(of listing: Listing) throws(Refusal) -> [FieldEdit] {
        switch target {
        case .isProtected:
            let wanted = operation == .flag(true)
            guard listing.isProtected != wanted else { return [] }
            return [FieldEdit(.protected, operation == .none ? nil : .flag(wanted))]
        case .id: return listing.pinnedID == nil ? [] : [FieldEdit(.id, nil)]
        case .prices:
            var values = listing.values
            if let price = values.price { values.price = try calculated(price, .price, listing) }
            if let sale = values.sale?.salePrice {
                values.sale = Sale.at(try calculated(sale, .salePrice, listing), insteadOf: values.price)
            }
            return try changes(to: values, of: listing)
        case .field(let field):
            var values = listing.values
            if operation == .none {
                // Pictures are not known before they are read.
                let isKnown = field.kind != .images && field.kind != .image
                return isKnown && values[field] == nil ? [] : [FieldEdit(.value(field), nil)]
            }
            switch field.kind {
            case .text: values[field] = try text(of: field, listing).map(FieldValue.text)
            case .code: if case .currency(let currency) = operation { values.currency = currency }
            case .amount: values.price = try number(for: .price, values.price, listing)
            case .sale:
                let paid = try number(for: .salePrice, values.sale?.salePrice, listing)
                values.sale = paid.map { Sale.at($0, insteadOf: values.price) } ?? values.sale
            case .count:
                guard let stock = try number(for: .stock, values.stock.map { ExactDecimal($0) }, listing) else { break }
                guard let whole = stock.wholeValue else { throw Refusal(reason: "the stock \(stock) has a fraction") }
                values.stock = whole
            case .images, .image: break
            }
            return try changes(to: values, of: listing)
        }
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

    private func text(of field: ProductField, _ listing: Listing) throws(Refusal) -> String? {
        let own = field == .name ? listing.values.name : listing.values.description
        switch operation {
        case .replacing(let old, let new): return own?.replacing(old, with: new)
        case .text(let pieces):
            var text = ""
            for piece in pieces {
                switch piece {
                case .text(let part): text += part
                case .key: text += listing.key
                case .field(let other):
                    switch listing.values[other] {
                    case .text(let value): text += value
                    case .number(let value), .sale(.price(let value)): text += value.description
                    case .integer(let value): text += String(value)
                    case .sale(.fullPrice), .images, .image, nil:
                        throw Refusal(reason: "it has no '\(other.rawValue)'")
                    }
                }
            }
            return text
        default: return own
        }
    }

    /// The new number of a field; `nil` if it changes by its own value and has none.
    private func number(
        for field: ProductField,
        _ own: ExactDecimal?,
        _ listing: Listing
    ) throws(Refusal) -> ExactDecimal? {
        switch operation {
        case .add(_, to: let other?), .multiply(_, of: let other?):
            let value: ExactDecimal? =
                switch other {
                case .price: listing.values.price
                case .salePrice: listing.values.sale?.salePrice
                default: listing.values.stock.map { ExactDecimal($0) }
                }
            guard let value else { throw Refusal(reason: "it has no '\(other.rawValue)'") }
            return try calculated(value, field, listing)
        case .set: return try calculated(.zero, field, listing)
        default: return try own.map { own throws(Refusal) in try calculated(own, field, listing) }
        }
    }

    private func calculated(
        _ value: ExactDecimal,
        _ field: ProductField,
        _ listing: Listing
    ) throws(Refusal) -> ExactDecimal {
        let currency = listing.values.currency
        let digits = field == .stock ? 0 : currency?.fractionDigits ?? ExactDecimal.maximumScale
        var result: ExactDecimal?
        switch operation {
        case .set(let number): result = number
        case .add(let number, to: _): result = value.adding(number)
        case .multiply(let factor, of: _): result = value.multiplied(by: factor, digits: digits)
        default: result = value
        }
        if field != .stock { result = result.flatMap { number in rounding.map { $0.rounded(number) } ?? number } }
        guard let result else { throw Refusal(reason: "the \(field.rawValue) would be out of range") }
        guard !result.isNegative else { throw Refusal(reason: "the \(field.rawValue) would be \(result)") }
        if field != .stock, let fault = currency?.fault(of: result) {
            throw Refusal(reason: "the \(field.rawValue) \(result) \(fault)")
        }
        return result
    }
}
