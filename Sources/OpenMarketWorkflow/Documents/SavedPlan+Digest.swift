import Crypto
import OpenMarket

extension SavedPlan {
    /// The SHA-256 of ``content``.
    var contentDigest: ContentDigest {
        var hash = SHA256()
        forEachPieceOfContent { hash.update(data: $0) }
        return ContentDigest(bytes: hash.finalize())
    }

    /// Checks that the plan is the approved one; otherwise throws ``SessionError/unexpectedPlan(_:expected:)``.
    func requireContent(_ expected: ContentDigest?) throws(SessionError) {
        guard let expected else { return }
        let content = contentDigest
        guard content == expected else { throw .unexpectedPlan(content, expected: expected) }
    }
}
