@testable import OpenMarket
import Testing

/// What a spreadsheet makes of a text, against edits and repairs by people.
struct SpreadsheetFormTests {
    private static let forms: [String: [String]] = [
        "Sept2": [
            "2-Sep", "02-Sep", "2. Sep", "02.09.2026", "2026-09-02", "9/2/2026", "9월 2일", "2026-09-02 00:00:00",
            "46267", "43710",
        ],
        "Sep-2": ["2-Sep", "02-Sep"],
        "MARCH1": ["1-Mar", "1. Mrz", "1-mars", "3/1/26"],
        "March 1": ["1-Mar"],
        "1/2": ["2-Jan", "1-Feb", "01/02/2026", "2026-01-02", "46024", "46054"],
        "10.5": ["10. Mai", "5-Oct"],
        "3-4": ["3-Apr", "4-Mar", "2026/03/04"],
        "Sep 2026": ["Sep-26", "1-Sep-26", "2026-09-01", "46266"],
        "2-Sep": ["02-Sep", "2026-09-02"],
        "DEC12": ["12-Dec", "Dec-12"],
        "1E5": ["1.00E+05", "1E+05", "100000", "100000.0"],
        "2e3": ["2000", "2.00E+03"],
        "0012": ["12", "12.0"],
        "1.10": ["1.1", "1,1"],
        "1,50": ["1.5", "1,5"],
        "1 234,5": ["1234.5", "1234,5"],
        "29/2": ["29-Feb", "45351"],
        "31.12.2025": ["46022"],
        "12": ["12.0", "1.20E+01"],
        "+821012345678": ["821012345678", "8.21E+11", "8.21012E+11"],
        "9781234567890": ["9.78E+12", "9.78123E+12", "9,78E+12"],
        "99999": ["1.0E+05", "1.00E+05"],
        "12345678901234567890": ["12345678901234500000", "12345678901234600000", "1.23457E+19"],
        "1,000": ["1000"],
        "50%": ["0.5"],
        "-0.50": ["-0.5"],
    ]

    @Test func `each form is told from its text, and none from an edit`() {
        for (old, news) in Self.forms {
            for new in news { #expect(SpreadsheetForm.isForm(new, of: old), "\(old) → \(new)") }
            for (other, forms) in Self.forms where other != old && !news.contains(other) {
                #expect(!SpreadsheetForm.isForm("Lamp \(other)", of: old))
                for new in forms where !news.contains(new) && Set(news).isDisjoint(with: forms) {
                    let isShared = !SpreadsheetForm.days(of: old).isDisjoint(with: SpreadsheetForm.days(of: new))
                    #expect(isShared || !SpreadsheetForm.isForm(new, of: old), "\(old) → \(new)")
                }
            }
        }
    }

    @Test(arguments: [
        ("2-Sep", "Sept2"), ("2-Sep", "Sep-2"), ("1-Mar", "March 1"), ("1-Mar", "MARCH1"), ("2-Jan", "1/2"),
        ("1.00E+05", "1E5"), ("1.1", "1.10"), ("12", "0012"), ("821012345678", "+821012345678"),
        ("1000", "1,000"), ("Lamp", "2-Sep"), ("Sept2", "3-Sep"), ("12", "13"), ("12345", "1.24E+04"), ("1.5", "1.50"),
        ("Sept2", "Sept2"), ("", "0"), ("-", "0"), (".", "0"), ("E5", "0"),
        ("1.5", "1,50"), ("46024", "1/2"), ("1/2", "46025"), ("46022", "31.12.2025"),
    ])
    func `a repair or an edit is no form`(old: String, new: String) {
        #expect(!SpreadsheetForm.isForm(new, of: old))
    }
}
