import OpenMarket
import OpenMarketDescription

extension MarketInspection {
    package func text(_ style: Style) -> String {
        func table(_ title: String, _ sightings: [ResponseFieldStats.Sighting], of total: Int) -> String {
            guard !sightings.isEmpty else { return "" }
            let lines = tableLines(sightings.map(\.cells)).map { "  \($0)\n" }
            return "\n\(style(.bold, title)) (of \(total))\n" + lines.joined()
        }
        var text = outcome(style) + "\n"
        text += table(
            "Fields, in \(counted(census.rows, "row")) of \(counted(census.pages, "page"))",
            census.fields,
            of: census.rows
        )
        text += table("In rows, and not named", census.unnamedInRows, of: census.rows)
        text += table("In pages next to the rows, and not named", census.unnamedInPages, of: census.pages)
        if problemCount > 0 {
            text += "\n\(style(.bold, counted(problemCount, "fault") + " of rows"))\n"
            for problem in problems {
                text += "  \(problem.place.terminalSafe): \(problem.message.terminalSafe)\n"
            }
            let rest = problemCount - problems.count
            if rest > 0 { text += "  and \(rest) more\n" }
        }
        return text
    }

    private func outcome(_ style: Style) -> String {
        let products = counted(count, "product")
        if let failure {
            return style(.boldRed, "✗ not read to the end: ") + failure.message.terminalSafe
                + " (\(products) until then)"
        }
        guard let proof = summary?.proof else {
            return style(.boldRed, "✗ not proved to be complete: ") + products
        }
        return style(.boldGreen, "✓ complete") + "  \(products), by the proof '\(proof.rawValue)'"
    }
}

extension ResponseFieldStats.Sighting {
    fileprivate var cells: [String] {
        [
            name.isEmpty ? "(the row itself)" : name.terminalSafe,
            filled == count ? "\(count)" : "\(filled) + \(count - filled) null",
            kinds.map(\.rawValue).joined(separator: ", "), samples.joined(separator: "  ").terminalSafe,
        ]
    }
}
