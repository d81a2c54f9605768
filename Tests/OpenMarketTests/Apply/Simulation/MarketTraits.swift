@testable import OpenMarket
@testable import OpenMarketTestSupport

/// What no description says of a market, and what is left out for a test of the judge.
struct MarketTraits: Sendable {
    /// A part of the tool or of the market's promise that keeps products from being made twice, to be left out.
    enum Net: CaseIterable {
        /// A create that is sent again has the key of the first.
        case idempotencyKey
        /// What a lookup returns is looked at.
        case lookupCheck
        /// A product that does not show is waited for.
        case wait
        /// The market is not asked again once it may have forgotten the key.
        case window
        /// The market refuses a second product of a key.
        case uniqueKey
        /// What is made later has a greater id.
        case risingIDs
        /// Nothing is made where nothing shows what becomes of it, unless that is accepted.
        case acceptance
        /// The same, where a person accepts it on a market that acts late, without a wait: what the refusal is for.
        case refusal
    }

    /// How much later a lookup knows a product than the list does.
    var lookupLag = Duration.zero
    /// Whether the market shows keys in capitals.
    var shoutsKeys = false
    /// Whether it compares a new key with those before it respells it, so that it refuses none.
    var comparesFirst = false
    /// What is left out.
    var missing: Net?

    init() {}

    init(_ dice: inout SeededGenerator) {
        lookupLag = .milliseconds([0, 0, 800, 3000].randomElement(using: &dice) ?? 0)
        shoutsKeys = Int.random(in: 0..<4, using: &dice) == 0
        comparesFirst = .random(using: &dice)
    }

    /// A key as the market keeps it.
    func kept(_ key: String?) -> String? { shoutsKeys ? key?.uppercased() : key }
}
