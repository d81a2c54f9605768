import Testing
@testable import OpenMarketManifest

struct CellDayTests {
    @Test(arguments: ["", "monday", "12:30", "2022-13-15", "32.1.2022", "1.2.3.4.5.6.7.8", "44880"])
    func `what is not understood as a day`(text: String) {
        #expect(CellDay(text)?.days == nil)
    }

    @Test func `day and month that cannot be distinguished are either`() {
        for text in ["3/4/2022", "04/03/22"] { #expect(CellDay(text)?.days == 20_220_304...20_220_403, "\(text)") }
        for text in ["2022-03-04T00:00:00", "4.3.2022"] {
            #expect(CellDay(text)?.days == 20_220_304...20_220_304, "\(text)")
        }
    }
}
