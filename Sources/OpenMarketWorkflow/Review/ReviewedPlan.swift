import OpenMarket

/// A plan with the additional facts that every format shows.
package struct ReviewedPlan: Sendable {
    package var subject: ReviewSubject
    package var review: PlanReview
    var effort: PlanEffort

    var plan: Plan { review.plan }

    /// Creates a plan for readers; the bound for price moves is in hundredths of a percent.
    ///
    /// The last run is the newest one in the state.
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
