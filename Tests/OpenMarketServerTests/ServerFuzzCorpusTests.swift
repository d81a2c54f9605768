@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketServer

struct ServerFuzzCorpusTests {
    @Test func `the multipart parser withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("multipart", MultipartFuzz.fault)
    }

    @Test func `the JSON of requests withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("wire") { bytes in
            _ = try? V2Values(json: bytes).newFields(.b)
            return nil
        }
    }
}
