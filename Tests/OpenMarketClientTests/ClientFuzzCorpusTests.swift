@testable import OpenMarketTestSupport
import Testing

struct ClientFuzzCorpusTests {
    @Test func `the readers of pages withstand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("page", PageFuzz.fault)
    }

    @Test func `the readers of small replies withstand their corpus and mutations of it`() throws {
        try FuzzCorpus.replay("reply", ReplyFuzz.fault)
    }
}
