package import OpenMarket
import OpenMarketDescription

/// Whether writes may be sent to a market as its description states.
///
/// A description can aim a request anywhere at its market, with the user's credentials: a delete at the orders, or at
/// another seller's products. So the user reviews a description before its first use for writes, and after each change.
///
/// Each market and each set of parameters has its own state, so other parameters are also reviewed.
package struct MarketTrust: Sendable {
    enum Standing: Hashable, Sendable {
        case builtIn
        case accepted
        /// No description was accepted for this market.
        case new
        /// Another description was accepted.
        case changed(from: ContentDigest)
    }

    package let profile: MarketProfile
    package let url: String
    let standing: Standing

    /// Looks up the accepted description in the state.
    init(_ target: MarketTarget, rememberedBy state: any StateReader) async throws {
        profile = target.profile
        url = target.url
        guard let digest = target.profile.digestToAccept else {
            standing = .builtIn
            return
        }
        let remembered = try await state.acceptedDescription()
        standing = remembered.map { $0 == digest ? .accepted : .changed(from: $0) } ?? .new
    }

    /// This description's digest, if it was accepted earlier.
    var remembered: ContentDigest? { standing == .accepted ? profile.digest : nil }

    /// Every request that the description can send.
    var requests: [RequestForm] { MarketDescription(of: profile).requestForms(profile.parameters) }

    /// The digest to open a session with; `nil` if no description has to be accepted.
    ///
    /// `said` is the digest that the user accepted by option. `ask` shows the requests and asks; it throws if that is
    /// not possible.
    func accepted(said: ContentDigest?, asking ask: (MarketTrust) throws -> Bool) throws -> ContentDigest? {
        guard standing != .builtIn else { return nil }
        if let said {
            guard said == profile.digest else {
                throw CommandFailure(
                    .refused,
                    "the description of \(profile.name) is sha256:\(profile.digest), and sha256:\(said) was accepted; "
                        + "no change was sent",
                    help: "review its requests (openmarket market check), and accept it with --accept-market "
                        + "sha256:\(profile.digest)"
                )
            }
            return said
        }
        guard standing != .accepted else { return profile.digest }
        guard try ask(self) else {
            throw CommandFailure(.failure, "the description of \(profile.name) was not accepted; no change was sent")
        }
        return profile.digest
    }
}

package struct DescriptionAcceptance: Sendable {
    /// The digest that the user stated as accepted.
    let said: ContentDigest?
    /// Shows the requests and asks; throws if that is not possible.
    let ask: @Sendable (MarketTrust) throws -> Bool

    package init(said: ContentDigest?, asking ask: @escaping @Sendable (MarketTrust) throws -> Bool) {
        self.said = said
        self.ask = ask
    }
}
