import OpenMarket

struct PlanPage {
    private let reviewed: ReviewedPlan
    private var subject: ReviewSubject { reviewed.subject }
    private let pictures: ReviewPictures

    /// The number of operations of a finding that are not folded.
    private static let openFindings = 4
    private static let openWarnings = 3

    init(_ reviewed: ReviewedPlan, _ pictures: ReviewPictures) {
        self.reviewed = reviewed
        self.pictures = pictures
    }

    var values: [String: Any] {
        let review = reviewed.review
        let plan = review.plan
        var anchors: Set<String> = PageTemplates.ids
        // At most one operation of a key sends requests; the others of that key have no link.
        let operations = review.items.map { item in
            PageOperation(item, isLinked: anchors.insert(PageOperation.anchor(item)).inserted)
        }
        var shown = PagePictures(pictures)
        let renames = plan.renames.enumerated().map { place, rename in
            renamed(from: rename.from, to: rename.to, at: operations.count + place, &anchors)
        }
        let named = operations.map { $0.values(&shown, subject) }
        let cards = zip(operations, named).map { $0.pictured($1, &shown) } + renames
        return [
            "title": "Plan: \(PlanTextRenderer.counts(plan.summary))",
            "counts": counts(plan.summary),
            "unselected": unselected(plan.unselected),
            "refusals": list(refusals(plan)),
            "warnings": folded(warnings(plan), open: Self.openWarnings),
            "findings": list(findings(review)),
            "found": review.findings.reduce(0) { $0 + $1.items.count },
            "impact": list(
                ImpactText.others(review.impact, reviewed.effort).map { ["title": $0.title, "text": $0.text] }
            ),
            "kinds": PageOperation.Kind.allCases.compactMap { kind -> [String: Any]? in
                let count = kind == .rename ? renames.count : operations.count { $0.kinds.contains(kind) }
                return count == 0 ? nil : ["kind": kind.rawValue, "label": kind.label, "count": count]
            },
            "hasMoves": review.items.contains { $0.move != nil },
            "isIllustrated": cards.contains { $0["emblem"] != nil },
            "hasOperations": !cards.isEmpty,
            "idle": reviewed.idle,
            "total": cards.count,
            "operations": cards,
            "subject": subject.rows.map { row -> [String: Any] in
                ["title": row.title, "text": row.text, "isWorded": row.title == "manifest"]
            },
            "tool": subject.tool,
        ]
        .compactMapValues { $0 }
    }

    /// A product that stays unchanged on the market and gets another key.
    private func renamed(from old: String, to new: String, at index: Int, _ anchors: inout Set<String>) -> [String: Any]
    {
        let anchor = new.terminalSafe
        let values: [String: Any?] = [
            "action": "rename", "label": new.terminalSafe.abbreviated(to: 120),
            "link": anchor.linkEscaped, "anchor": anchors.insert(anchor).inserted ? anchor : nil,
            "kinds": PageOperation.Kind.rename.rawValue, "index": index,
            "reason": "was '\(old.abbreviated(to: 120))'", "vacant": "Only the key changes",
        ]
        return values.compactMapValues(\.self)
    }

    private func unselected(_ count: Int) -> Any? {
        count == 0 ? nil : ["label": "\(counted(count, "product")) not selected"]
    }

    private func optional(_ value: Any?) -> Any? { value }

    /// A section's rows; `nil` if there are none, so that the heading is left out as well.
    private func list(_ rows: [[String: Any]]) -> Any? { rows.isEmpty ? nil : ["rows": rows] }

    private func counts(_ summary: PlanSummary) -> [[String: Any]] {
        [
            ("create", summary.add, "to add"), ("update", summary.change, "to change"),
            ("replace", summary.replace, "to replace"), ("delete", summary.delete, "to delete"),
            ("adopt", summary.adopt, "to adopt"), ("forget", summary.forget, "to forget"),
            ("rename", summary.rename, "to rename"),
            ("unchanged", summary.unchanged, "unchanged"),
        ]
        .filter { $0.1 > 0 || !["adopt", "forget", "rename"].contains($0.0) }
        .map { ["class": $0.1 == 0 ? "none" : $0.0, "count": $0.1, "label": $0.2] }
    }

    /// The first rows, and the rest folded.
    private func folded(_ rows: [[String: Any]], open limit: Int) -> [String: Any]? {
        guard !rows.isEmpty else { return nil }
        // Folding a single row would save nothing.
        let open = rows.count == limit + 1 ? rows.count : limit
        var values: [String: Any] = ["rows": Array(rows.prefix(open))]
        if rows.count > open {
            values["more"] = ["count": rows.count - open, "rows": Array(rows.dropFirst(open))]
        }
        return values
    }

    /// The planner's doubts: a rename that looks like a delete, a row that could not be read.
    private func warnings(_ plan: Plan) -> [[String: Any]] {
        plan.diagnostics.filter { $0.severity == .warning }.map { warning in
            var values: [String: Any] = ["message": warning.message]
            values["place"] = warning.location?.description
            values["override"] = warning.help
            return values
        }
    }

    private func refusals(_ plan: Plan) -> [[String: Any]] {
        func row(_ place: SourceLocation?, _ message: String, _ override: PlanOverride?) -> [String: Any] {
            [
                "message": message, "place": optional(place.map(\.description)),
                "override": optional(override.map(\.description)),
            ]
            .compactMapValues { $0 }
        }
        return plan.diagnostics.filter { $0.severity == .error }.map { row($0.location, $0.message, nil) }
            + plan.refusals.map { row($0.source, $0.message, $0.override) }
    }

    private func findings(_ review: PlanReview) -> [[String: Any]] {
        review.findings.map { finding, items in
            let rows = items.map { PageOperation($0, isLinked: true).finding }
            let values: [String: Any] = ["phrase": finding.phrase, "count": rows.count]
            return values.merging(folded(rows, open: Self.openFindings) ?? [:]) { $1 }
        }
    }
}
