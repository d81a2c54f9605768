import OpenMarketTestSupport
import Testing

struct CatalogFuzzCorpusTests {
    @Test func `the readers of exports stand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("catalog", CatalogFuzz.fault)
    }
}
