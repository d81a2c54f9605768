/// A condition over products: `price>1000`, `key=lamp-*`, `name~lamp`, `sale_price=none`.
///
/// A field that is not set fits only `none`, and so do all fields of a tombstone.
package struct ProductCondition: Hashable, Sendable {
    private enum Subject: Hashable, Sendable {
        case key
        case file
        case field(FieldEdit.Field)

        var isNumber: Bool {
            if case .field(let field) = self { FieldEdit.Field.numbers.contains(field) } else { false }
        }
    }

    private enum Comparison: String, CaseIterable {
        // Longer ones first, because one begins like another.
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case lacks = "!~"
        case equal = "="
        case less = "<"
        case more = ">"
        case contains = "~"

        var comparesOrder: Bool {
            switch self {
            case .atMost, .atLeast, .less, .more: true
            case .notEqual, .lacks, .equal, .contains: false
            }
        }

        var comparesParts: Bool { self == .contains || self == .lacks }

        var isNegated: Bool { self == .notEqual || self == .lacks }
    }

    private enum Value: Hashable, Sendable {
        case none
        case number(ExactDecimal)
        case text(String)
        case glob(Glob)
        /// In lower case.
        case part(String)
    }

    /// As written.
    package let text: String
    private let subject: Subject
    private let comparison: Comparison
    private let value: Value

    package init(_ text: String) throws(ExpressionError) {
        self.text = text
        guard let place = text.firstIndex(where: { "=!<>~".contains($0) }),
            let comparison = Comparison.allCases.first(where: { text[place...].hasPrefix($0.rawValue) })
        else {
            throw ExpressionError(
                "'\(text.excerpt)' is not a condition",
                help: "it is FIELD, one of = != < <= > >= ~ !~, and a value: 'price>=1000'"
            )
        }
        self.comparison = comparison
        switch text[..<place].trimmed {
        case "key": subject = .key
        case "file": subject = .file
        case let name:
            let fields = [.protected, .id] + FieldEdit.Field.scalars
            subject = .field(try ExpressionError.field(name, of: fields, beside: ["key", "file"]))
        }
        let written = text[place...].dropFirst(comparison.rawValue.count).trimmed
        value = try Self.value(written, of: subject, comparison, in: text)
    }

    private static func value(
        _ text: String,
        of subject: Subject,
        _ comparison: Comparison,
        in whole: String
    ) throws(ExpressionError) -> Value {
        let isFlag = subject == .field(.protected)
        if comparison.comparesOrder ? !subject.isNumber : comparison.comparesParts && (subject.isNumber || isFlag) {
            throw ExpressionError("'\(whole.excerpt)': '\(comparison.rawValue)' does not compare this field")
        }
        if text == "none", subject != .key, subject != .file, !isFlag {
            guard comparison == .equal || comparison == .notEqual else {
                throw ExpressionError("'\(whole.excerpt)': 'none' is compared by '=' or '!='")
            }
            return .none
        }
        if subject.isNumber {
            guard let number = ExactDecimal(text) else {
                throw ExpressionError("'\(whole.excerpt)': '\(text.excerpt)' is not a number")
            }
            return .number(number)
        }
        if comparison.comparesParts {
            // Every text holds an empty one.
            guard !text.isEmpty else { throw ExpressionError("'\(whole.excerpt)' lacks a value") }
            return .part(text.lowercased())
        }
        switch subject {
        case .key, .file: return .glob(Glob(text))
        case .field(.protected): return .text(String(try ExpressionError.flag(text, in: whole)))
        case .field(.value(.currency)): return .text(try Currency.stated(text).rawValue)
        default: return .text(text)
        }
    }

    /// Whether it compares a price with a number, which means another amount in each currency.
    fileprivate var comparedAmount: ProductField? {
        guard case .number = value, case .field(.value(let field)) = subject, field != .stock else { return nil }
        return field
    }

    func holds(for listing: Listing) -> Bool {
        switch subject {
        case .key: return fits(listing.key)
        case .file: return fits(listing.file)
        case .field(.id): return listing.pinnedID.map { fits($0.description) } ?? fitsNothing
        case .field(.protected): return fits(String(listing.isProtected))
        case .field(.value(let field)):
            guard !listing.isAbsent else { return false }
            if case .text(let text)? = listing.values[field] { return fits(text) }
            return listing.values[field]?.amount.map(fits) ?? fitsNothing
        }
    }

    /// Whether the condition fits a field that is not set.
    private var fitsNothing: Bool { value == .none && comparison == .equal }

    private func fits(_ text: String) -> Bool {
        switch value {
        case .text(let wanted): (text == wanted) != comparison.isNegated
        case .glob(let glob): glob.matches(text) != comparison.isNegated
        case .part(let part): text.lowercased().contains(part) != comparison.isNegated
        case .none, .number: comparison == .notEqual
        }
    }

    private func fits(_ number: ExactDecimal) -> Bool {
        guard case .number(let wanted) = value else { return comparison == .notEqual }
        return switch comparison {
        case .equal: number == wanted
        case .notEqual: number != wanted
        case .less: number < wanted
        case .atMost: number <= wanted
        case .more: number > wanted
        case .atLeast: number >= wanted
        case .contains, .lacks: false
        }
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
        return KeyFilter(keys: Set(found.map(\.listing.key)), exclusions: exclusions)
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
