@testable import OpenMarketTestSupport
import Testing

struct CatalogFuzzCorpusTests {
    @Test func `the readers of exports withstand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("catalog", CatalogFuzz.fault)
    }
}
