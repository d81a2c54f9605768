@testable import OpenMarket
@testable import OpenMarketClient

/// Values as the markets send them: the wrong kind or `null` is a note and `nil`, and reading goes on.
extension JSONReader {
    /// A text.
    ///
    /// A number or truth value is taken as it is written.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func text(orNote name: String, _ faults: inout [String]) throws(JSONError) -> JSONText? {
        switch try peek() {
        case .string:
            do {
                return try readText()
            } catch  where error.kind == .invalidString {
                faults.append("\(name) is not UTF-8 text")
                return nil
            }
        case .number, .bool: return try readSpelling()
        case .null:
            try readNull()
            faults.append("\(name) is null")
            return nil
        case .object, .array:
            try skipValue()
            faults.append("\(name) is not a text")
            return nil
        }
    }

    /// A number, also one that is written as a string.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func decimal(orNote name: String, _ faults: inout [String]) throws(JSONError) -> ExactDecimal? {
        switch try peek() {
        case .number:
            guard let number = try readDecimal() else {
                faults.append("\(name) is too long a number")
                return nil
            }
            return number
        case .string:
            let text = try text(orNote: name, &faults)
            guard let text else { return nil }
            guard let number = ExactDecimal(text.string.trimmed) else {
                faults.append("\(name) is not a number")
                return nil
            }
            return number
        case .null:
            try readNull()
            faults.append("\(name) is null")
            return nil
        case .bool, .object, .array:
            try skipValue()
            faults.append("\(name) is not a number")
            return nil
        }
    }

    /// A whole number of 64 bits.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func whole(orNote name: String, _ faults: inout [String]) throws(JSONError) -> Int64? {
        guard let number = try decimal(orNote: name, &faults) else { return nil }
        guard let whole = number.wholeValue else {
            faults.append("\(name) is not a whole number: \(number)")
            return nil
        }
        return whole
    }

    /// An id of the market's.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func id(
        of kind: MarketID.Kind,
        orNote name: String,
        _ faults: inout [String]
    ) throws(JSONError) -> MarketID? {
        switch kind {
        case .number: return try whole(orNote: name, &faults).map(MarketID.number)
        case .text:
            let isText = try peek() == .string
            guard let text = try text(orNote: name, &faults)?.string else { return nil }
            guard isText else {
                faults.append("\(name) is not a text: \(text)")
                return nil
            }
            if let fault = MarketID.fault(ofText: text) {
                faults.append("\(name) \(fault)")
                return nil
            }
            return .text(text)
        }
    }

    /// An array of texts; a single one counts as an array.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func texts(orNote name: String, _ faults: inout [String]) throws(JSONError) -> [JSONText]? {
        guard try peek() == .array else { return try text(orNote: name, &faults).map { [$0] } }
        var texts: [JSONText] = []
        try beginArray()
        while try nextElement() {
            if let text = try text(orNote: name, &faults) { texts.append(text) }
        }
        return texts
    }

    /// A date: text or number as it is written; anything else is as good as missing.
    ///
    /// - Throws: ``JSONError`` when the text of the document itself is broken.
    mutating func spelling() throws(JSONError) -> JSONText? {
        var ignored: [String] = []
        return try text(orNote: "", &ignored)
    }
}
