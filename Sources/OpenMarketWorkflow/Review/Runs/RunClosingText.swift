package import OpenMarket

extension RunResult {
    /// The last line of a run: the number of operations of each kind, and of those that did not succeed.
    package func text(of command: String = "Apply", _ style: Style = .plain) -> String {
        var done: [PlannedOperation.Action: Int] = [:]
        for operation in operations where operation.status == .done { done[operation.action, default: 0] += 1 }
        var parts = [
            "\(done[.create] ?? 0) added", "\(done[.update] ?? 0) changed", "\(done[.replace] ?? 0) replaced",
            "\(done[.delete] ?? 0) deleted",
        ]
        if let adopted = done[.adopt] { parts.append("\(adopted) adopted") }
        if let forgotten = done[.forget] { parts.append("\(forgotten) forgotten") }
        let renamed = operations.count { $0.status == .done && $0.renamedFrom != nil }
        if renamed > 0 { parts.append("\(renamed) renamed") }
        let troubles = totals.troubles(style)
        parts += troubles
        let head =
            troubles.isEmpty ? style(.boldGreen, "\(command) complete: ") : style(.boldYellow, "\(command) ended: ")
        let decided = decisions.map { " \($0.text(besides: operations.count))." } ?? ""
        return head + parts.joined(separator: ", ") + "." + decided + "\n"
    }
}

extension RunDecisions {
    /// The number of rejected operations, and the person; `operations` is the number of the others, 0 if unknown.
    package func text(besides operations: Int) -> String {
        let total = operations == 0 ? "" : " of \(rejected + operations)"
        return "\(rejected)\(total) rejected by \(by.terminalSafe)"
    }
}
