@testable import OpenMarketTestSupport
import Testing

struct CoreFuzzCorpusTests {
    @Test func `the JSON reader and writer withstand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("json", JSONFuzz.fault)
    }

    @Test func `the CSV writer withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("csv", CSVFuzz.fault)
    }

    @Test func `reading decisions withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("decisions", DecisionsFuzz.fault)
    }

    @Test func `reading exports back withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("catalog", CatalogFuzz.fault)
    }

    @Test func `expressions and conditions withstand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("expression", ExpressionFuzz.fault)
    }
}
