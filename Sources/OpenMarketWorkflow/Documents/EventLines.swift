package import OpenMarket

package struct EventLines: Sendable {
    private let tool: String
    private var rows = 0

    /// The number of rows after which an export reports its progress.
    private static let rowsPerLine = 1000

    package init(tool: String) { self.tool = tool }

    /// The lines for the next event; empty for most.
    package mutating func lines(_ event: SessionEvent) -> [JSONValue] {
        switch event {
        case .began(.export): return [.versionEvent(tool: tool)]
        case .advanced(.export, let count, _):
            let before = rows
            rows += count
            return before / Self.rowsPerLine == rows / Self.rowsPerLine ? [] : [.progressEvent(rows: rows)]
        case .runBegan(let run, _, let summary): return [.versionEvent(tool: tool), summary.event(of: run)]
        case .runJoined(let run, let operations):
            return [.versionEvent(tool: tool), .joinedEvent(run, operations: operations)]
        case .execution(let event): return [JSONValue(event)]
        case .nothingToDo(let run): return [.emptySummary(of: run)]
        case .problem(let problem): return [problem.event]
        case .began, .advanced, .ended, .unmatchedPattern, .settled, .possibleLimit, .checkpoint, .missingPicture,
            .alteredExport, .foreignExport, .faults, .losses, .shopPage:
            return []
        }
    }
}
