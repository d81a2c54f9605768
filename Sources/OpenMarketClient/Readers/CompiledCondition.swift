import OpenMarket
import OpenMarketDescription

/// A value that a description gives, with its parameters filled in.
enum FilledLiteral: Sendable {
    /// A text, and whether a parameter filled it.
    case text(String, isFilled: Bool)
    case number(ExactDecimal)
    /// A number in whichever spelling, of a place that holds numbers.
    case amount(ExactDecimal)
    case boolean(Bool)
    case null

    /// The value; `nil` where something has to be filled that no parameter is.
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

    /// The same at a place that holds numbers, where a number counts however it is written: `0`, `"0.00"`.
    var asAmount: FilledLiteral {
        switch self {
        case .text(let text, _): ExactDecimal(text).map { .amount($0) } ?? self
        case .number(let number): .amount(number)
        case .amount, .boolean, .null: self
        }
    }

    /// Whether a value of a document is this.
    ///
    /// What a parameter filled is also a number that is written so, because parameters are texts.
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
    /// What a manifest filled in; `nil` for anything else that a template names.
    func value(of placeholder: Placeholder) -> String? {
        if case .parameter(let name) = placeholder { self[name] } else { nil }
    }
}

/// A condition of a description on a value that is held.
struct CompiledCondition: Sendable {
    /// What is asked.
    enum Test: Sendable {
        case equals(FilledLiteral)
        case differs(FilledLiteral)
        case isOneOf([FilledLiteral])
        case isPresent(Bool)
        /// It compares with what no parameter says: nothing is like it.
        case never
    }

    /// Where the value is held.
    var slot: Int
    /// What is asked of it.
    var test: Test

    init(slot: Int, test: Test) {
        self.slot = slot
        self.test = test
    }

    /// A condition at a place of a tree.
    init(_ condition: MarketDescription.Condition, _ parameters: [String: String], _ slot: Int) {
        self.slot = slot
        test = Test(condition, parameters)
    }

    /// Whether it holds.
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

    /// Whether it holds of a value.
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
    /// The names of its steps, parameters filled in; an empty one, which no member has, where one is missing.
    func names(_ parameters: [String: String]) -> [String] {
        tokens.map { token in
            switch token {
            case .member(let name): name
            case .parameter(let name): parameters[name] ?? ""
            }
        }
    }
}
