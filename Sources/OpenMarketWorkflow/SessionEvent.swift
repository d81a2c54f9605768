package import OpenMarket
package import OpenMarketManifest

/// What a session reports while it works.
///
/// Later versions may add kinds.
package enum SessionEvent: Sendable {
    /// Work that takes a while and can be counted.
    package enum Phase: Hashable, Sendable {
        /// Rows of the list are read.
        case catalog
        /// Products are read in detail.
        case details
        /// Products are exported.
        case export
    }

    /// Work begins.
    case began(Phase)
    /// So many more products are through; of how many, where that is known.
    case advanced(Phase, by: Int, total: Int?)
    /// Work ended, well or not.
    case ended(Phase)
    /// A pattern of the filter with wildcards fits no product.
    case unmatchedPattern(String)
    /// An operation that an earlier run left unresolved was resolved, or stays unresolved.
    case settled(Recovery.Settled)
    /// A run starts with so many operations.
    case runBegan(RunID, operations: Int, PlanSummary)
    /// The session takes part in a run that another one began, of so many operations.
    case runJoined(RunID, operations: Int)
    /// Something happened in the run.
    case execution(ExecutionEvent)
    /// The plan was empty: the run did nothing and was not journalled.
    case nothingToDo(RunID)
    /// A row of the market's could not be read in whole.
    case problem(RowProblem)
    /// One answer is the whole list, as its description says, and has so many rows as servers often give at the most.
    case possibleLimit(Int)
    /// A reply said at which address a person can look at the market; as often as replies say it.
    case shopPage(String)
    /// Something became of the checkpoint of an export, which is at this path.
    case checkpoint(CheckpointEvent, path: String)
    /// A picture that was to be kept under this name could not be fetched.
    case missingPicture(String, reason: String)
    /// The earlier export at this path does not match its certificate: what it lacks counts as new.
    case alteredExport(String)
    /// The earlier export at this path is of one market, and compared with another.
    case foreignExport(String, of: String, comparedWith: String)
    /// What is wrong with what was to be written, or taken over.
    case faults([Diagnostic])
    /// What would be lost of the manifest at this path.
    case losses([EarlierManifest.Loss], of: String)
}
