@testable import OpenMarketTestSupport
import Testing

struct MarketFuzzCorpusTests {
    @Test func `the loader of descriptions survives its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("market", MarketFuzz.fault)
    }
}
