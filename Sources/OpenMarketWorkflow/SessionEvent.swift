package import OpenMarket

/// An event of a working session.
///
/// Later versions may add kinds.
package enum SessionEvent: Sendable {
    /// Work that takes a while and can be counted.
    package enum Phase: Hashable, Sendable {
        case catalog
        case details
        case export
    }

    case began(Phase)
    /// This many more products are finished; `total` is `nil` if it is unknown.
    case advanced(Phase, by: Int, total: Int?)
    /// Work ended, successfully or not.
    case ended(Phase)
    /// A message for people, which quiet output may leave out.
    case note(String)
    /// An operation that an earlier run left unresolved was resolved, or stays unresolved.
    case settled(Recovery.Settled)
    case runBegan(RunID, operations: Int, PlanSummary)
    /// The session joins a run of this many operations that another one began.
    case runJoined(RunID, operations: Int)
    case execution(ExecutionEvent)
    /// The plan was empty: the run is not in the journal.
    case nothingToDo(RunID)
    /// A row of the market could not be read completely.
    case problem(RowProblem)
    /// The description states that one reply is the whole list, but the reply has a usual maximum number of rows.
    case possibleLimit(Int)
    /// A reply contained the address of the market's page for people; reported for each such reply.
    case shopPage(String)
}
