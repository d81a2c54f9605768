/// A time in a table cell: as the market writes it, or as a spreadsheet rewrites it.
///
/// Spreadsheets use the format of their locale and omit seconds, so a cell has only some of the parts, and the order of
/// day and month may be ambiguous. Only the known parts are compared.
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

    /// `nil` if the text is not a recognized time.
    package init?(_ text: String) {
        var pieces = Self.pieces(of: text)
        // UTC written out; the offset of another zone is unknown.
        if let sign = pieces.dropFirst(9).lastIndex(where: { $0 == "+" || $0 == "-" }) {
            guard pieces[(sign + 1)...].allSatisfy({ $0 == ":" || $0 == "00" || $0 == "0000" }) else { return nil }
            pieces.removeSubrange(sign...)
        }
        var numbers: [Int] = []
        var digits: [Int] = []
        var shift: Int?
        for piece in pieces {
            if let value = Int(piece), value >= 0, piece.first != "+" {
                numbers.append(value)
                digits.append(piece.count)
            } else if piece.first?.isLetter == true {
                guard let hours = Self.hours(of: piece) else { return nil }
                if hours >= 0 { shift = hours }
            }
        }
        // The seventh number is a fraction of a second.
        guard (3...7).contains(numbers.count) else { return nil }
        if digits[0] == 4 {
            (year, first, second) = (Int16(clamping: numbers[0]), Self.small(numbers[1]), Self.small(numbers[2]))
            isOrderKnown = true
        } else if digits[2] == 4 || digits[2] == 2 {
            let full = numbers[2] + (digits[2] == 2 ? 2000 : 0)
            (year, first, second) = (Int16(clamping: full), Self.small(numbers[0]), Self.small(numbers[1]))
            // Where points separate them, the day comes first.
            isOrderKnown = digits[2] == 4 && pieces[1] == "."
            if isOrderKnown { swap(&first, &second) }
        } else {
            return nil
        }
        guard min(first, second) >= 1, max(first, second) <= 31, isOrderKnown ? first <= 12 : min(first, second) <= 12
        else { return nil }
        guard numbers.count > 3 else { return }
        var hours = numbers[3]
        if let shift {
            guard (1...12).contains(hours) else { return nil }
            hours = hours % 12 + shift
        }
        guard hours < 24, numbers[4...].prefix(2).allSatisfy({ $0 <= 60 }) else { return nil }
        hour = Self.small(hours)
        if numbers.count > 4 { minute = Self.small(numbers[4]) }
        if numbers.count > 5 { seconds = Self.small(numbers[5]) }
    }

    /// The days that it may be, the first and the last, as numbers such as 20261127.
    package var days: ClosedRange<Int> {
        func day(_ month: Int8, _ day: Int8) -> Int? {
            month > 12 ? nil : Int(year) * 10_000 + Int(month) * 100 + Int(day)
        }
        let days = [day(first, second), isOrderKnown ? nil : day(second, first)].compactMap(\.self)
        return (days.min() ?? 0)...(days.max() ?? 0)
    }

    /// Whether both can be the same time, by the parts known of both.
    func mayBe(_ other: CellTime) -> Bool {
        let isSameDay =
            first == other.first && second == other.second
            || !(isOrderKnown && other.isOrderKnown) && first == other.second && second == other.first
        func agree(_ one: Int8, _ other: Int8) -> Bool { one < 0 || other < 0 || one == other }
        return year == other.year && isSameDay && agree(hour, other.hour) && agree(minute, other.minute)
            && agree(seconds, other.seconds)
    }

    /// Splits the text into runs of digits, runs of letters, and single other characters.
    private static func pieces(of text: String) -> [Substring] {
        var pieces: [Substring] = []
        var rest = text.prefix(64)
        func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
        while let character = rest.first {
            let length =
                isDigit(character)
                ? rest.prefix(while: isDigit).count
                : character.isLetter ? rest.prefix(while: \.isLetter).count : 1
            pieces.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return pieces
    }

    private static func small(_ value: Int) -> Int8 { Int8(clamping: value) }

    /// The hours that an AM or PM word adds, 0 or 12; -1 for other known words, `nil` for unknown ones.
    private static func hours(of word: Substring) -> Int? {
        switch word.lowercased() {
        case "t", "z", "utc", "gmt", "년", "월", "일", "시", "분", "초", "年", "月", "日", "時", "时", "分", "秒": -1
        case "am", "a", "오전", "午前", "上午": 0
        case "pm", "p", "오후", "午後", "下午": 12
        default: nil
        }
    }
}
