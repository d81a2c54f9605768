@testable import OpenMarketTestSupport
import Testing

/// An export without products takes the place of one with products only when those are gone.
@Suite(.timeLimit(.minutes(5)))
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
        try await MisbehavingMarket.luring.run { market in
            let output = try await export(url: market.url, folder: directory.path)
            #expect(output.status == 5)
            #expect(
                output.errorText == """
                    error: the market's list is empty, and product 7 is on the market; no file was written
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

    @Test func `a field of the earlier file that no row has any more is refused, and told to be let through`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let earlier = "id,name,description\r\n7,Lamp,Warm light\r\n"
        try directory.write("catalog.csv", earlier)
        let description = """
            market: 1
            name: shop
            identity: {id: {at: /id, as: integer}}
            fields: {name: {at: /name}, description: {at: /long_text}}
            list: {path: /items/1, page: {by: none}, rows: /items, complete: whole}
            operations: {detail: {path: "/item/{id}"}}
            """
        try directory.write("shop.market.yaml", description)
        try await MisbehavingMarket.control.run { market in
            func export(_ arguments: String...) async throws -> Program.Output {
                try await Program(
                    Openmarket.path,
                    ["export", "-o", "catalog.csv", "--columns", "id,name,description", "--on-success", "touch done"]
                        + arguments,
                    environment: ["OPENMARKET_URL": market.url, "OPENMARKET_API": "./shop.market.yaml"],
                    folder: directory.path
                ).run()
            }
            let output = try await export()
            #expect(output.status == 5)
            #expect(
                output.errorText.contains(
                    """
                    error: no product of the market's list has 'description' any more, as in catalog.csv; no file was written
                      help: try again; --allow-missing description writes an export without them all the same

                    """
                ),
                "\(output.errorText)"
            )
            #expect(String(decoding: try directory.read("catalog.csv"), as: UTF8.self) == earlier)
            #expect((try? directory.read("done")) == nil)
            let meant = try await export("--allow-missing", "description")
            #expect(meant.status == 0, "\(meant.errorText)")
            #expect(String(decoding: try directory.read("catalog.csv"), as: UTF8.self).hasSuffix(",\r\n"))
            #expect((try? directory.read("done")) != nil)
        }
        withExtendedLifetime(directory) {}
    }
}
