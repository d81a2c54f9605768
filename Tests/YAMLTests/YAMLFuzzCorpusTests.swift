@testable import OpenMarketTestSupport
import Testing

struct YAMLFuzzCorpusTests {
    @Test func `the YAML reader withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("yaml", YAMLFuzz.fault)
    }
}
