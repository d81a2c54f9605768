import Crypto
import OpenMarket
import OpenMarketWorkflow

extension SavedPlan {
    /// The SHA-256 of what the plan does.
    var contentDigest: ContentDigest { ContentDigest(bytes: SHA256.hash(data: content)) }

    /// Checks that the plan does what was approved.
    ///
    /// - Throws: ``CommandFailure`` with exit 6 where it does not.
    func requireContent(_ expected: ContentDigest?) throws {
        guard let expected, expected != contentDigest else { return }
        throw CommandFailure(
            .stalePlan,
            "the plan is sha256:\(contentDigest), and sha256:\(expected) was expected; nothing was sent",
            help: "have this plan reviewed, and give its number with \(Setting.expectPlan.flag)"
        )
    }
}
