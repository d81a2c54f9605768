package import OpenMarket

/// A plan with what its readers are told besides: what every format shows.
package struct ReviewedPlan: Sendable {
    /// The plan in the order of its risk.
    package var review: PlanReview
    /// What carrying it out takes.
    package var effort: PlanEffort

    /// The plan.
    package var plan: Plan { review.plan }

    /// A plan for readers.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - capabilities: What the market can do.
    ///   - maximumPriceChange: The policy's bound for price moves, in hundredths of a percent.
    ///   - lastRun: The newest run that the state knows.
    package init(
        _ plan: Plan,
        _ capabilities: MarketCapabilities,
        maximumPriceChange: Int64? = nil,
        lastRun: RunSummary? = nil
    ) {
        review = PlanReview(plan, maximumPriceChange: maximumPriceChange)
        effort = PlanEffort(plan, capabilities, lastRun: lastRun)
    }
}
