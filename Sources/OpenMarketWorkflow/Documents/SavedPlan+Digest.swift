import Crypto
import OpenMarket

extension SavedPlan {
    /// The SHA-256 of what the plan does.
    var contentDigest: ContentDigest {
        var hash = SHA256()
        forEachPieceOfContent { hash.update(data: $0) }
        return ContentDigest(bytes: hash.finalize())
    }

    /// Checks that the plan does what was approved.
    ///
    /// - Throws: ``SessionError/unexpectedPlan(_:expected:)`` where it does not.
    func requireContent(_ expected: ContentDigest?) throws(SessionError) {
        guard let expected else { return }
        let content = contentDigest
        guard content == expected else { throw .unexpectedPlan(content, expected: expected) }
    }
}
