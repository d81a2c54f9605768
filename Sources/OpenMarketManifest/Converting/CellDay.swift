/// A day in a table cell, as a shop or a spreadsheet writes it, perhaps with a time.
///
/// Spreadsheets use the format of their locale, so the order of day and month may be ambiguous.
struct CellDay {
    private var year: Int
    /// Month and day, possibly swapped if the cell is ambiguous.
    private var first: Int
    private var second: Int
    private var isOrderKnown: Bool

    /// `nil` if the text is not a recognized day, such as one with AM or PM, or with another offset than UTC.
    init?(_ text: String) {
        let utc = ["Z", "+00:00", "+0000"].first(where: text.hasSuffix) ?? ""
        let time = text.prefix(64).dropLast(utc.count)
        let digits = time.split { !Self.isDigit($0) }
        let signs = time.filter { !Self.isDigit($0) }
        let numbers = digits.compactMap { Int($0) }
        // The seventh number is a fraction of a second.
        guard (3...7).contains(digits.count), numbers.count == digits.count,
            signs.allSatisfy({ " T.-/:년월일年月日".contains($0) }), !signs.dropFirst(2).contains("-")
        else { return nil }
        if digits[0].count == 4 {
            (year, first, second) = (numbers[0], numbers[1], numbers[2])
            isOrderKnown = true
        } else if digits[2].count == 4 || digits[2].count == 2 {
            (year, first, second) = (numbers[2] + (digits[2].count == 2 ? 2000 : 0), numbers[0], numbers[1])
            // If points separate them, the day comes first.
            isOrderKnown = digits[2].count == 4 && signs.first == "."
            if isOrderKnown { swap(&first, &second) }
        } else {
            return nil
        }
        guard min(first, second) >= 1, max(first, second) <= 31, isOrderKnown ? first <= 12 : min(first, second) <= 12
        else { return nil }
    }

    /// The first and the last possible day, as numbers such as 20261127.
    var days: ClosedRange<Int> {
        func day(_ month: Int, _ day: Int) -> Int? { month > 12 ? nil : year * 10_000 + month * 100 + day }
        let days = [day(first, second), isOrderKnown ? nil : day(second, first)].compactMap(\.self)
        return (days.min() ?? 0)...(days.max() ?? 0)
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
