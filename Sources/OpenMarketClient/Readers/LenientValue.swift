import OpenMarket
import OpenMarketDescription

/// Reads values in the markets' spellings: a wrong kind adds a fault and gives `nil`, and reading continues.
enum LenientValue {
    /// A text; a number or Boolean is read in its spelling.
    static func text(_ shown: FieldReader.Shown, _ name: String, _ faults: inout [String]) -> JSONText? {
        guard let value = value(shown, name, &faults) else { return nil }
        switch value.kind {
        case .text, .number, .truth: return value.text
        case .absent: return nil
        case .null: faults.append("\(name) is null")
        case .brokenText: faults.append("\(name) is not UTF-8 text")
        case .object, .array: faults.append("\(name) is not a text")
        }
        return nil
    }

    /// A number, even if it is written as a text.
    static func decimal(_ shown: FieldReader.Shown, _ name: String, _ faults: inout [String]) -> ExactDecimal? {
        guard let value = value(shown, name, &faults) else { return nil }
        switch value.kind {
        case .number:
            if value.number == nil { faults.append("\(name) is too long a number") }
            return value.number
        case .text:
            if let number = decimal(value) { return number }
            faults.append("\(name) is not a number")
        case .absent: break
        case .null: faults.append("\(name) is null")
        case .brokenText: faults.append("\(name) is not UTF-8 text")
        case .truth, .object, .array: faults.append("\(name) is not a number")
        }
        return nil
    }

    /// A number, even if it is written as a text; `nil` for anything else.
    static func decimal(_ value: ScalarSlot) -> ExactDecimal? {
        guard value.kind == .text else { return value.kind == .number ? value.number : nil }
        return value.text.withUTF8Span({ ExactDecimal(ascii: $0) }) ?? ExactDecimal(value.text.string.trimmed)
    }

    static func whole(_ shown: FieldReader.Shown, _ name: String, _ faults: inout [String]) -> Int64? {
        guard let number = decimal(shown, name, &faults) else { return nil }
        if number.wholeValue == nil { faults.append("\(name) is not a whole number: \(number)") }
        return number.wholeValue
    }

    static func id(
        _ value: ScalarSlot,
        _ kind: MarketDescription.Identity.ID.Kind,
        _ name: String,
        _ faults: inout [String]
    ) -> MarketID? {
        if kind == .integer {
            // The market uses one spelling of a number: another text is another id, or none.
            if value.kind == .text, Int64(canonical: value.text.string) == nil {
                faults.append("\(name) is not a whole number: '\(value.text.string.excerpt)'")
                return nil
            }
            return whole(.value(value), name, &faults).map { MarketID($0) }
        }
        guard let text = text(.value(value), name, &faults)?.string else { return nil }
        let fault = value.kind == .text ? MarketID.fault(ofText: text) : "is not a text: \(text)"
        if let fault { faults.append("\(name) \(fault)") }
        return fault == nil ? .text(text) : nil
    }

    /// An id of a picture, whose kind may differ from that of the market's product ids.
    static func pictureID(
        _ value: ScalarSlot,
        _ kind: MarketDescription.Identity.ID.Kind,
        _ name: String,
        _ faults: inout [String]
    ) -> MarketID? {
        if value.kind == .number { return id(value, .integer, name, &faults) }
        if kind == .integer, value.kind == .text, let number = ExactDecimal(value.text.string.trimmed)?.wholeValue {
            return MarketID(number)
        }
        return id(value, .text, name, &faults)
    }

    /// A date: a text or number in its spelling.
    static func spelling(_ shown: FieldReader.Shown, _ name: String, _ faults: inout [String]) -> JSONText? {
        guard case .value(let value) = shown else { return nil }
        guard value.isScalar else {
            faults.append("\(name) is neither a text nor a number")
            return nil
        }
        return value.text
    }

    private static func value(
        _ shown: FieldReader.Shown,
        _ name: String,
        _ faults: inout [String]
    ) -> ScalarSlot? {
        switch shown {
        case .missing, .unset: return nil
        case .null: faults.append("\(name) is null")
        case .ambiguous: faults.append("\(name) appears twice")
        case .value(let value): return value
        }
        return nil
    }
}
