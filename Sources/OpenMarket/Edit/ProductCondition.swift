/// A condition over products: `price>1000`, `key=lamp-*`, `name~lamp`, `sale_price=none`.
///
/// A field that is not set fits only `none`, and so do all fields of a tombstone.
package struct ProductCondition: Sendable {
    private enum Subject: Hashable, Sendable {
        case key
        case file
        case field(FieldEdit.Field)
    }

    private typealias Comparison = (sign: String, ofNumbers: (@Sendable (ExactDecimal, ExactDecimal) -> Bool)?)

    // Longer ones first, because one begins like another.
    private static let comparisons: [Comparison] = [
        ("!=", { $0 != $1 }), ("<=", { $0 <= $1 }), (">=", { $0 >= $1 }), ("!~", nil),
        ("=", { $0 == $1 }), ("<", { $0 < $1 }), (">", { $0 > $1 }), ("~", nil),
    ]

    /// As written.
    package let text: String
    private let subject: Subject
    private let isNegated: Bool
    /// The price that is compared with a number, which means another amount in each currency.
    fileprivate var comparedAmount: ProductField?
    /// Whether a text or a number fits; `nil` compares with `none`.
    private var fits: (@Sendable (String, ExactDecimal) -> Bool)?

    package init(_ text: String) throws(ExpressionError) {
        self.text = text
        guard let place = text.firstIndex(where: { "=!<>~".contains($0) }),
            let (sign, ofNumbers) = Self.comparisons.first(where: { text[place...].hasPrefix($0.sign) })
        else {
            throw ExpressionError(
                "'\(text.excerpt)' is not a condition",
                help: "it is FIELD, one of = != < <= > >= ~ !~, and a value: 'price>=1000'"
            )
        }
        func fault(_ reason: String) -> ExpressionError { ExpressionError("'\(text.excerpt)'\(reason)") }
        let (isNegated, isEquality) = (sign.hasPrefix("!"), sign == "=" || sign == "!=")
        self.isNegated = isNegated
        switch text[..<place].trimmed {
        case "key": subject = .key
        case "file": subject = .file
        case let name:
            let fields = [.protected, .id] + FieldEdit.Field.scalars
            subject = .field(try ExpressionError.field(name, of: fields, beside: ["key", "file"]))
        }
        let value = text[place...].dropFirst(sign.count).trimmed
        let isFlag = subject == .field(.protected)
        let isNumber = FieldEdit.Field.numbers.contains { subject == .field($0) }
        guard isEquality || !isFlag && isNumber == (ofNumbers != nil) else {
            throw fault(": '\(sign)' does not compare this field")
        }
        if value == "none", subject != .key, subject != .file, !isFlag {
            guard isEquality else { throw fault(": 'none' is compared by '=' or '!='") }
        } else if isNumber {
            guard let number = ExactDecimal(value), let ofNumbers else {
                throw fault(": '\(value.excerpt)' is not a number")
            }
            if case .field(.value(let field)) = subject, field != .stock { comparedAmount = field }
            fits = { ofNumbers($1, number) }
        } else if !isEquality {
            // Every text holds an empty one.
            guard !value.isEmpty else { throw fault(" lacks a value") }
            let part = value.lowercased()
            fits = { text, _ in text.lowercased().contains(part) != isNegated }
        } else if subject == .key || subject == .file {
            let glob = Glob(value)
            fits = { text, _ in glob.matches(text) != isNegated }
        } else {
            let isCurrency = subject == .field(.value(.currency))
            let wanted = try isCurrency ? Currency.stated(value).rawValue : value
            if isFlag { _ = try ExpressionError.flag(value, in: text) }
            fits = { text, _ in (text == wanted) != isNegated }
        }
    }

    func holds(for listing: Listing) -> Bool {
        var text: String?
        var number: ExactDecimal?
        switch subject {
        case .key: text = listing.key
        case .file: text = listing.file
        case .field(.id): text = listing.pinnedID?.description
        case .field(.protected): text = String(listing.isProtected)
        case .field(.value(let field)):
            guard !listing.isAbsent else { return false }
            number = listing.values[field]?.amount
            if case .text(let own)? = listing.values[field] { text = own }
        }
        guard text != nil || number != nil else { return fits == nil && !isNegated }
        return fits?(text ?? "", number ?? .zero) ?? isNegated
    }
}

extension [ProductCondition] {
    /// The listings that fit all conditions, of those at `indices`.
    ///
    /// Throws if prices of several currencies would be compared with one number: other conditions count first.
    package func matches(
        in listings: some Collection<(index: Int, listing: Listing)>
    ) throws(ExpressionError) -> [(index: Int, listing: Listing)] {
        var found = listings.filter { place in
            allSatisfy { $0.comparedAmount != nil || $0.holds(for: place.listing) }
        }
        for condition in self {
            guard let field = condition.comparedAmount else { continue }
            let compared = found.filter { $0.listing.values[field] != nil }
            try ExpressionError.checkOneCurrency(
                "'\(condition.text.excerpt)'",
                Set(compared.map(\.listing.values.currency))
            )
        }
        found.removeAll { place in contains { $0.comparedAmount != nil && !$0.holds(for: place.listing) } }
        return found
    }
}

extension KeyFilter {
    /// A filter for the products that this one takes and that fit all conditions; throws if there are none.
    package func narrowed(
        by conditions: [ProductCondition],
        in listings: Listings
    ) throws(ExpressionError) -> KeyFilter {
        guard !conditions.isEmpty else { return self }
        let candidates = listings.indices.lazy.filter { takes(listings.key(at: $0)) }
        let found = try conditions.matches(in: candidates.map { (index: $0, listing: listings[$0]) })
        guard !found.isEmpty else {
            throw ExpressionError("no product fits '\(conditions.map(\.text).joined(separator: "' and '").excerpt)'")
        }
        return KeyFilter(keys: Set(found.map(\.listing.key)), exclusions: exclusions.patterns)
    }
}

extension Currency {
    /// Reads a code of ISO 4217.
    static func stated(_ text: String) throws(ExpressionError) -> Currency {
        if let currency = Currency(standardCode: text) { return currency }
        throw ExpressionError(
            "'\(text.excerpt)' is not a code of ISO 4217",
            help: Suggestion.nearest(to: text, in: standardCodes).map { "did you mean '\($0)'?" }
        )
    }
}
