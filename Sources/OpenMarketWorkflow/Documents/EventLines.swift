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
            return before / Self.rowsPerLine == rows / Self.rowsPerLine ? [] : [.progressEvent(rows: rows)]
        case .runBegan(let run, _, let summary):
            return [.versionEvent(tool: tool)] + [edited].compactMap(\.self) + [summary.event(of: run)]
        case .runJoined(let run, let operations):
            return [.versionEvent(tool: tool), .joinedEvent(run, operations: operations)]
        case .execution(let event): return [JSONValue(event)]
        case .nothingToDo(let run): return [JSONValue(RunResult.empty(run)).withType("summary")]
        case .problem(let problem): return [problem.event]
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

    static func progressEvent(rows: Int) -> JSONValue {
        .object(of: ("type", .string("progress")), ("rows", .integer(Int64(rows))))
    }

    /// The start of a part of a run, as a line of NDJSON.
    static func joinedEvent(_ run: RunID, operations: Int) -> JSONValue {
        .object(
            of: ("type", .string("joined")),
            ("run", .string(run.rawValue)),
            ("operation_count", .integer(operations))
        )
    }
}

extension RowProblem {
    var event: JSONValue {
        .object(
            of: ("type", .string("problem")),
            ("position", .string("\(place)")),
            ("message", .string(message))
        )
    }
}

extension PlanSummary {
    func event(of run: RunID) -> JSONValue {
        .object(of: ("type", .string("planned")), ("run", .string(run.rawValue)), ("summary", JSONValue(self)))
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
