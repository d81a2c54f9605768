import OpenMarket

/// A plan with the additional facts that every format shows.
package struct ReviewedPlan: Sendable {
    package var subject: ReviewSubject
    package var review: PlanReview
    var effort: PlanEffort
    /// The number of unresolved operations of earlier runs.
    private let unresolved: Int

    var plan: Plan { review.plan }

    /// What is said of a plan that changes nothing.
    var idle: String {
        unresolved == 0
            ? "No changes." : "Nothing else to change; unresolved operations of earlier runs: \(unresolved)."
    }

    /// Creates a plan for readers; the bound for price moves is in hundredths of a percent.
    ///
    /// The last run is the newest one in the state.
    init(
        _ plan: Plan,
        of subject: ReviewSubject,
        unresolved: Int = 0,
        maximumPriceChange: Int64? = nil,
        lastRun: RunSummary? = nil
    ) {
        self.subject = subject
        self.unresolved = unresolved
        review = PlanReview(plan, maximumPriceChange: maximumPriceChange)
        effort = PlanEffort(plan, subject.profile.capabilities, lastRun: lastRun)
    }
}
