package import OpenMarket

extension JSONValue {
    /// The line that every stream of NDJSON begins with.
    ///
    /// - Parameter tool: the program's version.
    /// - Returns: the line.
    package static func versionEvent(tool: String) -> JSONValue {
        .object(
            of: ("type", .string("version")),
            ("format_version", .formatVersion),
            ("tool", .string("openmarket \(tool)"))
        )
    }

    /// How many rows an export has written.
    static func progressEvent(rows: Int) -> JSONValue {
        .object(of: ("type", .string("progress")), ("rows", .integer(Int64(rows))))
    }

    /// A part of a run begins, as a line of NDJSON.
    static func joinedEvent(_ run: RunID, operations: Int) -> JSONValue {
        .object(
            of: ("type", .string("joined")),
            ("run", .string(run.rawValue)),
            ("operation_count", .integer(operations))
        )
    }

    /// The last line of NDJSON of a run that had nothing to do.
    static func emptySummary(of run: RunID) -> JSONValue {
        emptyResult(of: run).withType("summary")
    }

    /// The result of a run that had nothing to do.
    static func emptyResult(of run: RunID) -> JSONValue {
        result(of: run, totals: RunTotals(), endedBy: nil, operations: [])
    }
}

extension RowProblem {
    /// It as a line of NDJSON.
    var event: JSONValue {
        .object(
            of: ("type", .string("problem")),
            ("position", .string("\(place)")),
            ("message", .string(message))
        )
    }
}

extension PlanSummary {
    /// The counts of a run's plan as a line of NDJSON.
    func event(of run: RunID) -> JSONValue {
        .object(of: ("type", .string("planned")), ("run", .string(run.rawValue)), ("summary", JSONValue(self)))
    }
}

extension PlannedOperation {
    /// A request that would be sent for it as a line of NDJSON.
    ///
    /// - Parameter request: the request, without credentials.
    /// - Returns: the line.
    package func event(of request: JSONValue) -> JSONValue {
        .object(
            of: ("type", .string("request")),
            ("key", .string(key)),
            ("action", .string(action.rawValue)),
            ("request", request)
        )
    }
}
