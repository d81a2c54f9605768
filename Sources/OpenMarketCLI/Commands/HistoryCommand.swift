import ArgumentParser
import OpenMarket
import OpenMarketApply
import OpenMarketWorkflow

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows past runs and what each did, in whole or to one product.",
        discussion: """
            The newest run comes first, in each what went wrong. Reads the journal in the state file, and asks the market \
            nothing.
            """
    )

    /// How many runs are shown when nobody says.
    private static let standardLimit = 10

    @Argument(help: "Only what was done to the product of this key.")
    var key: String?
    @Option(name: .setting(.run), help: ArgumentHelp("Only this run, with all its operations.", valueName: "run"))
    var run: String?
    @Option(
        name: .setting(.limit),
        help: ArgumentHelp("How many runs, the newest first. (default: \(standardLimit))", valueName: "n")
    )
    var limit: PositiveOption?
    @OptionGroup var selection: StateSelection

    func run() async throws {
        try await selection.reading { state, console, settings in
            let runs = try await runs(state, settings: settings)
            if try selection.output.isJSON(settings) {
                let document = JSONValue.object(
                    of: ("format_version", .formatVersion),
                    ("runs", .array(runs.map { JSONValue($0) }))
                )
                try console.write(document.bytes(pretty: true) + Array("\n".utf8))
            } else {
                let wanted = try settings.text(run, .run)
                let renderer = HistoryTextRenderer(style: console.outputStyle, limit: wanted == nil ? 20 : .max)
                try console.write(renderer.render(runs))
            }
        }
    }

    private func runs(_ state: any StateReader, settings: Settings) async throws -> [RunHistory] {
        let limit = try settings.value(limit, .limit)?.value ?? Self.standardLimit
        let wanted = try settings.text(run, .run)
        var summaries = try await state.runs(limit: wanted == nil && key == nil ? limit : .max)
        if let wanted {
            summaries.removeAll { $0.record.id.rawValue != wanted }
            guard !summaries.isEmpty else {
                throw CommandFailure(.failure, "the journal knows no run '\(wanted)'", help: "openmarket history")
            }
        }
        guard let key else {
            var runs: [RunHistory] = []
            for summary in summaries {
                runs.append(RunHistory(summary: summary, operations: try await state.operations(of: summary.record.id)))
            }
            return runs
        }
        let operations = Dictionary(grouping: try await state.history(of: key), by: \.run)
        let runs = summaries.compactMap { summary in
            operations[summary.record.id].map { RunHistory(summary: summary, operations: $0.reversed()) }
        }
        guard !runs.isEmpty else {
            throw CommandFailure(.failure, "no run did anything to a product '\(key)'", help: "openmarket history")
        }
        return Array(runs.prefix(limit))
    }
}

/// A run and those of its operations that were asked for, in their order.
struct RunHistory {
    var summary: RunSummary
    var operations: [JournalledOperation]
}

extension JournalledOperation {
    /// What became of it, in the words of a run's result.
    ///
    /// What was refused as stale is among the skipped: nothing was sent for it.
    var outcome: OperationResult.Status {
        switch status {
        case .succeeded: .done
        case .failed: .failed
        case .sent, .advanced, .unknown: .unknown
        case .intended, .skipped: .skipped
        }
    }

    /// Why it is not done; `nil` where it is.
    var explanation: String? {
        switch status {
        case .succeeded: nil
        case .failed, .skipped: message
        case .intended: "the run did not come to it"
        case .sent, .advanced, .unknown: message ?? "its request left, and no outcome is known"
        }
    }
}

extension JSONValue {
    fileprivate init(_ history: RunHistory) {
        let summary = history.summary
        self = .object(
            of: ("run", .string(summary.record.id.rawValue)),
            ("tool", .string("openmarket \(summary.record.tool)")),
            ("manifest", summary.record.manifest.map { .string("sha256:" + $0.hexadecimal) }),
            ("started_at", .string(summary.startedAt.iso8601)),
            ("finished_at", summary.finishedAt.map { .string($0.iso8601) }),
            ("interrupted", .bool(summary.interrupted)),
            ("approval", summary.record.approval.map { JSONValue($0) }),
            ("totals", summary.finishedAt == nil ? nil : JSONValue(summary.totals)),
            ("operations", .array(history.operations.map { JSONValue($0) }))
        )
    }

    private init(_ approval: RunApproval) {
        self = .object(
            of: ("overrides", .array(approval.policies.map(JSONValue.string))),
            ("reason", approval.reason.map(JSONValue.string)),
            ("user", .string(approval.user))
        )
    }

    private init(_ journalled: JournalledOperation) {
        let operation = journalled.operation
        self = .object(
            of: ("sequence", .integer(journalled.sequence)),
            ("key", .string(operation.key)),
            ("action", .string(operation.action.rawValue)),
            ("status", .string(journalled.outcome.rawValue)),
            ("id", (journalled.product ?? operation.id).map { .integer($0.rawValue) }),
            ("error", journalled.explanation.map(JSONValue.string)),
            ("reason", .string(operation.reason)),
            ("source", operation.source.map { JSONValue($0) }),
            ("changes", .array(operation.changes.map { JSONValue($0) }))
        )
    }
}
