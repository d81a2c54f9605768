import Crypto
@testable import OpenMarket
@testable import OpenMarketDescription
import Synchronization

/// A market in this process that shows what it is given, remembers what it is asked for, and lets nothing be written unless
/// it is told otherwise.
struct StandInMarket: Market {
    struct Asked: Sendable {
        /// How often it was read as a whole.
        var lists = 0
        /// The addresses, also of those that are not there.
        var pictures: [String] = []
        var requests: [WriteRequest] = []
    }

    final class Log: Sendable {
        fileprivate let asked = Mutex(Asked())
    }

    var profile = MarketProfile.v2b
    var list: [LiveProduct] = []
    /// If `nil`, they show what the list does.
    var details: [LiveProduct]?
    var problems: [RowProblem] = []
    var completeness = CatalogSummary.Completeness.proved(.whole)
    var isFromCache = false
    var catalogMoved = false
    /// The columns of which no row has a member.
    var missing: Set<CatalogColumn> = []
    /// The products that only their details show as deleted.
    var deleted: Set<MarketID> = []
    /// By their addresses.
    var pictures: [String: [UInt8]] = [:]
    /// Why others are not given.
    var pictureError = MarketError(.refused, "no picture")
    /// Called with what a reading will show; throws where the market fails.
    var onWalk: @Sendable (inout [LiveProduct]) throws -> Void = { _ in }
    /// Finds single products instead of `details`.
    var onDetail: (@Sendable (MarketID) throws -> LiveProduct?)?
    var onKey: @Sendable (String) throws -> [LiveProduct] = { _ in
        throw MarketError(.refused, "no request for the products of a key")
    }
    /// Called before a picture is given.
    var onPicture: @Sendable () async throws -> Void = {}
    var onWrite: @Sendable (WriteRequest) -> WriteOutcome = { _ in
        .refused(WriteRefusal(.other, status: 405, message: "writing is not allowed"))
    }
    let log = Log()

    /// What this market and its copies were asked for.
    var asked: Asked { log.asked.withLock(\.self) }
    var requests: [WriteRequest] { asked.requests }

    /// Whether one is a copy of the other.
    static func === (left: Self, right: Self) -> Bool { left.log === right.log }

    func requireProfile() async throws {}

    func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        log.asked.withLock { $0.lists += 1 }
        var shown = list
        if details {
            try requireDetails()
            shown = self.details ?? list
        }
        try onWalk(&shown)
        for fault in problems { try await problem(fault) }
        for product in shown { try await row(product) }
        var summary = CatalogSummary()
        summary.rows = shown.count
        summary.pages = 1
        summary.passes = 3
        summary.completeness = completeness
        summary.isFromCache = isFromCache
        summary.catalogMoved = catalogMoved
        summary.missing = missing
        return summary
    }

    func product(_ id: MarketID) async throws -> LiveProduct? {
        try requireDetails()
        if let onDetail { return try onDetail(id) }
        return (details ?? list).first { $0.id == id }
    }

    /// As a client does.
    private func requireDetails() throws {
        guard profile.capabilities.showsDetails else { throw MarketError(.undescribed, "no request for one product") }
    }

    func countsAsDeleted(_ id: MarketID) async throws -> Bool { deleted.contains(id) }

    func products(withKey key: String) async throws -> [LiveProduct] { try onKey(key) }

    func picture(at url: String) async throws -> FetchedPicture {
        log.asked.withLock { $0.pictures.append(url) }
        try await onPicture()
        guard let bytes = pictures[url] else { throw pictureError }
        return FetchedPicture(bytes)
    }

    func pictureDigest(at url: String) async throws -> ContentDigest { try await picture(at: url).digest }

    func perform(_ request: WriteRequest) async -> WriteOutcome {
        log.asked.withLock { $0.requests.append(request) }
        return onWrite(request)
    }
}

extension FetchedPicture {
    init(_ bytes: [UInt8]) { self.init(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes))) }
}
