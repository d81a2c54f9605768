package import OpenMarket

package struct EventLines: Sendable {
    private let tool: String
    private var rows = 0
    /// The edit that was written before the run.
    package var edited: JSONValue?

    /// The number of rows after which an export reports its progress.
    private static let rowsPerLine = 1000

    package init(tool: String) { self.tool = tool }

    package mutating func lines(_ event: SessionEvent) -> [JSONValue] {
        switch event {
        case .began(.export): return [.versionEvent(tool: tool)]
        case .advanced(.export, let count, _):
            let before = rows
            rows += count
            guard before / Self.rowsPerLine != rows / Self.rowsPerLine else { return [] }
            return [JSONValue.object(of: ("rows", .integer(rows))).withType("progress")]
        case .runBegan(let run, _, let summary):
            let planned = JSONValue.object(of: ("run", .string(run.rawValue)), ("summary", JSONValue(summary)))
            return [.versionEvent(tool: tool)] + [edited].compactMap(\.self) + [planned.withType("planned")]
        case .runJoined(let run, let operations):
            let joined = JSONValue.object(of: ("run", .string(run.rawValue)), ("operation_count", .integer(operations)))
            return [.versionEvent(tool: tool), joined.withType("joined")]
        case .execution(let event): return [JSONValue(event)]
        case .nothingToDo(let run): return [JSONValue(RunResult.empty(run)).withType("summary")]
        case .problem(let problem):
            let row = JSONValue.object(of: ("position", .string(problem.place)), ("message", .string(problem.message)))
            return [row.withType("problem")]
        case .began, .advanced, .ended, .note, .settled, .possibleLimit, .shopPage: return []
        }
    }
}

extension JSONValue {
    /// The first line of every NDJSON stream, with the program's version.
    package static func versionEvent(tool: String) -> JSONValue {
        .object(
            of: ("type", .string("version")),
            ("format_version", .formatVersion),
            ("tool", .string("openmarket \(tool)"))
        )
    }
}

extension PlannedOperation {
    /// A request for the operation as a line of NDJSON, without credentials.
    package func event(of request: JSONValue) -> JSONValue {
        .object(
            of: ("type", .string("request")),
            ("key", .string(key)),
            ("action", .string(action.rawValue)),
            ("request", request)
        )
    }
}
