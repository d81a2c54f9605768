/// A time in a table cell, as the market or a spreadsheet writes it.
///
/// Spreadsheets use the format of their locale and omit seconds. So a cell may lack parts, and the order of day and
/// month may be ambiguous. Only known parts are compared.
package struct CellTime: Hashable, Sendable {
    private var year: Int16
    /// Month and day, possibly swapped if the cell is ambiguous.
    private var first: Int8
    private var second: Int8
    private var isOrderKnown: Bool
    /// -1 if unknown.
    private var hour: Int8 = -1
    private var minute: Int8 = -1
    private var seconds: Int8 = -1

    /// `nil` if the text is not a recognized time, such as one with AM or PM, or with another offset than UTC.
    package init?(_ text: String) {
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
            (year, first, second) = (Int16(clamping: numbers[0]), Self.small(numbers[1]), Self.small(numbers[2]))
            isOrderKnown = true
        } else if digits[2].count == 4 || digits[2].count == 2 {
            let full = numbers[2] + (digits[2].count == 2 ? 2000 : 0)
            (year, first, second) = (Int16(clamping: full), Self.small(numbers[0]), Self.small(numbers[1]))
            // If points separate them, the day comes first.
            isOrderKnown = digits[2].count == 4 && signs.first == "."
            if isOrderKnown { swap(&first, &second) }
        } else {
            return nil
        }
        guard min(first, second) >= 1, max(first, second) <= 31, isOrderKnown ? first <= 12 : min(first, second) <= 12
        else { return nil }
        guard numbers.count > 3 else { return }
        guard numbers[3] < 24, numbers[4...].prefix(2).allSatisfy({ $0 <= 60 }) else { return nil }
        hour = Self.small(numbers[3])
        if numbers.count > 4 { minute = Self.small(numbers[4]) }
        if numbers.count > 5 { seconds = Self.small(numbers[5]) }
    }

    /// The first and the last possible day, as numbers such as 20261127.
    package var days: ClosedRange<Int> {
        func day(_ month: Int8, _ day: Int8) -> Int? {
            month > 12 ? nil : Int(year) * 10_000 + Int(month) * 100 + Int(day)
        }
        let days = [day(first, second), isOrderKnown ? nil : day(second, first)].compactMap(\.self)
        return (days.min() ?? 0)...(days.max() ?? 0)
    }

    /// Whether both can be the same time, by the parts that both have.
    func mayBe(_ other: CellTime) -> Bool {
        let isSameDay =
            first == other.first && second == other.second
            || !(isOrderKnown && other.isOrderKnown) && first == other.second && second == other.first
        func agree(_ one: Int8, _ other: Int8) -> Bool { one < 0 || other < 0 || one == other }
        return year == other.year && isSameDay && agree(hour, other.hour) && agree(minute, other.minute)
            && agree(seconds, other.seconds)
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

    private static func small(_ value: Int) -> Int8 { Int8(clamping: value) }
}
