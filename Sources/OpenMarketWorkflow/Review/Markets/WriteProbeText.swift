import OpenMarket
import OpenMarketDescription

package struct WriteProbeText {
    private let style: Style

    package init(style: Style = .plain) { self.style = style }

    package func render(_ trial: WriteProbe) -> String {
        var text = outcome(trial) + "\n"
        let steps = trial.steps.map { ($0.isSound ? $0.name : style(.red, $0.name), $0.outcome, $0.name.columns) }
        let stepWidth = trial.steps.map { $0.name.columns }.max() ?? 0
        if !steps.isEmpty { text += "\n\(style(.bold, "Requests"))\n" }
        for (name, outcome, columns) in steps {
            text += "  \(name)\(String(repeating: " ", count: stepWidth - columns))  \(outcome.terminalSafe)\n"
        }
        guard !trial.fields.isEmpty else { return text }
        let rows =
            [["field", "sent", "created", "changed", "taken away"]]
            + trial.fields.map { field in
                [field.field.rawValue, field.sent] + [field.created, field.changed, field.cleared].map(Self.words)
            }
        text += "\n\(style(.bold, "Fields"))\n"
        for (index, line) in tableLines(rows.map { $0.map(\.terminalSafe) }).enumerated() {
            text += "  " + (index == 0 ? style(.dim, line) : line) + "\n"
        }
        return text
    }

    private func outcome(_ trial: WriteProbe) -> String {
        if let remains = trial.remains { return style(.boldRed, "✗ left on the market: ") + remains.terminalSafe }
        if let failure = trial.failure { return style(.boldRed, "✗ stopped early: ") + failure.message.terminalSafe }
        guard trial.isSound else {
            return style(.boldRed, "✗ differs from the description in ") + counted(trial.faults.count, "place")
        }
        let product = trial.product.map { "product \($0) was" } ?? "no product was"
        return style(.boldGreen, "✓ written as described") + "  \(product) created, changed and deleted again"
    }

    static func words(_ echo: WriteProbe.Echo) -> String {
        switch echo {
        case .asSent: "as sent"
        case .normalised(let shown): "normalised: \(shown)"
        case .other(let shown): "shown as \(shown)"
        case .missing: "not shown"
        case .failed(let why): "failed: \(why)"
        case .untried(let why): why.isEmpty ? "-" : "- (\(why))"
        }
    }
}
