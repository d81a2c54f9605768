import Testing

@testable import OpenMarketCLI

struct OptionValueTests {
    @Test(arguments: [("1", 1), ("1025", 1025), ("100000", 100_000), ("0", nil), ("-1", nil), ("x", nil)])
    func `what is kept or shown is counted from 1 on`(text: String, value: Int?) {
        #expect(PositiveOption(argument: text)?.value == value)
    }

    @Test(arguments: [("1", 1), ("1024", 1024), ("1025", nil), ("0", nil)])
    func `requests at once end where the market would`(text: String, value: Int?) {
        #expect(ParallelismOption(argument: text)?.value == value)
    }
}
