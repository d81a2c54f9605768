import Crypto
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A market with a list that is set, and details that may be others.
struct ListedMarket: StandInMarket {
    var profile = MarketProfile.v2b
    var list: [LiveProduct] = []
    var details: [LiveProduct] = []
    var problems: [RowProblem] = []
    var isComplete = true
    /// The columns of which no row has a member.
    var missing: Set<CatalogColumn> = []
    var pictures: [String: [UInt8]] = [:]
    /// Why others are not given.
    var pictureError = MarketError(.refused, "no picture")
    /// Called before the list is read; throws where the market fails.
    var onWalk: @Sendable () throws -> Void = {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        try onWalk()
        if details { try requireDetails() }
        for fault in problems { try await problem(fault) }
        let shown = details ? self.details : list
        for product in shown { try await row(product) }
        var summary = CatalogSummary()
        summary.rows = shown.count
        summary.pages = 1
        summary.passes = 3
        summary.completeness = isComplete ? .proved(.whole) : .unsettled
        summary.missing = missing
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        try requireDetails()
        return details.first { $0.id == id }
    }

    /// As a client does.
    private func requireDetails() throws {
        guard profile.capabilities.showsDetails else { throw MarketError(.undescribed, "no request for one product") }
    }

    func picture(at url: String) async throws -> FetchedPicture {
        guard let bytes = pictures[url] else { throw pictureError }
        return FetchedPicture(bytes)
    }
}

extension FetchedPicture {
    init(_ bytes: [UInt8]) { self.init(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes))) }
}
