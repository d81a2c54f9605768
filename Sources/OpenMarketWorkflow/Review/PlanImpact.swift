import OpenMarket

/// What a plan does, in rows that every format shows alike.
enum PlanImpact {
    /// The listings that buyers see for the first time, changed, or no more.
    static func listings(_ items: [PlanReview.Item]) -> [(title: String, text: String)] {
        func count(_ actions: PlannedOperation.Action...) -> Int {
            items.count { actions.contains($0.operation.action) }
        }
        let listings = [(count(.create), "appear"), (count(.update, .replace), "change"), (count(.delete), "leave")]
            .filter { $0.0 > 0 }.map { count, verb in "\(count) \(count == 1 ? verb + "s" : verb)" }
        return listings.isEmpty ? [] : [("listings", listings.joined(separator: ", "))]
    }

    static func others(_ items: [PlanReview.Item], _ effort: PlanEffort) -> [(title: String, text: String)] {
        var rows: [(title: String, text: String)] = []
        if let prices = prices(items) { rows.append(("prices", prices)) }
        // A file that several products share counts for each.
        let pictures = items.lazy.flatMap(\.operation.pictures)
        let count = items.reduce(0) { $0 + $1.operation.pictures.count }
        if count > 0 {
            let bytes = byteCount(pictures.reduce(0) { $0 + $1.byteCount })
            rows.append(("pictures", "\(counted(count, "file")), \(bytes) to upload"))
        }
        if effort.requests > 0 {
            let time = effort.duration.map { ", \(Self.time($0)) at the rate of the last run" } ?? ""
            rows.append(("requests", "\(effort.requests)" + time))
        }
        return rows
    }

    /// The largest reduction and the largest rise; `nil` if no price moves, or all that move were 0.
    private static func prices(_ items: [PlanReview.Item]) -> String? {
        let moves = items.compactMap { item in item.move?.basisPoints.map { (points: $0, item: item) } }
            .sorted { ($0.points, $0.item.operation.key) < ($1.points, $1.item.operation.key) }
        guard let lowest = moves.first, let highest = moves.last else { return nil }
        let count = items.count { $0.move != nil }
        let ends = [lowest, highest].map { points, item in
            "\(PriceMove.percentage(points)) (\(item.operation.name?.abbreviated(to: 40) ?? item.operation.key))"
        }
        return "\(count) \(count == 1 ? "moves" : "move"), "
            + (moves.count == 1 ? ends[0] : "from \(ends[0]) to \(ends[1])")
    }

    /// A duration such as `about 2 min 5 s`; less than a second is rounded up to one.
    private static func time(_ duration: Duration) -> String {
        let seconds = max(1, Int(duration.components.seconds))
        switch seconds {
        case ..<60: return "about \(seconds) s"
        case ..<3600: return "about \(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
        default: return "about \(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }
}
