/// What a spreadsheet makes of a text that looks like a date, a number or a boolean.
///
/// It converts such texts when it opens a table, and saves the converted form: `Sept2` becomes `2-Sep`, `1E5`
/// `1.00E+05`, `1.10` `1.1`, `00:30` `0:30:00`, `True` `TRUE`.
enum SpreadsheetForm {
    /// Whether a text is the converted form of another.
    ///
    /// A repair is none: no spreadsheet writes `Sept2` for `2-Sep`.
    static func isForm(_ new: String, of old: String) -> Bool {
        guard !new.isExactly(old), new.utf8.count <= longest, old.utf8.count <= longest else { return false }
        let (new, old) = (new.trimmed, old.trimmed)
        // A comma may stand before a fraction.
        let isNumber = [new, new.replacing(",", with: ".")].contains { new in
            isNumberForm(new, of: old) || isNumberForm(new, of: old.replacing(",", with: "."))
        }
        return isNumber || isDateForm(new, of: old) || isTimeForm(new, of: old) || isBooleanForm(new, of: old)
    }

    /// No text that a spreadsheet converts is longer, in bytes.
    private static let longest = 64

    // MARK: Numbers

    /// The significant digits of a number without zeros at either end, and the exponent of the first one.
    private struct Digits: Equatable {
        var digits: [UInt8]
        var exponent: Int
        var isNegative: Bool
        /// The digits that the text shows before its exponent; `nil` if it has none.
        var shown: Int?

        /// `nil` if the text is no decimal number: `12`, `-0.5`, `1.20E+07`.
        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: "E", maxSplits: 1, omittingEmptySubsequences: false)
            let sign = parts[0].first == "-" || parts[0].first == "+"
            let halves = parts[0].dropFirst(sign ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
            guard halves.count <= 2, let whole = halves.first, halves.last?.isEmpty == false,
                halves.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
            else { return nil }
            let all = halves.joined().utf8.map { $0 - 0x30 }
            guard let power = parts.count == 2 ? Int(parts[1]) : 0, abs(power) <= 400 else { return nil }
            let leading = all.prefix { $0 == 0 }.count
            digits = Array(all.dropFirst(leading))
            while digits.last == 0 { digits.removeLast() }
            exponent = digits.isEmpty ? 0 : whole.utf8.count - leading - 1 + power
            isNegative = parts[0].first == "-"
            shown = parts.count == 2 ? all.count : nil
        }

        /// Rounded half up to a number of digits, or cut there.
        func limited(to count: Int, rounding: Bool) -> Digits {
            var result = self
            guard digits.count > count else { return result }
            result.digits = Array(digits[..<count])
            if rounding, digits[count] >= 5 {
                while result.digits.last == 9 { result.digits.removeLast() }
                if let last = result.digits.indices.last {
                    result.digits[last] += 1
                } else {
                    (result.digits, result.exponent) = ([1], exponent + 1)
                }
            }
            while result.digits.last == 0 { result.digits.removeLast() }
            return result
        }

        static func == (a: Digits, b: Digits) -> Bool {
            a.digits == b.digits && a.exponent == b.exponent && a.isNegative == b.isNegative
        }
    }

    /// A spreadsheet keeps this many digits of a number.
    private static let precision = 15

    private static func isNumberForm(_ new: String, of old: String) -> Bool {
        guard let written = Digits(new), !new.hasPrefix("+") else { return false }
        let typed = String(old.unicodeScalars.filter { !", _'\u{A0}\u{202F}".unicodeScalars.contains($0) })
        let plain = typed.hasSuffix("%") ? typed.dropLast() : typed[...]
        guard var number = Digits(plain.uppercased()) else { return false }
        if plain.count < typed.count, !number.digits.isEmpty { number.exponent -= 2 }
        if let shown = written.shown {
            guard new.contains("E+") || new.contains("E-") else { return false }
            return number.limited(to: shown, rounding: true) == written
        }
        guard new.hasPrefix("0.") || !new.hasPrefix("0") || new == "0" else { return false }
        guard number == written else {
            // A long number that was shortened, and saved without its exponent, ends with zeros.
            let isSavedAgain = new.utf8.count >= 12 && new.hasSuffix("0000")
            return isSavedAgain && number.limited(to: written.digits.count, rounding: true) == written
                || number.digits.count > precision
                    && [true, false].contains { number.limited(to: precision, rounding: $0) == written }
        }
        // Zeros after a point are a repair; a spreadsheet drops them.
        return !(old.contains(".") && new.hasPrefix(old))
    }

    // MARK: Booleans

    /// How spreadsheets write true and false in the languages that translate them.
    private static let booleans = [
        ["TRUE", "WAHR", "VRAI", "VERDADERO", "VERDADEIRO", "VERO", "WAAR", "PRAWDA", "ИСТИНА", "DOĞRU"],
        ["FALSE", "FALSCH", "FAUX", "FALSO", "ONWAAR", "FAŁSZ", "ЛОЖЬ", "YANLIŞ"],
    ]

    private static func isBooleanForm(_ new: String, of old: String) -> Bool {
        booleans.contains { $0.contains(new) && $0.contains(old.uppercased()) }
    }

    // MARK: Times

    /// A time gets seconds, and loses the zero before its hour.
    private static func isTimeForm(_ new: String, of old: String) -> Bool {
        let times = [new, old].compactMap { $0.wholeMatch(of: #/[0-9]{1,4}:[0-9]{1,2}(:[0-9]{1,2})?/#)?.output.0 }
        let numbers = times.map { ($0.split(separator: ":").compactMap { Int($0) } + [0]).prefix(3) }
        guard times.count == 2, numbers[0] == numbers[1] else { return false }
        let marks = times.map { $0.count { $0 == ":" } }
        return marks[0] > marks[1] || marks[0] == marks[1] && new.utf8.count < old.utf8.count
    }

    // MARK: Dates

    /// What a text can name as a date: in any order of day, month and year.
    enum Day: Hashable {
        case day(Int, month: Int)
        /// The year without its century.
        case month(Int, year: Int)
    }

    private static func isDateForm(_ new: String, of old: String) -> Bool {
        guard let typed = Date(old) else { return false }
        if let day = Date(serial: new) { return !day.days.isDisjoint(with: typed.days) }
        guard let written = Date(new), written.isWritten else { return false }
        // A text that has such a form already can be the repair of another.
        guard !typed.isFull || written.isFull && new.utf8.count > old.utf8.count else { return false }
        return !written.days.isDisjoint(with: typed.days)
    }

    /// The days that a text in the form of a saved date can name; empty for any other text.
    static func writtenDays(_ text: String) -> Set<Day> {
        guard text.utf8.count <= longest, let date = Date(text), date.isWritten else { return [] }
        return date.days
    }

    /// The days that a typed text can name: `Sept2`, `1/2`.
    static func typedDays(_ text: String) -> Set<Day> { text.utf8.count <= longest ? Date(text)?.days ?? [] : [] }

    private struct Date {
        var days: Set<Day> = []
        /// Whether a spreadsheet saves days like this: `2-Sep`, `2026-09-02`, `9월 2일`.
        var isFull = false
        /// Whether a spreadsheet saves days or months like this: also `Sep-26`.
        var isWritten = false

        init?(_ text: String) {
            var text = text.trimmed
            for time in [" 00:00:00", "T00:00:00", " 0:00"] where text.hasSuffix(time) { text.removeLast(time.count) }
            var numbers: [Int] = []
            var month: Int?
            var isApart = false
            var hasUnits = false
            var previous: Bool?
            for part in Self.parts(of: text) {
                guard let first = part.first else { continue }
                if first.isNumber {
                    guard part.utf8.count <= 4, let number = Int(part) else { return nil }
                    if previous == false, month != nil { isApart = false }
                    numbers.append(number)
                } else if first.isLetter {
                    if ["년", "월", "일", "年", "月", "日"].contains(part), previous == true {
                        hasUnits = true
                    } else if month == nil, let named = Self.month(named: part.lowercased()) {
                        month = named
                        isApart = previous == nil
                    } else {
                        return nil
                    }
                } else {
                    guard part.utf8.allSatisfy({ " -/.,".utf8.contains($0) }) else { return nil }
                    previous = nil
                    continue
                }
                previous = first.isNumber
            }
            isFull = month != nil ? isApart && text.first?.isNumber == true : hasUnits || numbers.count == 3
            isWritten = isFull || isApart && text.utf8.count == 6 && text.dropFirst(3).first == "-"
            guard numbers.count + (month == nil ? 0 : 1) >= 2, numbers.count <= (month == nil ? 3 : 2) else {
                return nil
            }
            for (index, number) in numbers.enumerated() {
                var others = numbers
                others.remove(at: index)
                if let month {
                    note(number, month, year: others.first)
                } else {
                    for (place, named) in others.enumerated() {
                        note(number, named, year: others.count == 2 ? others[1 - place] : nil)
                    }
                }
            }
            guard !days.isEmpty else { return nil }
        }

        /// The day of a number such as `46024`, which spreadsheets count from 1900.
        init?(serial text: String) {
            guard text.utf8.count == 5, let number = Int(text), (10_000...73_000).contains(number) else { return nil }
            // Years from March on, so that a leap day is the last one of four.
            let (cycle, rest) = (number - 61).quotientAndRemainder(dividingBy: 1461)
            let year = min(rest / 365, 3)
            let day = rest - 365 * year
            let month = (5 * day + 2) / 153
            note(
                day - (153 * month + 2) / 5 + 1,
                (month + 2) % 12 + 1,
                year: 1900 + 4 * cycle + year + (month < 10 ? 0 : 1)
            )
        }

        /// Notes what a number beside a month can be: a day of it, or its year.
        private mutating func note(_ number: Int, _ month: Int, year: Int?) {
            guard (1...12).contains(month) else { return }
            if (1...31).contains(number) { days.insert(.day(number, month: month)) }
            // Without a day, a spreadsheet takes the first one.
            if let year {
                if number == 1 { days.insert(.month(month, year: year % 100)) }
            } else {
                days.insert(.month(month, year: number % 100))
            }
        }

        private static func parts(of text: String) -> [String] {
            var parts: [String] = []
            var last: Int?
            for character in text {
                let kind = character.isNumber ? 0 : character.isLetter ? 1 : 2
                if kind == last, kind < 2 || !parts.isEmpty {
                    parts[parts.count - 1].append(character)
                } else {
                    parts.append(String(character))
                }
                last = kind
            }
            return parts
        }

        /// The month of a name or its abbreviation in English, German, French or Spanish.
        private static func month(named name: String) -> Int? {
            guard name.count >= 3 else { return nil }
            return names.firstIndex { $0.split(separator: " ").contains { $0.hasPrefix(name) } }.map { $0 + 1 }
        }

        private static let names = [
            "january januar janvier jänner enero", "february februar février fevrier febrero",
            "march märz mrz mars marzo",
            "april avril abril", "may mai mayo", "june juni juin junio", "july juli juillet julio",
            "august août aout agosto",
            "september septembre septiembre", "october oktober octobre octubre", "november novembre noviembre",
            "december dezember décembre decembre diciembre",
        ]
    }
}
