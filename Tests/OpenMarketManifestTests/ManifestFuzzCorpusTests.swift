@testable import OpenMarketTestSupport
import Testing

struct ManifestFuzzCorpusTests {
    @Test func `the manifest decoder withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("table", TableFuzz.fault)
        try FuzzCorpus.replay("manifest") { ManifestFuzz.fault($0, folder: FuzzCorpus.folder(of: "picture")) }
    }

    @Test func `the picture probe withstands its corpus and mutations of it`() throws {
        try FuzzCorpus.replay("picture", PictureFuzz.fault)
    }
}
