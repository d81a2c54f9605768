import OpenMarket
import OpenMarketDescription

extension WriteProbe {
    package func text(_ style: Style) -> String {
        var text = outcome(style) + "\n"
        let steps = steps.map { ($0.isSound ? $0.name : style(.red, $0.name), $0.outcome, $0.name.columns) }
        let stepWidth = steps.map(\.2).max() ?? 0
        if !steps.isEmpty { text += "\n\(style(.bold, "Requests"))\n" }
        for (name, outcome, columns) in steps {
            text += "  \(name)\(String(repeating: " ", count: stepWidth - columns))  \(outcome.terminalSafe)\n"
        }
        guard !fields.isEmpty else { return text }
        let rows =
            [["field", "sent", "created", "changed", "taken away"]]
            + fields.map { field in
                [field.field.rawValue, field.sent] + [field.created, field.changed, field.cleared].map(\.words)
            }
        text += "\n\(style(.bold, "Fields"))\n"
        for (index, line) in tableLines(rows.map { $0.map(\.terminalSafe) }).enumerated() {
            text += "  " + (index == 0 ? style(.dim, line) : line) + "\n"
        }
        return text
    }

    private func outcome(_ style: Style) -> String {
        if let remains { return style(.boldRed, "✗ left on the market: ") + remains.terminalSafe }
        if let failure { return style(.boldRed, "✗ stopped early: ") + failure.message.terminalSafe }
        guard isSound else {
            return style(.boldRed, "✗ differs from the description in ") + counted(faults.count, "place")
        }
        let product = product.map { "product \($0) was" } ?? "no product was"
        return style(.boldGreen, "✓ written as described") + "  \(product) created, changed and deleted again"
    }
}

extension WriteProbe.Echo {
    fileprivate var words: String {
        switch self {
        case .asSent: "as sent"
        case .normalised(let shown): "normalised: \(shown)"
        case .other(let shown): "shown as \(shown)"
        case .missing: "not shown"
        case .failed(let why): "failed: \(why)"
        case .untried(let why): why.isEmpty ? "-" : "- (\(why))"
        }
    }
}
