package import OpenMarket
import OpenMarketDescription

/// Why nothing but reads is sent to a described market.
package enum MarketTrustError: Error, Hashable, Sendable {
    /// Another description was said to be accepted than the one that is used.
    case otherDescription(market: String, digest: ContentDigest, accepted: ContentDigest)
    /// Whoever runs the program did not accept the description.
    case declined(market: String)
}

extension MarketTrustError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .otherDescription(let market, let digest, let accepted):
            "the description of \(market) is sha256:\(digest), and sha256:\(accepted) was accepted; nothing was sent"
        case .declined(let market): "the description of \(market) was not accepted; nothing was sent"
        }
    }
}

/// Whether anything but reads may be sent to a market as its description says.
///
/// A file can aim a request anywhere at its market, with our credentials: a delete at the orders, or at another seller's
/// products. So whoever runs the program looks at a description once before it is used to write, and again after it changed.
/// A state is kept for each market and each set of parameters, so other parameters are looked at, too.
package struct MarketTrust: Sendable {
    /// What is known of a description.
    enum Standing: Hashable, Sendable {
        /// It is part of the program.
        case builtIn
        /// It was accepted.
        case accepted
        /// None was accepted for this market.
        case new
        /// Another one was accepted.
        case changed(from: ContentDigest)
    }

    /// The market, as it is described now.
    package let profile: MarketProfile
    /// The market's address.
    package let url: String
    /// What is known of the description.
    let standing: Standing

    /// What a state remembers of a market's description.
    ///
    /// - Throws: what the state throws.
    init(_ target: MarketTarget, rememberedBy state: any StateReader) async throws {
        profile = target.profile
        url = target.url
        guard !target.profile.isBuiltIn else {
            standing = .builtIn
            return
        }
        let remembered = try await state.acceptedDescription()
        standing = remembered.map { $0 == target.profile.digest ? .accepted : .changed(from: $0) } ?? .new
    }

    /// The description that was accepted earlier, where it is this one.
    var remembered: ContentDigest? { standing == .accepted ? profile.digest : nil }

    /// Every request that the description can ever make.
    var requests: [RequestForm] { MarketDescription(of: profile).requestForms(profile.parameters) }

    /// The description that is accepted; `nil` where none has to be.
    ///
    /// - Parameters:
    ///   - said: the digest of the description that whoever runs the program said to accept.
    ///   - ask: shows the requests and asks; throws where that is not possible.
    /// - Returns: the digest to open a session with.
    /// - Throws: ``MarketTrustError``, and what `ask` throws.
    func accepted(said: ContentDigest?, asking ask: (MarketTrust) throws -> Bool) throws -> ContentDigest? {
        guard standing != .builtIn else { return nil }
        if let said {
            guard said == profile.digest else {
                throw MarketTrustError.otherDescription(market: profile.name, digest: profile.digest, accepted: said)
            }
            return said
        }
        guard standing != .accepted else { return profile.digest }
        guard try ask(self) else { throw MarketTrustError.declined(market: profile.name) }
        return profile.digest
    }
}

/// How it becomes known that whoever runs the program accepts a market's description.
package struct DescriptionAcceptance: Sendable {
    /// The digest of the description that was said to be accepted.
    let said: ContentDigest?
    /// Shows the requests and asks; throws where that is not possible.
    let ask: @Sendable (MarketTrust) throws -> Bool

    /// - Parameters:
    ///   - said: the digest of the description that was said to be accepted.
    ///   - ask: shows the requests and asks; throws where that is not possible.
    package init(said: ContentDigest?, asking ask: @escaping @Sendable (MarketTrust) throws -> Bool) {
        self.said = said
        self.ask = ask
    }
}
