package import OpenMarket

extension PlanRefusal {
    /// The reason, and a line with the override if there is one.
    package func lines(_ style: Style = .plain) -> [String] {
        let place = source.map { "\($0): " } ?? ""
        let reason = style(.boldRed, "refused: ") + (place + message).terminalSafe
        let help = override.map { style(.cyan, "  help: ") + "if you mean it: \($0)".terminalSafe }
        return [reason] + (help.map { [$0] } ?? [])
    }
}
