import OpenMarket
import OpenMarketWorkflow

extension Console {
    /// Reports everything that blocks the plan, each fault separately if `all` is set.
    ///
    /// A fault of an edit is reported at the source of the edit. Throws ``CommandFailure`` with exit 4 for errors, 5
    /// for refusals.
    func requireSound(_ plan: Plan, editedBy edits: PlannedEdits? = nil, all: Bool) throws {
        report(plan.diagnostics.map { edits?.placed($0) ?? $0 }, all: all)
        guard !plan.diagnostics.contains(where: { $0.severity == .error }) else {
            throw CommandFailure(.invalidInput, "the plan cannot be carried out: \(plan.diagnostics.counted)")
        }
        for refusal in plan.refusals {
            for line in refusal.lines(errorStyle) { printError(line) }
        }
        guard plan.refusals.isEmpty else { throw CommandFailure(.refused) }
    }
}
