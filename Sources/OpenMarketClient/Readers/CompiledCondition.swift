import OpenMarket
import OpenMarketDescription

/// A value in a description, with its parameters filled in.
enum FilledLiteral: Sendable {
    /// A text, and whether it comes from a parameter.
    case text(String, isFilled: Bool)
    case number(ExactDecimal)
    /// A number in any spelling, at a position that holds numbers.
    case amount(ExactDecimal)
    case boolean(Bool)
    case null

    /// The value; `nil` if it needs something that is not a parameter.
    init?(_ literal: Literal, _ parameters: [String: String]) {
        switch literal {
        case .text(let template):
            guard let text = template.filled(for: .verbatim, parameters.value(of:)) else { return nil }
            self = .text(text, isFilled: !template.placeholders.isEmpty)
        case .number(let number): self = .number(number)
        case .boolean(let truth): self = .boolean(truth)
        case .null: self = .null
        }
    }

    /// The same at a position that holds numbers, so that every spelling of a number matches: `0`, `"0.00"`.
    var asAmount: FilledLiteral {
        switch self {
        case .text(let text, _): ExactDecimal(text).map { .amount($0) } ?? self
        case .number(let number): .amount(number)
        case .amount, .boolean, .null: self
        }
    }

    /// Whether a value of a document equals this one.
    ///
    /// A text from a parameter also matches a number with that spelling, because parameters are texts.
    func matches(_ value: HeldValue) -> Bool {
        switch self {
        case .text(let text, let isFilled):
            return (isFilled ? value.isScalar : value.kind == .text)
                && value.text.withUTF8Span { $0.isExactly(text) }
        case .number(let number): return value.kind == .number && value.number == number
        case .amount(let number): return ValueNotes.decimal(value) == number
        case .boolean(let truth):
            return value.kind == .truth && value.text.withUTF8Span { $0.count == (truth ? 4 : 5) }
        case .null: return value.kind == .null
        }
    }
}

extension [String: String] {
    /// The value of a manifest's parameter; `nil` for any other placeholder of a template.
    func value(of placeholder: Placeholder) -> String? {
        if case .parameter(let name) = placeholder { self[name] } else { nil }
    }
}

struct CompiledCondition: Sendable {
    enum Test: Sendable {
        case equals(FilledLiteral)
        case differs(FilledLiteral)
        case isOneOf([FilledLiteral])
        case isPresent(Bool)
        /// It compares with a parameter that is not set, so nothing matches.
        case never
    }

    var slot: Int
    var test: Test

    init(slot: Int, test: Test) {
        self.slot = slot
        self.test = test
    }

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

    func holds(_ value: HeldValue) -> Bool {
        switch self {
        case .equals(let literal): literal.matches(value)
        case .differs(let literal): !literal.matches(value)
        case .isOneOf(let literals): literals.contains { $0.matches(value) }
        case .isPresent(let isPresent): value.isPresent == isPresent
        case .never: false
        }
    }
}

extension JSONPointer {
    /// The names of the steps, with parameters filled in; a missing parameter gives an empty name, which no member has.
    func names(_ parameters: [String: String]) -> [String] {
        tokens.map { token in
            switch token {
            case .member(let name): name
            case .parameter(let name): parameters[name] ?? ""
            }
        }
    }
}
