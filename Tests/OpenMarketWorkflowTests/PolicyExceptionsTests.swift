@testable import OpenMarket
@testable import OpenMarketWorkflow
import Testing

/// What a run allows against the policies of its manifest, and what the journal keeps of it.
struct PolicyExceptionsTests {
    private static let strict = Policies(
        maximumDelete: .count(1),
        maximumPriceChange: 500,
        minimumPrice: 10,
        allowsCurrencyChange: false,
        allowsStockToZero: false
    )

    @Test func `a policy that is overridden does not count, and one with another bound has that`() {
        let exceptions = PolicyExceptions(
            overriding: [.maxPriceChange, .allowUnsettledCreates],
            bounds: [.maximumDelete(.basisPoints(3000)), .minimumPrice(5), .currencyChange, .stockToZero, .zeroPrice]
        )
        let wanted = Policies(
            maximumDelete: .basisPoints(3000),
            maximumPriceChange: nil,
            minimumPrice: 5,
            allowsCurrencyChange: true,
            allowsStockToZero: true,
            allowsZeroPrice: true,
            allowsUnsettledCreates: true
        )
        #expect(exceptions.applied(to: Self.strict) == wanted)
        let loose = PolicyExceptions(bounds: [.maximumPriceChange(nil), .minimumPrice(nil)]).applied(to: Self.strict)
        #expect(loose.maximumPriceChange == nil && loose.minimumPrice == nil && loose.maximumDelete == .count(1))
        #expect(PolicyExceptions().applied(to: Self.strict) == Self.strict)
    }

    @Test func `what a run says of drift is said of all fields`() {
        var options = PlannerOptions(policies: Policies(onDrift: [.price: .keep]))
        #expect(options.onDrift == nil && options.policies.onDrift == [.price: .keep])
        options.handleAllDrift(.keep)
        #expect(options.onDrift == .keep && options.policies.onDrift.isEmpty)
    }

    @Test func `only what does not count at all needs a reason, and blanks are not one`() {
        #expect(PolicyExceptions(overriding: [.minPrice], reason: " \n").lacksReason)
        #expect(!PolicyExceptions(overriding: [.minPrice], reason: "sale").lacksReason)
        #expect(!PolicyExceptions(bounds: [.stockToZero]).lacksReason)
    }

    @Test func `the journal keeps each policy once, in their order, with the reason`() {
        let exceptions = PolicyExceptions(
            overriding: [.allowStockToZero, .maxDelete],
            bounds: [.stockToZero, .minimumPrice(nil)],
            reason: "sale"
        )
        let approval = RunApproval(
            policies: ["max_delete", "min_price", "allow_stock_to_zero"],
            reason: "sale",
            user: "me"
        )
        #expect(exceptions.approval(by: "me") == approval)
        #expect(PolicyExceptions(reason: " ").approval(by: "me") == nil)
        let decisions = RunDecisions(by: "mina", rejected: 2, file: .zero)
        let decided = RunApproval(policies: [], reason: nil, user: "me", decisions: decisions)
        var none = PolicyExceptions()
        none.decisions = decisions
        #expect(none.approval(by: "me") == decided)
        let hidden = KnownSecrets.$current.withValue(KnownSecrets([Secret("hunter2-hunter2")])) {
            PolicyExceptions(reason: "with hunter2-hunter2").approval(by: "me")
        }
        #expect(hidden?.reason == "with •••")
        let reason = PolicyExceptions(reason: "sale").approval(by: "me")
        #expect(reason == RunApproval(policies: [], reason: "sale", user: "me"))
    }
}
