import OpenMarket
import OpenMarketApply
import OpenMarketWorkflow

extension Recovery.Resolution {
    /// Fails a run that did all it could, while something of an earlier one is unresolved.
    ///
    /// - Throws: ``CommandFailure`` with exit 3.
    func requireSettled() throws {
        guard let first = undecided.first else { return }
        let others = undecided.count > 1 ? " and \(counted(undecided.count - 1, "other"))" : ""
        throw CommandFailure(
            .partialFailure,
            "\(first.operation.operation.action.rawValue) of '\(first.operation.operation.key)'\(others) of an earlier run "
                + "is still unresolved: \(first.outcome)",
            help: "run apply again when the market answers; until then its key is left alone"
        )
    }
}
