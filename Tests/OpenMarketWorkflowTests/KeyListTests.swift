@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Keys of products in a file.
struct KeyListTests {
    @Test func `keys in a file are lines without their blanks`() {
        #expect(KeyList.keys(in: "\u{FEFF}a\r\n# b\n\t c d \u{3000}\n#\n\n e\u{301}\r#f") == ["a", "c d", "é"])
    }

    @Test func `a file that is not text is named`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("keys.txt", [0x61, 0xFF, 0x0A])
        expectEnd(.invalidInput, "--target-file: \(path) is not UTF-8 text") { try KeyList.read(path) }
        #expect(try KeyList.read(folder.write("keys.txt", "lamp\nmug\n")) == ["lamp", "mug"])
    }
}
