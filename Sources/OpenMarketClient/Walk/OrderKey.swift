import OpenMarket

/// Compares the values that order rows: as numbers if both are numbers, else by their bytes.
///
/// Dates are not parsed: dates in different spellings cannot be compared, so no order is recognized in them.
enum OrderKey {
    enum Relation {
        case less, same, greater
    }

    /// `nil` if the values cannot be compared.
    static func relation(_ one: String, _ other: String) -> Relation? {
        // In a list sorted by day, most neighbors have the same day.
        if one == other { return .same }
        switch (startsLikeNumber(one), startsLikeNumber(other)) {
        case (true, true):
            if let one = Int64(one), let other = Int64(other) { return relation(one, other) }
            if let one = Double(one), let other = Double(other), one.isFinite, other.isFinite {
                return relation(one, other)
            }
            guard Double(one) == nil, Double(other) == nil else { return nil }
        case (false, false): break
        default: return nil
        }
        guard !isDate(one) && !isDate(other) || isSpelled(one, like: other) else { return nil }
        return relation(bytesOf: one, other)
    }

    /// Compares numbers by value and texts by their bytes; `nil` for one of each.
    static func relation(_ one: MarketID, _ other: MarketID) -> Relation? {
        switch (one, other) {
        case (.number(let one), .number(let other)): relation(one, other)
        case (.text(let one), .text(let other)): relation(bytesOf: one, other)
        case (.number, .text), (.text, .number): nil
        }
    }

    private static func relation<Value: Comparable>(_ one: Value, _ other: Value) -> Relation {
        one < other ? .less : one == other ? .same : .greater
    }

    private static func relation(bytesOf one: String, _ other: String) -> Relation {
        if one.utf8.lexicographicallyPrecedes(other.utf8) { return .less }
        return other.utf8.lexicographicallyPrecedes(one.utf8) ? .greater : .same
    }

    private static func startsLikeNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        return isDigit(first) || first == UInt8(ascii: "-")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Whether the text begins with a year, a month and a day.
    private static func isDate(_ text: String) -> Bool {
        let start = text.utf8.prefix(10)
        return start.count == 10
            && zip(start, "0000-00-00".utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }

    /// Whether two texts have digits at the same positions, and are otherwise equal.
    private static func isSpelled(_ one: String, like other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { $0 == $1 || isDigit($0) && isDigit($1) }
    }
}
