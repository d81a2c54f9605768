@testable import OpenMarket
import Testing

/// What a spreadsheet makes of a text, against edits and repairs by people.
struct SpreadsheetFormTests {
    private static let dates: [String: [String]] = [
        "Sept2": [
            "2-Sep", "02-Sep", "2. Sep", "02.09.2026", "2026-09-02", "9/2/2026", "9월 2일", "2026-09-02 00:00:00",
        ],
        "Sep-2": ["2-Sep", "02-Sep"],
        "MARCH1": ["1-Mar", "1. Mrz", "1-mars", "3/1/26"],
        "March 1": ["1-Mar"],
        "1/2": ["2-Jan", "1-Feb", "01/02/2026", "2026-01-02"],
        "10.5": ["10. Mai", "5-Oct"],
        "3-4": ["3-Apr", "4-Mar", "2026/03/04"],
        "Sep 2026": ["Sep-26", "1-Sep-26", "2026-09-01"],
        "2-Sep": ["02-Sep", "2026-09-02"],
        "DEC12": ["12-Dec", "Dec-12"],
        "29/2": ["29-Feb"],
    ]

    @Test func `each date is told from its text, and none from an edit`() {
        for (old, news) in Self.dates {
            for new in news { #expect(SpreadsheetForm.isDate(new, of: old), "\(old) → \(new)") }
            for (other, dates) in Self.dates where other != old && !news.contains(other) {
                #expect(!SpreadsheetForm.isDate("Lamp \(other)", of: old))
                for new in dates where !news.contains(new) && Set(news).isDisjoint(with: dates) {
                    let isShared = !SpreadsheetForm.days(of: old).isDisjoint(with: SpreadsheetForm.days(of: new))
                    #expect(isShared || !SpreadsheetForm.isDate(new, of: old), "\(old) → \(new)")
                }
            }
        }
    }

    @Test(arguments: [
        ("2-Sep", "Sept2"), ("2-Sep", "Sep-2"), ("1-Mar", "March 1"), ("1-Mar", "MARCH1"), ("2-Jan", "1/2"),
        ("Lamp", "2-Sep"), ("Sept2", "3-Sep"), ("Sept2", "Sept2"), ("", "0"), ("-", "0"), (".", "0"),
    ])
    func `a repair or an edit is no date`(old: String, new: String) {
        #expect(!SpreadsheetForm.isDate(new, of: old))
    }

    @Test(arguments: [
        ("9781234567890", "9.78E+12", true), ("9781234567890", "9,78123E+12", true), ("+821012345678", "8.2E+11", true),
        ("1E5", "1.00E+05", true), ("99999", "1.0E+05", true), ("8801234567890", "9.78E+12", false),
        ("lamp", "9.78E+12", false), ("12", "1.20E+05", false),
    ])
    func `a number is shortened from one of its size`(old: String, new: String, isShortened: Bool) {
        #expect(SpreadsheetForm.isShortened(new, of: old) == isShortened)
    }
}
