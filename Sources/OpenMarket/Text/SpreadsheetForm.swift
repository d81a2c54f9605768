/// The form that a spreadsheet gives to a key that looks like a date or a number.
///
/// It converts such texts when it opens a table, and saves the result: `Sept2` becomes `2-Sep`, `1E5` `1.00E+05`,
/// `1.10` `1.1`.
enum SpreadsheetForm {
    /// Whether a text is the converted form of another.
    ///
    /// A repair is not: no spreadsheet writes `Sept2` for `2-Sep`.
    static func isForm(_ new: String, of old: String) -> Bool {
        guard !new.isExactly(old), new.utf8.count <= longest, old.utf8.count <= longest else { return false }
        let (new, old) = (new.trimmed, old.trimmed)
        // A comma may precede a fraction.
        let isNumber = [new, new.replacing(",", with: ".")].contains { new in
            isNumberForm(new, of: old) || isNumberForm(new, of: old.replacing(",", with: "."))
        }
        return isNumber || isDateForm(new, of: old)
    }

    /// The longest text in bytes that a spreadsheet converts.
    private static let longest = 64

    // MARK: Numbers

    /// The number of digits that a spreadsheet keeps.
    private static let precision = 15

    private static func isNumberForm(_ new: String, of old: String) -> Bool {
        let typed = old.filter { !", _'\u{A0}\u{202F}".contains($0) }
        guard let first = new.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            let saved = new.wholeMatch(of: #/-?(?:0|[1-9][0-9]*)(?:\.([0-9]+))?(?:E([-+][0-9]+))?/#),
            let number = typed.wholeMatch(of: #/([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)(%)?/#),
            let written = Double(new), let value = Double(number.2 == nil ? number.1 : number.1 + "E-2")
        else { return false }
        let difference = (written - value).magnitude
        if let exponent = saved.2.flatMap({ Int($0) }) {
            // Half of the last digit shown.
            let most = Double("5E\(exponent - (saved.1?.count ?? 0) - 1)") ?? 0
            return difference <= most * 1.000_001
        }
        // Added zeros after a point are a repair; a spreadsheet drops them.
        guard digitCount(new) <= precision, !(old.contains(".") && new.hasPrefix(old)) else { return false }
        return difference == 0 || digitCount(typed) > precision && difference <= value.magnitude * 1e-14
    }

    /// The number of digits without zeros at either end.
    private static func digitCount(_ number: String) -> Int {
        let digits = number.prefix { $0 != "E" && $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
        return (digits.lastIndex { $0 != "0" }).map { digits[...$0].count } ?? 0
    }

    // MARK: Dates

    /// A date that a text can mean.
    enum Day: Hashable {
        case day(Int, month: Int)
        /// The year without its century.
        case month(Int, year: Int)
    }

    private static func isDateForm(_ new: String, of old: String) -> Bool {
        let typed = days(of: old)
        if let date = date(ofSerial: new) { return !days(of: date).isDisjoint(with: typed) }
        let written = days(of: new)
        guard !written.isDisjoint(with: typed) else { return false }
        // A text that already has such a form can be the repair of another.
        if isSavedDay(old) { return isSavedDay(new) && new.utf8.count > old.utf8.count }
        return isSavedDay(new) || new.wholeMatch(of: #/\p{L}{3}-[0-9]{2}/#) != nil
    }

    /// The date of a number such as `46024`, which spreadsheets count from 1900; `nil` for other texts.
    private static func date(ofSerial text: String) -> String? {
        guard text.utf8.count == 5, let number = Int(text), (10_000...73_000).contains(number) else { return nil }
        // Years from March on, so that a leap day is the last day of four years.
        let (cycle, rest) = (number - 61).quotientAndRemainder(dividingBy: 1461)
        let year = min(rest / 365, 3)
        let day = rest - 365 * year
        let month = (5 * day + 2) / 153
        return
            "\(1900 + 4 * cycle + year + (month < 10 ? 0 : 1))-\((month + 2) % 12 + 1)-\(day - (153 * month + 2) / 5 + 1)"
    }

    /// Whether a spreadsheet saves days in this form: `2-Sep`, `2026-09-02`, `9월 2일`.
    private static func isSavedDay(_ date: String) -> Bool {
        date.prefixMatch(of: #/[0-9]+[-. \/]+\p{L}|[0-9]+\D+[0-9]+\D+[0-9]|[0-9]+[월月년年]/#) != nil
    }

    /// The days and months that a text can mean, in any order of day, month and year.
    static func days(of text: String) -> Set<Day> {
        guard text.utf8.count <= longest else { return [] }
        var text = text.trimmed
        for time in [" 00:00:00", "T00:00:00", " 0:00"] where text.hasSuffix(time) { text.removeLast(time.count) }
        let names = text.split { !$0.isLetter }.map { $0.lowercased() }.filter { !units.contains($0) }
        let named = names.compactMap { months[$0] }
        let digits = text.split { !("0"..."9").contains($0) }
        let parts = digits.compactMap { $0.utf8.count <= 4 ? Int($0) : nil } + named
        guard (2...3).contains(parts.count), parts.count == digits.count + names.count, named.count < 2,
            text.allSatisfy({ $0.isLetter || $0.isNumber || " -/.,".contains($0) })
        else { return [] }
        var days: Set<Day> = []
        for place in named.isEmpty ? parts.indices : parts.indices.suffix(1) where (1...12).contains(parts[place]) {
            for other in parts.indices where other != place {
                let (month, number) = (parts[place], parts[other])
                if (1...31).contains(number) { days.insert(.day(number, month: month)) }
                if parts.count == 2 {
                    days.insert(.month(month, year: number % 100))
                } else if number == 1 {
                    // Without a day, a spreadsheet takes the first one. The positions are 0, 1 and 2.
                    days.insert(.month(month, year: parts[3 - place - other] % 100))
                }
            }
        }
        return days
    }

    /// Words after the parts of a date in Korean, Japanese and Chinese.
    private static let units: Set<String> = ["년", "월", "일", "年", "月", "日"]

    /// Names and abbreviations of three letters or more, in English, German, French and Spanish.
    private static let months = Dictionary(
        [
            "january januar janvier jänner enero", "february februar février fevrier febrero",
            "march märz mrz mars marzo", "april avril abril", "may mai mayo", "june juni juin junio",
            "july juli juillet julio", "august août aout agosto", "september septembre septiembre",
            "october oktober octobre octubre", "november novembre noviembre",
            "december dezember décembre decembre diciembre",
        ].enumerated().flatMap { index, names in
            names.split(separator: " ").flatMap { name in
                (3...name.count).map { (String(name.prefix($0)), index + 1) }
            }
        },
        uniquingKeysWith: min
    )
}
