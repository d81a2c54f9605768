import OpenMarket
import OpenMarketDescription

package struct MarketInspectionText {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    package func render(_ inspection: MarketInspection) -> String {
        let census = inspection.census
        var text = outcome(inspection) + "\n"
        text += table(
            "Fields, in \(counted(census.rows, "row")) of \(counted(census.pages, "page"))",
            census.fields,
            of: census.rows
        )
        text += table("In rows, and not named", census.unnamedInRows, of: census.rows)
        text += table("In pages next to the rows, and not named", census.unnamedInPages, of: census.pages)
        if inspection.problemCount > 0 {
            text += "\n\(style(.bold, counted(inspection.problemCount, "fault") + " of rows"))\n"
            for problem in inspection.problems {
                text += "  \(problem.place.terminalSafe): \(problem.message.terminalSafe)\n"
            }
            let rest = inspection.problemCount - inspection.problems.count
            if rest > 0 { text += "  and \(rest) more\n" }
        }
        return text
    }

    private func outcome(_ inspection: MarketInspection) -> String {
        let products = counted(inspection.count, "product")
        if let failure = inspection.failure {
            return style(.boldRed, "✗ not read to the end: ") + failure.message.terminalSafe
                + " (\(products) until then)"
        }
        guard let proof = inspection.summary?.proof else {
            return style(.boldRed, "✗ not proved to be complete: ") + products
        }
        return style(.boldGreen, "✓ complete") + "  \(products), by the proof '\(proof.rawValue)'"
    }

    private func table(_ title: String, _ sightings: [ResponseFieldStats.Sighting], of total: Int) -> String {
        guard !sightings.isEmpty else { return "" }
        let rows = sightings.map { sighting in
            [
                sighting.name.isEmpty ? "(the row itself)" : sighting.name.terminalSafe,
                sighting.filled == sighting.count
                    ? "\(sighting.count)" : "\(sighting.filled) + \(sighting.count - sighting.filled) null",
                sighting.kinds.map(\.rawValue).joined(separator: ", "),
                sighting.samples.joined(separator: "  ").terminalSafe,
            ]
        }
        return "\n\(style(.bold, title)) (of \(total))\n" + tableLines(rows).map { "  \($0)\n" }.joined()
    }
}
