import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What is said of mistakes: where, in which words, with which help.
struct FaultTests {
    /// The file has the mistakes: a market, what is replaced in its description and by what. What is said of each is below it.
    @Test func `each mistake is named at its place`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("Golden/faults.txt")
        var lines: [String] = []
        var count = 0
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        where !line.hasPrefix("  ") {
            lines.append(line)
            guard let mistake = line.wholeMatch(of: /(\S+): (".*") -> (".*")/) else { continue }
            count += 1
            let sound = try DescribedMarkets.text(String(mistake.1))
            let (old, new) = (try Self.text(mistake.2), try Self.text(mistake.3))
            let parts = sound.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
            try #require(parts.count == 2, "\(line)")
            let loaded = MarketDescriptionLoader.load(Array(parts.joined(separator: new).utf8))
            #expect(loaded.description == nil && !loaded.faults.isEmpty, "\(line)")
            lines += loaded.faults.map { "  \($0)" }
        }
        #expect(count == 134, "a mistake that goes from the file is not tested any more")
        expectGolden(lines.joined(separator: "\n").utf8, "faults.txt")
    }

    /// What a text in quotes stands for.
    private static func text(_ quoted: Substring) throws -> String {
        try #require(try JSONValue.parse(Array(quoted.utf8)).text)
    }

    @Test func `a document has a greatest size`() throws {
        let sound = try DescribedMarkets.text("json-files")
        let room = MarketLanguage.longestDocument - sound.utf8.count - 3
        let full = "# " + String(repeating: "x", count: room) + "\n" + sound
        #expect(MarketDescriptionLoader.load(Array(full.utf8)).faults == [])
        #expect(
            MarketDescriptionLoader.load(Array(("#" + full).utf8)).faults.map(\.message) == [
                "a description has at most 64 KiB, and this one is longer"
            ]
        )
    }

    @Test func `the digest is that of the document's bytes`() throws {
        let sound = try DescribedMarkets.document("json-files")
        let digest = MarketDescriptionLoader.load(sound).digest
        #expect(digest == MarketDescriptionLoader.load(sound).digest)
        let commented = MarketDescriptionLoader.load(sound + Array("# x\n".utf8))
        #expect(commented.digest != digest)
        #expect(commented.description == MarketDescriptionLoader.load(sound).description)
    }
}
