package import OpenMarket
import OpenMarketDescription
import Synchronization

/// The result of reading a whole market: its products, the proof that they are all, and the members of its replies.
package struct MarketInspection: Sendable {
    /// The products in the market's order, one line of JSON each, as an export writes them.
    package var products: [UInt8] = []
    var count = 0
    /// The summary of the list; `nil` if reading ended in ``failure``.
    var summary: CatalogSummary?
    /// The error that ended reading the list early.
    package var failure: MarketError?
    /// The first ``mostProblems`` faults of rows.
    var problems: [RowProblem] = []
    var problemCount = 0
    var census: ResponseFieldStats

    /// The number of row faults that are kept.
    static let mostProblems = 20

    /// Whether all products were read, each completely.
    package var isSound: Bool { failure == nil && problemCount == 0 && summary?.isComplete == true }

    /// Reads a market's list, and counts the members of its replies.
    ///
    /// Throws only errors that are not the market's, such as `CancellationError`.
    package init(over connection: some MarketConnection) async throws {
        let profile = connection.profile
        let replies = ReplyCensus(MarketDescription(of: profile), parameters: profile.parameters)
        census = replies.census
        var connection = connection
        connection.onReply = { replies.add($0) }
        // The key is the state's.
        let format = CatalogJSONLines(columns: CatalogColumn.allCases.filter { $0 != .key })
        self = try await connection.open { [inspection = self] market in
            var inspection = inspection
            do {
                inspection.summary = try await market.walk(
                    collecting: CatalogRows(in: format, keys: ProductKeys())
                ) { page in
                    inspection.count += page.count
                    inspection.products += page.takeBytes()
                } problem: { problem in
                    inspection.problemCount += 1
                    if inspection.problems.count < Self.mostProblems { inspection.problems.append(problem) }
                }
            } catch let error as MarketError {
                inspection.failure = error
            }
            inspection.census = replies.census
            return inspection
        }
    }
}

/// Counts the members of a market's replies, on any thread.
final class ReplyCensus: Sendable {
    private let counted: Mutex<ResponseFieldStats>

    init(_ market: MarketDescription, parameters: [String: String]) {
        counted = Mutex(ResponseFieldStats(market, parameters: parameters))
    }

    var census: ResponseFieldStats { counted.withLock { $0 } }

    /// Counts a reply; ignores one that is not a page of the list.
    func add(_ body: [UInt8]) {
        guard let document = try? JSONValue.parse(body) else { return }
        counted.withLock { $0.add(page: document) }
    }
}
