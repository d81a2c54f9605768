@testable import OpenMarket
import Testing

/// What a spreadsheet makes of a text, against edits and repairs by people.
struct SpreadsheetFormTests {
    private static let forms: [String: [String]] = [
        "Sept2": [
            "2-Sep", "02-Sep", "2. Sep", "02.09.2026", "2026-09-02", "9/2/2026", "9월 2일", "2026-09-02 00:00:00",
            "46267",
        ],
        "Sep-2": ["2-Sep", "02-Sep"],
        "MARCH1": ["1-Mar", "1. Mrz", "1-mars", "3/1/26", "46082"],
        "March 1": ["1-Mar"],
        "1/2": ["2-Jan", "1-Feb", "01/02/2026", "2026-01-02", "46024", "46054"],
        "10.5": ["10. Mai", "5-Oct"],
        "3-4": ["3-Apr", "4-Mar", "2026/03/04"],
        "Sep 2026": ["Sep-26", "1-Sep-26", "2026-09-01"],
        "2-Sep": ["02-Sep", "2026-09-02", "46267"],
        "DEC12": ["12-Dec", "Dec-12"],
        "29/2": ["29-Feb", "46812"],
        "1-2-3": ["2003-01-02", "02.01.2003", "37623"],
        "1E5": ["100000", "1.00E+05"],
        "1.10": ["1.1", "10-Jan"],
        "007": ["7"],
        "1,50": ["1,5", "1.5"],
        "+5": ["5"],
        "12345678901234567": ["12345678901234500"],
    ]

    @Test func `each form is told from its text, and none from an edit`() {
        for (old, news) in Self.forms {
            for new in news { #expect(SpreadsheetForm.mayMake(new, of: old), "\(old) → \(new)") }
            for (other, forms) in Self.forms where other != old {
                #expect(!SpreadsheetForm.mayMake("Lamp \(other)", of: old))
                for new in forms where !news.contains(new) && Set(news).isDisjoint(with: forms) {
                    #expect(!SpreadsheetForm.mayMake(new, of: old), "\(old) → \(new)")
                }
            }
        }
    }

    @Test(arguments: [
        ("2-Sep", "Sept2"), ("2-Sep", "Sep-2"), ("1-Mar", "March 1"), ("1-Mar", "MARCH1"), ("2-Jan", "1/2"),
        ("Lamp", "2-Sep"), ("Sept2", "3-Sep"), ("Sept2", "Sept2"), ("", "0"), ("-", "0"), (".", "0"),
        // Numbered goods.
        ("1", "2"), ("1", "10"), ("7", "007"), ("1.1", "1.10"), ("1.1", "1.2"), ("1.2", "1.2.10"), ("1.2", "1.1.2"),
        ("1-2-3", "1-2-10"), ("1-2-3", "2-1-3"), ("1-2-3", "1-2-103"), ("2026-03-01", "2027-03-01"),
        ("desk-01", "desk-1"), ("12345678901234567", "12345678901234568"), ("007", "-9223372036854775808"),
    ])
    func `a repair or an edit is no form`(old: String, new: String) {
        #expect(!SpreadsheetForm.mayMake(new, of: old))
    }

    @Test(arguments: [
        ("9781234567890", "9.78E+12", true), ("9781234567890", "9,78123E+12", true), ("+821012345678", "8.2E+11", true),
        ("1E5", "1.00E+05", true), ("99999", "1.0E+05", true), ("8801234567890", "9.78E+12", false),
        ("lamp", "9.78E+12", false), ("12", "1.20E+05", false),
    ])
    func `a number is shortened from one of its size`(old: String, new: String, isShortened: Bool) {
        #expect(SpreadsheetForm.mayMake(new, of: old) == isShortened)
    }
}
