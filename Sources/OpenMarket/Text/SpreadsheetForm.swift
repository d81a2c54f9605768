/// The form that a spreadsheet gives to a key that looks like a date or a long number.
///
/// It converts such texts when it opens a table, and saves the result: `Sept2` becomes `2-Sep`, `8801234567890`
/// `8.80E+12`.
enum SpreadsheetForm {
    /// Whether a number is a shortened form of a text; the lost digits are unknown.
    static func isShortened(_ new: String, of old: String) -> Bool {
        guard let shown = Double(new.replacing(",", with: ".")), let whole = Double(old) else { return false }
        return (shown - whole).magnitude <= whole.magnitude * 0.05
    }

    /// Whether a date is the converted form of a text.
    ///
    /// A repair is not: no spreadsheet writes `Sept2` for `2-Sep`.
    static func isDate(_ new: String, of old: String) -> Bool {
        let (new, old) = (new.trimmed, old.trimmed)
        guard !new.isExactly(old), !days(of: new).isDisjoint(with: days(of: old)) else { return false }
        // A text that already has such a form can be the repair of another.
        if isSavedDay(old) { return isSavedDay(new) && new.utf8.count > old.utf8.count }
        return isSavedDay(new) || new.wholeMatch(of: #/\p{L}{3}-[0-9]{2}/#) != nil
    }

    /// The longest text in bytes that a spreadsheet converts.
    private static let longest = 64

    /// A date that a text can mean.
    enum Day: Hashable {
        case day(Int, month: Int)
        /// The year without its century.
        case month(Int, year: Int)
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
