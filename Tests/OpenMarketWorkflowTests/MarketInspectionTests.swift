@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// A market that is looked at: its products, what proves that they are all, and what its replies have.
struct MarketInspectionTests {
    private static let lamp = LiveProduct(id: MarketID(9), name: "Lamp", price: 5)
    private static let page = #"{"totalCount":1,"pages":[{"id":9,"name":"Lamp","price":5,"colour":"red"}]}"#

    private static func inspection(_ market: StandInMarket, replies: [String] = []) async throws -> MarketInspection {
        var connection = LocalConnection(market)
        connection.replies = replies
        return try await MarketInspection(over: connection)
    }

    @Test func `products are shown as an export writes them, without what only a state knows`() async throws {
        let inspection = try await Self.inspection(StandInMarket(list: [Self.lamp]))
        let product = try JSONValue.parse(inspection.products)
        #expect(product.members?.map(\.name) == CatalogColumn.allCases.filter { $0 != .key }.map(\.rawValue))
        #expect(product["id"]?.integer == 9 && product["name"]?.text == "Lamp")
        #expect(inspection.count == 1 && inspection.isSound)
    }

    @Test func `the replies are counted that come while it is read`() async throws {
        let inspection = try await Self.inspection(StandInMarket(list: [Self.lamp]), replies: [Self.page, "<html>"])
        #expect(inspection.census.pages == 1 && inspection.census.rows == 1)
        #expect(inspection.census.unnamedInRows.map(\.name) == ["/colour"])
        #expect(try await Self.inspection(StandInMarket(list: [Self.lamp])).census.pages == 0)
    }

    @Test func `a market that fails is looked at as far as it goes`() async throws {
        let failure = MarketError(.unreachable, "no answer")
        let inspection = try await Self.inspection(StandInMarket(onWalk: { _ in throw failure }))
        #expect(inspection.failure == failure && inspection.summary == nil && !inspection.isSound)
        await #expect(throws: CancellationError.self) {
            _ = try await Self.inspection(StandInMarket(onWalk: { _ in throw CancellationError() }))
        }
    }

    @Test func `what is wrong with rows is counted, and the first of it kept`() async throws {
        let problems = (1...25).map { RowProblem(id: nil, place: "page 1, row \($0)", message: "no id") }
        let inspection = try await Self.inspection(StandInMarket(list: [Self.lamp], problems: problems))
        #expect(inspection.problems == Array(problems.prefix(MarketInspection.mostProblems)))
        #expect(inspection.problemCount == 25 && !inspection.isSound)
    }
}
