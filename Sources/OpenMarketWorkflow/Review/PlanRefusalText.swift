package import OpenMarket

/// Renders why a plan is refused: a line for each reason, and one with the override.
package struct PlanRefusalText {
    private let style: Style
    private let words: (PlanOverride) -> String

    package init(style: Style = .plain, override words: @escaping (PlanOverride) -> String) {
        self.style = style
        self.words = words
    }

    /// The lines; empty if the plan is not refused.
    package func lines(_ refusals: [PlanRefusal]) -> [String] {
        refusals.flatMap { refusal in
            let place = refusal.source.map { "\($0): " } ?? ""
            let reason = style(.boldRed, "refused: ") + (place + refusal.message).terminalSafe
            let help = refusal.override.map { style(.cyan, "  help: ") + "if you mean it: \(words($0))".terminalSafe }
            return [reason] + (help.map { [$0] } ?? [])
        }
    }
}
