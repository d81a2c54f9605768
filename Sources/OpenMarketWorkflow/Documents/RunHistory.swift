package import OpenMarket
package import OpenMarketApply

/// A run and those of its operations that were asked for, in their order.
package struct RunHistory: Sendable {
    package var summary: RunSummary
    package var operations: [JournalledOperation]
}

extension StateReader {
    /// Past runs, the newest first.
    ///
    /// - Parameters:
    ///   - key: only what was done to the product of this key.
    ///   - run: only this run.
    ///   - limit: how many runs.
    /// - Returns: the runs; none where the journal has none that fits.
    /// - Throws: what the state throws.
    package func history(of key: String?, in run: RunID?, limit: Int) async throws -> [RunHistory] {
        var summaries = try await runs(limit: run == nil && key == nil ? limit : .max)
        if let run { summaries.removeAll { $0.record.id != run } }
        guard let key else {
            var runs: [RunHistory] = []
            for summary in summaries {
                runs.append(RunHistory(summary: summary, operations: try await operations(of: summary.record.id)))
            }
            return runs
        }
        let operations = Dictionary(grouping: try await history(of: key), by: \.run)
        let runs = summaries.compactMap { summary in
            operations[summary.record.id].map { RunHistory(summary: summary, operations: $0.reversed()) }
        }
        return Array(runs.prefix(limit))
    }
}

extension JournalledOperation {
    /// What became of it, in the words of a run's result.
    ///
    /// What was refused as stale is among the skipped: nothing was sent for it.
    package var outcome: OperationResult.Status {
        switch status {
        case .succeeded: .done
        case .failed: .failed
        case .sent, .advanced, .unknown: .unknown
        case .intended, .skipped: .skipped
        }
    }

    /// Why it is not done; `nil` where it is.
    package var explanation: String? {
        switch status {
        case .succeeded: nil
        case .failed, .skipped: message
        case .intended: "the run did not come to it"
        case .sent, .advanced, .unknown: message ?? "its request left, and no outcome is known"
        }
    }
}

extension RunHistory {
    /// Runs as one document.
    package static func document(_ runs: [RunHistory]) -> JSONValue {
        .object(of: ("format_version", .formatVersion), ("runs", .array(runs.map(\.document))))
    }

    private var document: JSONValue {
        .object(
            of: ("run", .string(summary.record.id.rawValue)),
            ("tool", .string("openmarket \(summary.record.tool)")),
            ("manifest", summary.record.manifest.map { .object(of: ("sha256", $0.document)) }),
            ("description_sha256", summary.record.description?.document),
            ("started_at", .string(summary.startedAt.iso8601)),
            ("finished_at", summary.finishedAt.map { .string($0.iso8601) }),
            ("interrupted", .bool(summary.interrupted)),
            ("approval", summary.record.approval.map { JSONValue($0) }),
            ("totals", summary.finishedAt == nil ? nil : JSONValue(summary.totals)),
            ("operations", .array(operations.map { JSONValue($0) }))
        )
    }
}

extension JSONValue {
    fileprivate init(_ approval: RunApproval) {
        self = .object(
            of: ("overrides", .array(approval.policies.map(JSONValue.string))),
            ("reason", approval.reason.map(JSONValue.string)),
            ("user", .string(approval.user))
        )
    }

    fileprivate init(_ journalled: JournalledOperation) {
        let operation = journalled.operation
        self = .object(
            of: ("sequence", .integer(journalled.sequence)),
            ("key", .string(operation.key)),
            ("action", .string(operation.action.rawValue)),
            ("status", .string(journalled.outcome.rawValue)),
            ("id", (journalled.product ?? operation.id).map(JSONValue.init(_:))),
            ("error", journalled.explanation.map(JSONValue.string)),
            ("reason", .string(operation.reason)),
            ("source", operation.source.map { JSONValue($0) }),
            ("changes", .array(operation.changes.map { ShownChange($0).document }))
        )
    }
}
