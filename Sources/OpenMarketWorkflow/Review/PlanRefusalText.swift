package import OpenMarket

/// What a plan is refused for, for people: a line for each reason, and one for what to do if it is meant.
package struct PlanRefusalText {
    private let style: Style
    private let words: (PlanOverride) -> String

    /// - Parameters:
    ///   - style: with colours or without.
    ///   - words: what an override is called.
    package init(style: Style = .plain, override words: @escaping (PlanOverride) -> String) {
        self.style = style
        self.words = words
    }

    /// The lines; none for a plan that is not refused.
    package func lines(_ refusals: [PlanRefusal]) -> [String] {
        refusals.flatMap { refusal in
            let place = refusal.source.map { "\($0): " } ?? ""
            let reason = style(.boldRed, "refused: ") + (place + refusal.message).terminalSafe
            let help = refusal.override.map { style(.cyan, "  help: ") + "if you mean it: \(words($0))".terminalSafe }
            return [reason] + (help.map { [$0] } ?? [])
        }
    }
}
