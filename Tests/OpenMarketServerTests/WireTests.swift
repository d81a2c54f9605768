import NIOCore
@testable import OpenMarket
import Testing
@testable import OpenMarketServer

struct WireTests {
    // What Java's Double.toString prints.
    @Test(arguments: [
        ("0", "0.0"), ("1", "1.0"), ("1200", "1200.0"), ("0.75", "0.75"), ("-200", "-200.0"),
        ("1234567.25", "1234567.25"),
        ("9999999", "9999999.0"), ("10000000", "1.0E7"), ("60000000", "6.0E7"), ("123123000", "1.23123E8"),
        ("12345678.9", "1.23456789E7"), ("0.001", "0.001"), ("0.0001", "1.0E-4"), ("-0.00012", "-1.2E-4"),
        ("999999999999999999", "9.99999999999999999E17"),
    ])
    func `numbers are spelt as Java spells doubles`(number: String, spelling: String) throws {
        #expect(try #require(ExactDecimal(number)).javaSpelling == spelling)
    }

    @Test(arguments: [
        (0.0, "1970-01-01"), (951_782_400.0, "2000-02-29"), (951_868_799.9, "2000-02-29"),
        (951_868_800.0, "2000-03-01"),
        (1_668_470_400.0, "2022-11-15"), (4_107_542_400.0, "2100-03-01"), (-1.0, "1969-12-31"),
    ])
    func `days are those of the Gregorian calendar`(seconds: Double, day: String) {
        #expect(CalendarDay.spelled(seconds) == day)
    }

    @Test func `an instant is spelt as HTTP does`() {
        #expect(CalendarDay.httpDate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(CalendarDay.httpDate(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test func `texts are escaped as JSON asks, and no further`() {
        var writer = ReplyJSONWriter()
        writer.object { json in
            json.member("a/b", array: ["\"\\\n\r\t", "\u{1}\u{1F}", "한글 👍"]) { $0.string($1) }
        }
        #expect(String(buffer: writer.buffer) == #"{"a/b":["\"\\\n\r\t","\u0001\u001f","한글 👍"]}"#)
    }
}
