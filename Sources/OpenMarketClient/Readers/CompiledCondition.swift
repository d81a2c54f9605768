import OpenMarket
import OpenMarketDescription

extension FilledLiteral {
    /// Whether a value of a document equals this one.
    ///
    /// A text from a parameter also matches a number with that spelling, because parameters are texts.
    func matches(_ value: ScalarSlot) -> Bool {
        switch self {
        case .text(let text, let isFilled):
            return (isFilled ? value.isScalar : value.kind == .text)
                && value.text.withUTF8Span { $0.isExactly(text) }
        case .number(let number): return value.kind == .number && value.number == number
        case .amount(let number): return LenientValue.decimal(value) == number
        case .boolean(let truth):
            return value.kind == .truth && value.text.withUTF8Span { $0.count == (truth ? 4 : 5) }
        case .null: return value.kind == .null
        }
    }
}

struct CompiledCondition: Sendable {
    enum Test: Sendable {
        case equals(FilledLiteral)
        case differs(FilledLiteral)
        case isOneOf([FilledLiteral])
        case isPresent(Bool)
        /// The condition depends on a parameter without a value, so no row matches.
        case never
    }

    var slot: Int
    var test: Test
}

extension CompiledCondition {
    init(_ condition: MarketDescription.Condition, _ parameters: [String: String], _ slot: Int) {
        self.slot = slot
        test = Test(condition, parameters)
    }

    func holds(_ values: borrowing MemberValues) -> Bool { test.holds(values[slot]) }
}

extension CompiledCondition.Test {
    init(_ condition: MarketDescription.Condition, _ parameters: [String: String]) {
        switch condition.test {
        case .equals(let literal)?: self = FilledLiteral(literal, parameters).map { .equals($0) } ?? .never
        case .differs(let literal)?: self = FilledLiteral(literal, parameters).map { .differs($0) } ?? .never
        case .isOneOf(let literals)?: self = .isOneOf(literals.compactMap { FilledLiteral($0, parameters) })
        case .isPresent(let isPresent)?: self = .isPresent(isPresent)
        case nil: self = .isPresent(true)
        }
    }

    func holds(_ value: ScalarSlot) -> Bool { holds(isPresent: value.isPresent) { $0.matches(value) } }

    /// Whether the condition is true for a completely read value.
    func holds(_ value: JSONValue?) -> Bool {
        holds(isPresent: value.map { !$0.isNull } ?? false) { literal in value.map { literal.matches($0) } ?? false }
    }

    private func holds(isPresent: Bool, _ matches: (FilledLiteral) -> Bool) -> Bool {
        switch self {
        case .equals(let literal): matches(literal)
        case .differs(let literal): !matches(literal)
        case .isOneOf(let literals): literals.contains(where: matches)
        case .isPresent(let wanted): isPresent == wanted
        case .never: false
        }
    }
}
