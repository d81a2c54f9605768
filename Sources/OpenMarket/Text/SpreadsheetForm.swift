/// The form that a spreadsheet gives to a key that looks like a number or a date.
///
/// It converts such texts when it opens a table, and saves the result: `Sept2` becomes `2-Sep`, `1.10` `1.1`,
/// `8801234567890` `8.80E+12`.
enum SpreadsheetForm {
    /// What a spreadsheet can take a text for.
    enum Value: Hashable {
        case number(ExactDecimal)
        /// The year lacks its century. A text without a year gets that of the day when it is opened.
        case date(day: Int, month: Int, year: Int?)
    }

    /// Whether a spreadsheet may have made a text of another one.
    ///
    /// A repair is not: no spreadsheet writes `Sept2` for `2-Sep`.
    static func mayMake(_ new: String, of old: String) -> Bool {
        // The lost digits of a shortened number are unknown.
        if new.contains("E"), let shown = Double(new.replacing(",", with: ".")), let whole = Double(old) {
            return (shown - whole).magnitude <= whole.magnitude * 0.05
        }
        guard !new.isExactly(old), !valuesMade(new).isDisjoint(with: values(of: old)) else { return false }
        if number(new) != nil { return true }
        // A text that already has such a form can be the repair of another.
        if isSavedDay(old) { return isSavedDay(new) && new.utf8.count > old.utf8.count }
        return isSavedDay(new) || new.wholeMatch(of: #/\p{L}{3}-[0-9]{2}/#) != nil
    }

    /// What a spreadsheet can take a text for when it opens a table.
    static func values(of text: String) -> Set<Value> {
        // A whole number without zeros in front keeps its form, up to fifteen digits.
        let isWhole = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isWhole, text.utf8.first != 0x30, text.utf8.count <= 15 { return [] }
        let cut = isWhole ? text.prefix(15) + String(repeating: "0", count: max(0, text.utf8.count - 15)) : ""
        let numbers = [text.replacing(",", with: "."), cut].compactMap { ExactDecimal($0).map(Value.number) }
        return dates(in: text).union(numbers)
    }

    /// What a text was taken for, if a spreadsheet saved it.
    static func valuesMade(_ text: String) -> Set<Value> {
        guard let number = number(text) else { return dates(in: text, isSaved: true) }
        guard let serial = Int(text), (36_586..<73_110).contains(serial) else { return [.number(number)] }
        // In a column of texts or numbers, days are counted. Years start in March here, the first one in 2000.
        let days = serial - 36_586
        let year = (4 * days + 3) / 1461
        let dayOfYear = days - 1461 * year / 4
        let month = (5 * dayOfYear + 2) / 153
        let date = "\(dayOfYear - (153 * month + 2) / 5 + 1)-\((month + 2) % 12 + 1)-\(2000 + year + month / 10)"
        return dates(in: date, isSaved: true).union([.number(number)])
    }

    /// A number without zeros around it, as spreadsheets save it.
    private static func number(_ text: String) -> ExactDecimal? {
        let plain = text.replacing(",", with: ".")
        return ExactDecimal(plain).flatMap { $0.description.isExactly(plain) ? $0 : nil }
    }

    /// Whether a spreadsheet saves days in this form: `2-Sep`, `2026-09-02`, `9월 2일`.
    private static func isSavedDay(_ date: String) -> Bool {
        date.prefixMatch(of: #/[0-9]+[-. \/]+\p{L}|[0-9]+\D+[0-9]+\D+[0-9]|[0-9]+[월月년年]/#) != nil
    }

    /// The dates that a text can mean, with day, month and year in any order.
    private static func dates(in text: String, isSaved: Bool = false) -> Set<Value> {
        // A longer text, or one without a digit, is not a date.
        guard text.utf8.count <= 64, text.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return [] }
        var text = text.trimmed
        for time in [" 00:00:00", "T00:00:00", " 0:00"] where text.hasSuffix(time) { text.removeLast(time.count) }
        let names = text.split { !$0.isLetter }.map { $0.lowercased() }.filter { !units.contains($0) }
        let named = names.compactMap { months[$0] }
        let digits = text.split { !("0"..."9").contains($0) }
        let parts = digits.compactMap { [1, 2, 4].contains($0.utf8.count) ? Int($0) : nil } + named
        guard (2...3).contains(parts.count), parts.count == digits.count + names.count, named.count < 2,
            text.allSatisfy({ $0.isLetter || $0.isNumber || " -/.,".contains($0) })
        else { return [] }
        var dates: Set<Value> = []
        for place in named.isEmpty ? parts.indices : parts.indices.suffix(1) where (1...12).contains(parts[place]) {
            for other in parts.indices where other != place {
                let (month, number) = (parts[place], parts[other])
                // The positions are 0, 1 and 2.
                let year = parts.count == 3 ? parts[3 - place - other] % 100 : nil
                if (1...31).contains(number) {
                    dates.insert(.date(day: number, month: month, year: year))
                    // A spreadsheet adds the present year.
                    let isAdded = isSaved && (20..<50).contains(year ?? 0)
                    if isAdded { dates.insert(.date(day: number, month: month, year: nil)) }
                }
                // Without a day, it takes the first one.
                if year == nil, isSaved || number > 31 {
                    dates.insert(.date(day: 1, month: month, year: number % 100))
                }
            }
        }
        return dates
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
