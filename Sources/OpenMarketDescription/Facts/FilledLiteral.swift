package import OpenMarket

/// A value in a description, with its parameters filled in.
package enum FilledLiteral: Sendable {
    /// A text, and whether it comes from a parameter.
    case text(String, isFilled: Bool)
    case number(ExactDecimal)
    /// A number in any spelling, at a position for numbers.
    case amount(ExactDecimal)
    case boolean(Bool)
    case null

    /// The value; `nil` if it needs a value other than a parameter.
    package init?(_ literal: Literal, _ parameters: [String: String]) {
        switch literal {
        case .text(let template):
            guard let text = template.filled(for: .verbatim, parameters.value(of:)) else { return nil }
            self = .text(text, isFilled: !template.placeholders.isEmpty)
        case .number(let number): self = .number(number)
        case .boolean(let truth): self = .boolean(truth)
        case .null: self = .null
        }
    }

    /// The same at a position for numbers, so that every spelling of a number matches: `0`, `"0.00"`.
    package var asAmount: FilledLiteral {
        switch self {
        case .text(let text, _): ExactDecimal(text).map { .amount($0) } ?? self
        case .number(let number): .amount(number)
        case .amount, .boolean, .null: self
        }
    }

    /// Whether a value of a document equals this one.
    ///
    /// A text from a parameter also matches a number with that spelling, because parameters are texts.
    package func matches(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.text(let text, _), .string(let other)): other.isExactly(text)
        case (.text(let text, isFilled: true), .number), (.text(let text, isFilled: true), .unrepresentableNumber),
            (.text(let text, isFilled: true), .bool):
            String(decoding: value.bytes(), as: UTF8.self).isExactly(text)
        case (.number(let number), _): value.decimal == number
        case (.amount(let number), _): (value.decimal ?? value.text.flatMap { ExactDecimal($0.trimmed) }) == number
        case (.boolean(let truth), _): value.truth == truth
        case (.null, _): value.isNull
        case (.text, _): false
        }
    }
}

extension [String: String] {
    /// The value of a manifest's parameter; `nil` for other placeholders.
    package func value(of placeholder: Placeholder) -> String? {
        if case .parameter(let name) = placeholder { self[name] } else { nil }
    }
}

extension JSONPointer {
    /// The names of the steps, with parameters filled in; a missing parameter gives an empty name, which no member has.
    package func names(_ parameters: [String: String]) -> [String] {
        tokens.map { token in
            switch token {
            case .member(let name): name
            case .parameter(let name): parameters[name] ?? ""
            }
        }
    }

    /// The value at this position of a document; `nil` if there is none.
    ///
    /// Members in the description's spelling come first; with `isLoose`, names also match regardless of case and
    /// underscores.
    package func value(in document: JSONValue, _ parameters: [String: String], isLoose: Bool) -> JSONValue? {
        var value = document
        for name in names(parameters) {
            switch value {
            case .object(let members):
                let other = isLoose ? members.last { MemberNames.areAlike(name, $0.name) }?.value : nil
                guard let member = value[name] ?? other else { return nil }
                value = member
            case .array(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }
}
