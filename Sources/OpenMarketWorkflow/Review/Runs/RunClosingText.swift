package import OpenMarket

/// Renders the last line of a run: the number of operations of each kind, and of those that did not succeed.
package struct RunClosingText {
    private let command: String
    private let style: Style

    package init(of command: String = "Apply", style: Style = .plain) {
        self.command = command
        self.style = style
    }

    package func render(_ result: RunResult) -> String {
        var done: [PlannedOperation.Action: Int] = [:]
        for operation in result.operations where operation.status == .done { done[operation.action, default: 0] += 1 }
        var parts = [
            "\(done[.create] ?? 0) added", "\(done[.update] ?? 0) changed", "\(done[.replace] ?? 0) replaced",
            "\(done[.delete] ?? 0) deleted",
        ]
        if let adopted = done[.adopt] { parts.append("\(adopted) adopted") }
        if let forgotten = done[.forget] { parts.append("\(forgotten) forgotten") }
        let troubles = result.totals.troubles(style)
        parts += troubles
        let head =
            troubles.isEmpty ? style(.boldGreen, "\(command) complete: ") : style(.boldYellow, "\(command) ended: ")
        return head + parts.joined(separator: ", ") + ".\n"
    }
}
