package import OpenMarket
import OpenMarketDescription
import Synchronization

/// What a whole reading of a market shows: its products, what proves that they are all, and what its replies have.
///
/// It looks, and writes nothing.
package struct MarketInspection: Sendable {
    /// The products in the market's order, a line of JSON each, as an export writes them.
    package var products: [UInt8] = []
    /// How many there are.
    var count = 0
    /// How the list was read; `nil` where that ended in ``failure``.
    var summary: CatalogSummary?
    /// Why the list could not be read to its end.
    package var failure: MarketError?
    /// What is wrong with rows, the first ``mostProblems`` of them.
    var problems: [RowProblem] = []
    /// How many faults rows have.
    var problemCount = 0
    /// What the replies have.
    var census: MemberCensus

    /// So many faults of rows are kept.
    static let mostProblems = 20

    /// Whether all products were read, each in whole.
    package var isSound: Bool { failure == nil && problemCount == 0 && summary?.isComplete == true }

    /// What is shown of a product: all but what only a state knows.
    private static let columns = CatalogColumn.allCases.filter { $0 != .key }

    /// Reads a market's list, and counts what its replies have.
    ///
    /// - Throws: what is not the market's, such as `CancellationError`.
    package init(over connection: some MarketConnection) async throws {
        let profile = connection.profile
        let replies = ReplyCensus(MarketDescription(of: profile), parameters: profile.parameters)
        var connection = connection
        connection.onReply = { replies.add($0) }
        self = try await connection.open { market in
            try await MarketInspection(reading: market, replies: replies, columns: Self.columns)
        }
    }

    /// Reads a market's list.
    ///
    /// - Parameters:
    ///   - market: the market; its replies have to be given to `replies`.
    ///   - replies: what counts the members of the replies.
    ///   - columns: what is shown of a product.
    /// - Throws: what is not the market's, such as `CancellationError`.
    init(reading market: any Market, replies: ReplyCensus, columns: [CatalogColumn]) async throws {
        var products: [UInt8] = []
        var problems: [RowProblem] = []
        var (count, problemCount) = (0, 0)
        do {
            summary = try await market.walk(
                collecting: CatalogRows(in: CatalogJSONLines(columns: columns), keys: ProductKeys())
            ) { page in
                count += page.count
                products += page.takeBytes()
            } problem: { problem in
                problemCount += 1
                if problems.count < Self.mostProblems { problems.append(problem) }
            }
        } catch let error as MarketError {
            failure = error
        }
        self.products = products
        self.problems = problems
        self.count = count
        self.problemCount = problemCount
        census = replies.census
    }
}

/// Counts what is in the replies of a market, from whichever thread they come.
final class ReplyCensus: Sendable {
    private let counted: Mutex<MemberCensus>

    /// A count of the replies of a described market.
    init(_ market: MarketDescription, parameters: [String: String]) {
        counted = Mutex(MemberCensus(market, parameters: parameters))
    }

    /// What was counted so far.
    var census: MemberCensus { counted.withLock { $0 } }

    /// Counts a reply; what is not a page of the list is left aside.
    func add(_ body: [UInt8]) {
        guard let document = try? JSONValue.parse(body) else { return }
        counted.withLock { $0.add(page: document) }
    }
}
