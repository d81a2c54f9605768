import OpenMarket

/// A plan with what its readers are shown besides: what every format shows.
package struct ReviewedPlan: Sendable {
    /// What it is a plan of.
    package var subject: ReviewSubject
    /// The plan in the order of its risk.
    package var review: PlanReview
    /// What carrying it out takes.
    var effort: PlanEffort

    var plan: Plan { review.plan }

    /// A plan for readers.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - subject: What it is a plan of.
    ///   - maximumPriceChange: The policy's bound for price moves, in hundredths of a percent.
    ///   - lastRun: The newest run that the state knows.
    init(
        _ plan: Plan,
        of subject: ReviewSubject,
        maximumPriceChange: Int64? = nil,
        lastRun: RunSummary? = nil
    ) {
        self.subject = subject
        review = PlanReview(plan, maximumPriceChange: maximumPriceChange)
        effort = PlanEffort(plan, subject.profile.capabilities, lastRun: lastRun)
    }
}
