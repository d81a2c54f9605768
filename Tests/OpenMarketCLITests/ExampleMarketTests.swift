import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The manifests of `examples/markets`, one for each description, are valid as they are.
@Suite(.timeLimit(.minutes(1)))
struct ExampleMarketTests {
    private static let folder = ExamplesTests.root + "/examples/markets"

    /// The markets that are described there.
    private static var markets: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .compactMap { $0.hasSuffix(".market.yaml") ? String($0.dropLast(".market.yaml".count)) : nil }.sorted()
        }
    }

    @Test func `each description has a manifest that is valid, and lists products where they can be made`() async throws
    {
        let markets = try Self.markets
        #expect(markets.count >= 4)
        for market in markets {
            let validated = try await Program(
                Openmarket.path,
                ["validate", "\(market).yaml"],
                environment: [
                    "PRETIX_TOKEN": "pretix-token", "OSCAR_TOKEN": "oscar-token", "WC_KEY": "ck_example",
                    "WC_SECRET": "cs_example", "WP_USER": "editor", "WP_PASSWORD": "app password",
                    "OPENMARKET_SECRET": "s3cret",
                ],
                folder: Self.folder
            ).run()
            #expect(validated.status == 0, "\(market)\n\(validated.text)\(validated.errorText)")
            #expect(!validated.text.contains("warning"), "\(validated.text)")
            let check = try await Program.openmarket("market check \(market).market.yaml", in: Self.folder).run()
            #expect(check.status == 0, "\(market)\n\(check.text)")
            let listed = try String(contentsOfFile: Self.folder + "/\(market).yaml", encoding: .utf8)
            let makes = check.text.contains(#/\n  create +yes\n/#)
            #expect(listed.contains("\nproducts:\n") == makes, "\(market)")
        }
    }
}
