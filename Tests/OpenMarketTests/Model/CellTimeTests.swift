@testable import OpenMarket
import Testing

struct CellTimeTests {
    @Test(arguments: [
        "", "monday", "12:30", "2022-13-15", "32.1.2022", "2022-11-15T25:00:00", "1.2.3.4.5.6.7.8", "44880",
    ])
    func `what is not understood as a time`(text: String) {
        #expect(CellTime(text) == nil)
    }

    @Test func `day and month that cannot be distinguished are either`() throws {
        let shown = try #require(CellTime("2022-03-04T00:00:00"))
        for text in ["3/4/2022", "4.3.2022", "04/03/22"] { #expect(CellTime(text)?.mayBe(shown) == true, "\(text)") }
        #expect(CellTime("2022-04-03")?.mayBe(shown) == false)
        #expect(CellTime("3/5/2022")?.mayBe(shown) == false)
    }
}
