import OpenMarket

/// The impact of a plan, as rows that every format shows alike.
enum ImpactText {
    static func rows(_ impact: PlanImpact, _ effort: PlanEffort) -> [(title: String, text: String)] {
        listings(impact) + others(impact, effort)
    }

    private static func listings(_ impact: PlanImpact) -> [(title: String, text: String)] {
        let listings = [(impact.appearing, "appear"), (impact.changing, "change"), (impact.leaving, "leave")]
            .filter { $0.0 > 0 }.map { count, verb in "\(count) \(count == 1 ? verb + "s" : verb)" }
        return listings.isEmpty ? [] : [("listings", listings.joined(separator: ", "))]
    }

    static func others(_ impact: PlanImpact, _ effort: PlanEffort) -> [(title: String, text: String)] {
        var rows: [(title: String, text: String)] = []
        if let prices = impact.prices { rows.append(("prices", text(prices))) }
        if impact.pictures > 0 {
            rows.append(
                ("pictures", "\(counted(impact.pictures, "file")), \(byteCount(impact.pictureBytes)) to upload")
            )
        }
        if effort.requests > 0 {
            let time = effort.duration.map { ", \(Self.time($0)) at the rate of the last run" } ?? ""
            rows.append(("requests", "\(effort.requests)" + time))
        }
        return rows
    }

    private static func text(_ prices: PlanImpact.PriceMoves) -> String {
        let moves = "\(prices.count) \(prices.count == 1 ? "moves" : "move")"
        let (lowest, highest) = (prices.lowest, prices.highest)
        guard lowest != highest else {
            return "\(moves), \(PriceMove.percentage(lowest.basisPoints)) (\(label(lowest)))"
        }
        return "\(moves), from \(PriceMove.percentage(lowest.basisPoints)) (\(label(lowest))) "
            + "to \(PriceMove.percentage(highest.basisPoints)) (\(label(highest)))"
    }

    private static func label(_ move: PlanImpact.Move) -> String {
        move.name.map { $0.abbreviated(to: 40) } ?? move.key
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
