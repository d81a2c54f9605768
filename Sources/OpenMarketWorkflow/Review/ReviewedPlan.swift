import OpenMarket
import OpenMarketDescription

/// A plan with the additional facts that every format shows.
package struct ReviewedPlan: Sendable {
    package var subject: ReviewSubject
    package var review: PlanReview
    var effort: PlanEffort
    /// The number of unresolved operations of earlier runs.
    private let unresolved: Int

    var plan: Plan { review.plan }

    var impact: [(title: String, text: String)] {
        PlanImpact.listings(review.items) + PlanImpact.others(review.items, effort)
    }

    /// The text for a plan without changes.
    var idle: String {
        unresolved == 0
            ? "No changes." : "No other changes; unresolved operations of earlier runs: \(unresolved)."
    }

    /// How many fields of the planned products differ besides; `nil` if none does.
    var waiting: String? {
        guard plan.waiting > 0 else { return nil }
        let verb = plan.waiting == 1 ? "waits" : "wait"
        return "\(counted(plan.waiting, "other difference")) \(verb) for `openmarket apply`"
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

extension ReviewedPlan {
    /// Creates a plan for readers, with file paths relative to the current folder.
    package init(_ saved: SavedPlan) { self.init(saved.plan, of: ReviewSubject(saved), unresolved: saved.unresolved) }
}

extension Session {
    /// A plan for readers, with its effort from the state.
    ///
    /// The bound for price moves is in hundredths of a percent. Errors come from the state.
    package func reviewed(_ saved: SavedPlan, maximumPriceChange: Int64? = nil) async throws -> ReviewedPlan {
        ReviewedPlan(
            saved.plan,
            of: ReviewSubject(saved),
            unresolved: saved.unresolved,
            maximumPriceChange: maximumPriceChange,
            lastRun: try await state.runs(limit: 1).first
        )
    }
}

extension ReviewSubject {
    fileprivate init(_ saved: SavedPlan) {
        let paths = DocumentPaths(folder: DocumentFolder.current)
        self.init(
            market: saved.url,
            profile: saved.profile,
            manifests: saved.manifestFiles.map { paths.relative($0) },
            tool: saved.tool,
            content: saved.contentDigest,
            productAddress: saved.profile.productAddress(at: saved.url),
            editedBy: saved.editedBy.map { paths.relative($0) }
        )
    }
}
