package import OpenMarket

package struct RunHistory: Sendable {
    var summary: RunSummary
    var operations: [JournalledOperation]
    /// The number of matching operations, whether read or not.
    var total: Int
    /// Whether the run continues, so that an operation without an outcome is not lost.
    var isUnderWay = false
}

extension StateReader {
    /// Past runs, the newest first; empty if there was none yet.
    ///
    /// `key` selects the operations on one product, and `run` only that run. `limit` is the number of runs.
    /// `troublesFirst` is the number of operations per run, failures first; `nil` means all of them in their order.
    /// Throws ``CommandFailure`` if the product or the run is not in the journal, and errors of the state.
    package func history(
        of key: String?,
        in run: RunID?,
        limit: Int,
        troublesFirst shown: Int? = nil
    ) async throws -> [RunHistory] {
        let underWay = try await runUnderWay()?.record.id
        var runs: [RunHistory] = []
        if let key {
            var done = try await operations(onProduct: key).filter { run == nil || $0.run == run }[...]
            while runs.count < limit, let id = done.first?.run, let summary = try await self.run(id) {
                let operations = done.prefix { $0.run == id }
                runs.append(RunHistory(summary: summary, operations: operations.reversed(), total: operations.count))
                done = done.dropFirst(operations.count)
            }
            if runs.isEmpty { throw CommandFailure.notInJournal("no run touched a product '\(key)'") }
        } else {
            let summaries =
                if let run { try await [self.run(run)].compactMap(\.self) } else { try await self.runs(limit: limit) }
            for summary in summaries {
                let id = summary.record.id
                let operations =
                    if let shown {
                        try await operations(of: id, troublesFirst: shown)
                    } else {
                        try await operations(of: id)
                    }
                runs.append(RunHistory(summary: summary, operations: operations, total: summary.operations))
            }
            if runs.isEmpty, let run { throw CommandFailure.notInJournal("run '\(run)' is not in the journal") }
        }
        for index in runs.indices where runs[index].summary.finishedAt == nil {
            runs[index].isUnderWay = runs[index].summary.record.id == underWay
        }
        return runs
    }

    /// The operations on the product of a key, the newest first; before it was renamed, those on its former key.
    private func operations(onProduct key: String) async throws -> [JournalledOperation] {
        var operations: [JournalledOperation] = []
        var next: String? = key
        var rename: JournalledOperation?
        while let key = next {
            var part = try await history(of: key)[...]
            // The key may have been another product's since then.
            if let rename { part = part.drop { $0.startedAt >= rename.startedAt } }
            let place = part.firstIndex {
                $0.operation.renamedFrom != nil && $0.status != .skipped && $0.status != .intended
            }
            rename = place.map { part[$0] }
            operations += place.map { part[...$0] } ?? part
            next = rename?.operation.renamedFrom
        }
        return operations
    }
}

extension CommandFailure {
    static func notInJournal(_ reason: String) -> CommandFailure {
        CommandFailure(.failure, reason, help: "openmarket history")
    }
}

extension JournalledOperation {
    /// The outcome in the terms of a run's result.
    ///
    /// An operation refused as stale is among the skipped ones, because its request was not sent.
    var outcome: OperationResult.Status {
        switch status {
        case .succeeded: .done
        case .failed: .failed
        case .sent, .advanced, .unknown: .unknown
        case .intended, .skipped: .skipped
        }
    }

    var isOpen: Bool { [.intended, .sent, .advanced, .unknown].contains(status) }

    /// The reason that it is not done, or the market's alterations.
    var explanation: String? {
        switch status {
        case .succeeded, .failed, .skipped: message
        case .intended: "the run did not reach it"
        case .sent, .advanced, .unknown: message ?? "its request was sent, and its outcome is unknown"
        }
    }
}

extension RunHistory {
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
            ("under_way", isUnderWay ? .bool(true) : nil),
            ("interrupted", .bool(summary.interrupted)),
            ("approval", summary.record.approval.map { JSONValue($0) }),
            ("totals", summary.finishedAt == nil ? nil : JSONValue(summary.totals)),
            ("operations", .array(operations.map { JSONValue($0) }))
        )
    }
}

extension JSONValue {
    init(_ decisions: RunDecisions) {
        self = .object(
            of: ("by", .string(decisions.by)),
            ("rejected", .integer(decisions.rejected)),
            ("sha256", decisions.file.document)
        )
    }

    fileprivate init(_ approval: RunApproval) {
        self = .object(
            of: ("overrides", .array(approval.policies.map(JSONValue.string))),
            ("reason", approval.reason.map(JSONValue.string)),
            ("user", .string(approval.user)),
            ("decisions", approval.decisions.map { JSONValue($0) })
        )
    }

    fileprivate init(_ journalled: JournalledOperation) {
        let operation = journalled.operation
        self = .object(
            of: ("sequence", .integer(journalled.sequence)),
            ("key", .string(operation.key)),
            ("renamed_from", operation.renamedFrom.map(JSONValue.string)),
            ("action", .string(operation.action.rawValue)),
            ("status", .string(journalled.outcome.rawValue)),
            ("id", (journalled.product ?? operation.id).map(JSONValue.init(_:))),
            (journalled.status == .succeeded ? "note" : "error", journalled.explanation.map(JSONValue.string)),
            ("reason", .string(operation.reason)),
            ("source", operation.source.map { JSONValue($0) }),
            ("changes", .array(operation.changes.map { ShownChange($0).document })),
            ("live", operation.deletion.map(\.live.document))
        )
    }
}
