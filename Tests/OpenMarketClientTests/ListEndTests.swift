@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Where a described list ends: what says so of itself, and what only seems to.
struct ListEndTests {
    /// A list of rising ids, the newest first.
    private static func list(_ page: String, _ end: String, complete: String) -> String {
        DescribedMarketTests.document(
            page: page,
            more: end + "\n  order: {by: [/id], direction: falling, moves: never}"
        ).replacing("complete: never", with: "complete: \(complete)").replacing(
            "as: integer}",
            with: "as: integer, order: rising}"
        )
    }

    /// Reads a list of so many products, in pages of a size, whatever is asked for.
    ///
    /// The market answers `status` behind the last page. What a page says beside its rows depends on how many it has, and on
    /// whether more follow.
    private static func read(
        _ document: String,
        count: Int,
        size: Int,
        status: Int = 200,
        _ members: @escaping @Sendable (_ rows: Int, _ hasMore: Bool) -> String
    ) async throws -> (ids: [MarketID], summary: CatalogSummary, requests: Int) {
        try await DescribedMarketTests().withMarket(document) { request in
            let number = Int(request.path.query.split(separator: "page=").last?.prefix { $0.isNumber } ?? "") ?? 0
            let ids = (1...count).reversed().dropFirst(size * (number - 1)).prefix(size)
            guard !ids.isEmpty || status == 200 else { return .reply(status, #"{"problem":"no such page"}"#) }
            let rows = ids.map { "{\"id\":\($0)}" }.joined(separator: ",")
            return .reply(200, "{\(members(ids.count, size * number < count)),\"rows\":[\(rows)]}")
        } _: { client, market in
            var ids: [MarketID] = []
            let summary = try await client.walk(details: false) {
                ids.append($0.id)
            } problem: { _ in
            }
            return (ids, summary, market.requests.count)
        }
    }

    private static func newestFirst(_ count: Int) -> [MarketID] { (1...count).reversed().map { MarketID(Int64($0)) } }

    /// The market has pages of another size than it is asked for, or described with.
    @Test(arguments: [
        (2, 5, "{param: limit, standard: 2}"), (7, 15, "{param: limit, standard: 100}"),
        (5, 5, "{param: limit, standard: 100}"), (4, 45, "{param: limit, standard: 100}"),
        (1, 2, "{param: limit, standard: 100}"),
        (20, 45, "{standard: 100}"), (3, 3, "{standard: 100}"),
    ])
    func `a count of the rows of a page is not one of the products`(size: Int, count: Int, asked: String) async throws {
        let document = Self.list(
            "{by: number, param: page, size: \(asked)}",
            "  total: {at: /count}\n  past_end: [empty]",
            complete: "ranks"
        )
        let read = try await Self.read(document, count: count, size: size) { rows, _ in "\"count\":\(rows)" }
        #expect(read.ids == Self.newestFirst(count))
        #expect(read.summary.proof != nil && (read.summary.proof == .ranks) == (size == count))
        // Such a count says nothing of what changed.
        #expect(read.summary.catalogMoved == false)
    }

    @Test func `rows without ids behind the page that is all by its count are not the end`() async throws {
        let document = Self.list(
            "{by: number, param: page}",
            "  total: {at: /count}\n  past_end: [empty]",
            complete: "ranks"
        )
        try await DescribedMarketTests().withMarket(document) { request in
            let isFirst = request.path.query.contains("page=1") || !request.path.query.contains("page=")
            let rows = isFirst ? (1...6).reversed().map { #"{"id":\#($0)}"# } : [#"{"name":"x"}"#]
            return .reply(200, "{\"count\":6,\"rows\":[\(rows.joined(separator: ","))]}")
        } _: { client, _ in
            _ = await #expect(throws: MarketError.self) {
                _ = try await client.walk(details: false) { _ in
                } problem: { _ in
                }
            }
        }
    }

    /// What pages say where another one follows, and where none does.
    @Test(arguments: [
        ("null", "null"), ("\"\"", "null"), ("\"/products?page=2\"", "null"), ("\"/products?page=2\"", "\"\""),
        ("true", "false"),
    ])
    func `null in the place of the next address is the end only of a list that had addresses there`(
        more: String,
        end: String
    ) async throws {
        let document = Self.list(
            "{by: number, param: page, size: {param: limit, standard: 5}}",
            "  more: {at: /more}",
            complete: "twice"
        )
        // What is answered behind the last page is not described.
        for status in [200, 404] {
            for count in [1, 5, 12] {
                let read = try await Self.read(document, count: count, size: 5, status: status) { _, hasMore in
                    "\"more\":\(hasMore ? more : end)"
                }
                #expect(read.ids == Self.newestFirst(count), "\(count), \(status)")
                #expect(read.summary.isComplete && read.summary.catalogMoved != true, "\(count), \(status)")
            }
        }
    }

    @Test func `pages behind a row are asked for behind one that names none`() async throws {
        let document = Self.list(
            #"{by: keyset, last: /id, query: {before: "{last}"}}"#,
            "  more: {at: /next}",
            complete: "keyset"
        )
        try await DescribedMarketTests().withMarket(document) { request in
            let last = Int(request.path.query.split(separator: "before=").last ?? "") ?? 13
            let rows = (1..<last).reversed().prefix(5).map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .reply(200, #"{"next":null,"rows":[\#(rows)]}"#)
        } _: { client, _ in
            let catalog = try await client.catalog()
            #expect(catalog.products.count == 12)
        }
    }

    @Test(arguments: [200, 404])
    func `what is found for a key is read to its end, whatever is null on its pages`(status: Int) async throws {
        let document = Self.list("{by: number, param: page}", "  more: {at: /next}", complete: "twice").replacing(
            "order: rising}}",
            with: #"order: rising}, key: {at: /sku, unique: unenforced, find: {query: {sku: "{key}"}}}}"#
        )
        try await DescribedMarketTests().withMarket(document) { request in
            guard request.path.contains("?") else {
                return .reply(200, #"{"id":\#(request.path.split(separator: "/").last ?? ""),"sku":"lamp"}"#)
            }
            let number = Int(request.path.query.split(separator: "page=").last?.prefix { $0.isNumber } ?? "") ?? 0
            guard number > 2 else { return .reply(200, #"{"next":null,"rows":[{"id":\#(number),"sku":"lamp"}]}"#) }
            return .reply(status, #"{"next":null,"rows":[]}"#)
        } _: { client, _ in
            let found = try await client.products(withKey: "lamp")
            #expect(found.map(\.id) == [1, 2])
        }
    }
}
