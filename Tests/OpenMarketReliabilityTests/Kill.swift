@testable import OpenMarketTestSupport

/// Where a run is killed.
struct Kill: Sendable, CustomStringConvertible {
    enum Moment: String, Sendable {
        case before
        case after
    }

    /// The writing request, counted from 0.
    var request: Int
    var moment: Moment

    var description: String { "killed \(moment) request \(request + 1)" }

    /// Holds the request for as long as anybody waits: before the market does anything, or when it has done it, before the
    /// first byte of the reply's body.
    var fault: String { moment == .before ? "{latency: 3600s}" : "{slow: 1, pause: 3600s}" }

    /// Whether the request is held now.
    func isReached(_ writes: [ReferenceServer.Request]) -> Bool {
        guard writes.count > request else { return false }
        return moment == .before ? true : writes[request].status != nil
    }
}
