@testable import OpenMarketTestSupport
import Testing

/// An export without products takes the place of one with products only when those are gone.
@Suite(.enabled(if: MisbehavingMarket.isAvailable, "python3 plays the market"), .timeLimit(.minutes(5)))
struct EmptyCatalogTests {
    private static let earlier = "id,name\r\n7,Lamp\r\n"

    private func export(_ arguments: String..., url: String, folder: String) async throws -> Program.Output {
        try await Program(
            Openmarket.path,
            ["export", "-o", "catalog.csv", "--columns", "id,name"] + arguments,
            environment: ["OPENMARKET_URL": url, "OPENMARKET_API": "v2b"],
            folder: folder
        ).run()
    }

    @Test func `an empty list is refused while products of the earlier file are there`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("catalog.csv", Self.earlier)
        // Its list is empty, and every product has a detail.
        try await MisbehavingMarket.run(.luring, folder: directory.path) { market in
            let output = try await export(url: market.url, folder: directory.path)
            #expect(output.status == 5)
            #expect(
                output.errorText == """
                    error: the market's list is empty, and product 7 is on the market; nothing was written
                      help: try again; --allow-empty writes an export without products all the same

                    """
            )
            #expect(String(decoding: try directory.read("catalog.csv"), as: UTF8.self) == Self.earlier)
            let meant = try await export("--allow-empty", url: market.url, folder: directory.path)
            #expect(meant.status == 0)
            #expect(String(decoding: try directory.read("catalog.csv"), as: UTF8.self) == "id,name\r\n")
        }
        withExtendedLifetime(directory) {}
    }
}
