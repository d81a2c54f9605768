import OpenMarket

struct PlanPage {
    let reviewed: ReviewedPlan
    private var subject: ReviewSubject { reviewed.subject }
    let pictures: ReviewPictures
    /// For each operation; empty without decisions.
    let items: [PlanDecisions.Item]

    /// The number of operations of a finding that are not folded.
    private static let openFindings = 4
    private static let openWarnings = 3

    var values: [String: Any] {
        let review = reviewed.review
        let plan = review.plan
        var anchors: Set<String> = PageTemplates.ids
        // At most one operation of a key sends requests; the others of that key lack a link.
        let operations = review.items.map { item in
            PageOperation(item, isLinked: anchors.insert(PageOperation.anchor(item)).inserted)
        }
        var shown = PagePictures(pictures)
        let named = operations.map { $0.values(&shown, subject) }
        var cards = zip(operations, named).map { $0.pictured($1, &shown) }
        if !items.isEmpty { for index in cards.indices { cards[index]["decided"] = decided(cards[index]) } }
        return [
            "title": "Plan: \(plan.summary.text)",
            "counts": plan.summary.counts.map { action, count, label in
                ["class": count == 0 ? "none" : action, "count": count, "label": label] as [String: Any]
            },
            "unselected": unselected(plan.unselected),
            "refusals": list(plan.reasonsAgainst.map(row)),
            "warnings": folded(plan.warnings.map(row), open: Self.openWarnings),
            "findings": list(findings(review)),
            "found": review.findings.reduce(0) { $0 + $1.items.count },
            "impact": list(
                PlanImpact.others(review.items, reviewed.effort).map { ["title": $0.title, "text": $0.text] }
            ),
            "kinds": PageOperation.Kind.allCases.compactMap { kind -> [String: Any]? in
                let count = operations.count { $0.kinds.contains(kind) }
                return count == 0 ? nil : ["kind": kind.rawValue, "label": kind.label, "count": count]
            },
            "hasMoves": review.items.contains { $0.move != nil },
            "isIllustrated": cards.contains { $0["mainPicture"] != nil },
            "hasOperations": !cards.isEmpty,
            "idle": reviewed.idle,
            "total": cards.count,
            "operations": cards,
            "plan": items.isEmpty ? nil : "sha256:\(subject.content)",
            "subject": subject.rows.map { row -> [String: Any] in
                ["title": row.title, "text": row.text, "isWorded": row.title == "manifest"]
            },
            "tool": subject.tool,
        ]
        .compactMapValues { $0 }
    }

    private func decided(_ card: [String: Any]) -> [String: Any]? {
        (card["index"] as? Int).map { ["operation": "sha256:\(items[$0].digest)", "product": items[$0].key] }
    }

    private func unselected(_ count: Int) -> Any? {
        count == 0 ? nil : ["label": "\(counted(count, "product")) not selected"]
    }

    /// A section's rows; `nil` if it is empty, so that the heading is also left out.
    private func list(_ rows: [[String: Any]]) -> Any? { rows.isEmpty ? nil : ["rows": rows] }

    /// The first rows, and the rest folded.
    private func folded(_ rows: [[String: Any]], open limit: Int) -> [String: Any]? {
        guard !rows.isEmpty else { return nil }
        // Folding a single row would not save space.
        let open = rows.count == limit + 1 ? rows.count : limit
        var values: [String: Any] = ["rows": Array(rows.prefix(open))]
        if rows.count > open {
            values["more"] = ["count": rows.count - open, "rows": Array(rows.dropFirst(open))]
        }
        return values
    }

    private func row(_ remark: PlanRemark) -> [String: Any] {
        var values: [String: Any] = ["message": remark.message]
        values["place"] = remark.location?.description
        values["override"] = remark.help
        return values
    }

    private func findings(_ review: PlanReview) -> [[String: Any]] {
        review.findings.map { finding, items in
            let rows = items.map { PageOperation($0, isLinked: true).finding }
            let values: [String: Any] = ["phrase": finding.phrase, "count": rows.count]
            return values.merging(folded(rows, open: Self.openFindings) ?? [:]) { $1 }
        }
    }
}
