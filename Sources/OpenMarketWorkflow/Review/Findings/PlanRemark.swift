import OpenMarket

/// A sentence about a plan: a reason for its refusal, or a warning.
struct PlanRemark {
    var location: SourceLocation?
    var message: String
    /// The remedy, such as the override of a refusal.
    var help: String?
}

extension Plan {
    /// The errors and refusals; empty if the plan may be carried out.
    var reasonsAgainst: [PlanRemark] {
        diagnostics.filter { $0.severity == .error }.map { PlanRemark(location: $0.location, message: $0.message) }
            + refusals.map { PlanRemark(location: $0.source, message: $0.message, help: $0.override?.description) }
    }

    /// The planner's warnings, such as a rename that looks like a delete, or an unreadable row.
    var warnings: [PlanRemark] {
        diagnostics.filter { $0.severity == .warning }.map {
            PlanRemark(location: $0.location, message: $0.message, help: $0.help)
        }
    }
}

extension PlanSummary {
    /// The numbers of products by action; rare actions only if there are any.
    var counts: [(action: String, count: Int, label: String)] {
        [
            ("create", add, "to add"), ("update", change, "to change"), ("replace", replace, "to replace"),
            ("delete", delete, "to delete"), ("adopt", adopt, "to adopt"), ("forget", forget, "to forget"),
            ("rename", rename, "to rename"), ("unchanged", unchanged, "unchanged"),
        ]
        .filter { $0.1 > 0 || !["adopt", "forget", "rename"].contains($0.0) }
    }

    /// `1 to add, 2 to change, 1 to replace, 0 to delete, 45 unchanged`.
    var text: String { counts.map { "\($0.count) \($0.label)" }.joined(separator: ", ") }
}
