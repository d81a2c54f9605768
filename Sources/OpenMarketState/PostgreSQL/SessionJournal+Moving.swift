import OpenMarket

extension SessionJournal {
    /// Copies another state's whole content about the market, in one transaction.
    func fill(with archive: StateArchive) throws {
        try change(isLong: true) { connection in
            let isKnown = try connection.query(
                """
                SELECT EXISTS (SELECT 1 FROM \(tables.entries) WHERE scope = $1)
                    OR EXISTS (SELECT 1 FROM \(tables.runs) WHERE scope = $1)
                """,
                [Parameter(scope)]
            ).first?.flag(0)
            guard isKnown == false else { throw StateError.isNotEmpty(settings.location) }
            try connection.query(
                "UPDATE \(tables.scopes) SET vendor = $2, accepted = $3 WHERE id = $1",
                [
                    Parameter(scope), Parameter(archive.snapshot.vendorID),
                    Parameter(archive.acceptedDescription?.hexadecimal),
                ]
            )
            try make(archive.snapshot.entries.values.map(StateMutation.put), connection)
            for run in archive.runs {
                try insert(run, blocking { try await archive.operations(of: run.record.id) }, connection)
            }
        }
    }

    /// Records that the market's state has moved, without a password in the address.
    func retire(to location: StateLocation) throws {
        try change { connection in
            _ = try connection.query(
                "UPDATE \(tables.scopes) SET moved_to = $2 WHERE id = $1",
                [Parameter(scope), Parameter(location.description)]
            )
        }
    }

    private func insert(
        _ summary: RunSummary,
        _ operations: [StateArchive.Operation],
        _ connection: Connection
    ) throws {
        let number = try insert(summary.record, connection)
        try copy(operations.map(\.operation), 0..<operations.count, run: number, connection)
        try connection.query(
            """
            UPDATE \(tables.runs) SET started_at = \(Self.moment("$2")), finished_at = \(Self.moment("$3")),
                interrupted = $4, done = $5, failed = $6, stale = $7, skipped = $8, unknown = $9, operations = $10
            WHERE number = $1
            """,
            [
                Parameter(number), Parameter(summary.startedAt.rawValue),
                Parameter(summary.finishedAt?.rawValue),
                Parameter(summary.interrupted), Parameter(summary.totals.done),
                Parameter(summary.totals.failed),
                Parameter(summary.totals.stale), Parameter(summary.totals.skipped),
                Parameter(summary.totals.unknown),
                Parameter(operations.count),
            ]
        )
        var facts = ArchivedFacts(run: number)
        for operation in operations {
            facts.add(operation, startedAt: summary.startedAt)
            if facts.count >= 5000 { try facts.insert(tables, session: self.number, connection) }
        }
        try facts.insert(tables, session: self.number, connection)
    }

    /// A timestamp from milliseconds since 1970, exact to the millisecond.
    static func moment(_ milliseconds: String) -> String {
        "(timestamptz 'epoch' + \(milliseconds)::bigint * interval '1 millisecond')"
    }
}

/// Facts of another state, as rows with their original times.
private struct ArchivedFacts {
    private let run: Int64
    private var rows = JSONWriter()
    private(set) var count = 0

    init(run: Int64) {
        self.run = run
    }

    mutating func add(_ operation: StateArchive.Operation, startedAt: Timestamp) {
        let journalled = operation.journalled
        let time = journalled.sentAt ?? startedAt
        let open = operation.unresolved
        // A repeat key is known since the first request with it.
        if let open, let imprint = open.imprint, let imprintedAt = open.imprintedAt,
            imprintedAt < open.sentAt
        {
            let sent = JournalEvent.Fact.sent(open.step, highWater: nil, imprint: imprint)
            add(sent, journalled.sequence, operation.firstFact - 1, imprintedAt)
        }
        for (index, fact) in operation.facts.enumerated() {
            add(fact, journalled.sequence, operation.firstFact + index, time)
        }
    }

    private mutating func add(
        _ fact: JournalEvent.Fact,
        _ sequence: Int,
        _ number: Int,
        _ time: Timestamp
    ) {
        let row = FactRow(fact)
        count += 1
        rows.object { writer in
            writer.member("sequence", sequence)
            writer.member("number", number)
            writer.member("at", time.rawValue)
            writer.member("status", row.status.rawValue)
            writer.member("step", row.step?.rawValue)
            writer.member("product", row.product?.column)
            writer.member("message", row.message?.withoutNUL)
            guard let imprint = row.imprint else { return }
            writer.member("repeat_key", imprint.repeatKey?.withoutNUL)
            writer.member("body_digest", imprint.digest?.hexadecimal)
            let references = JSONValue.array(imprint.references.map(JSONValue.string)).bytes()
            writer.member("picture_references", String(decoding: references, as: UTF8.self))
        }
    }

    /// Writes the facts, and empties the buffer.
    mutating func insert(_ tables: StateTables, session: Int64, _ connection: Connection) throws {
        guard count > 0 else { return }
        let columns =
            "sequence, number, status, step, product, message, repeat_key, body_digest, picture_references"
        try connection.query(
            """
            INSERT INTO \(tables.events) (run, session, at, \(columns))
            SELECT $1, $2, \(SessionJournal.moment("at")), \(columns)
            FROM json_to_recordset($3::json) AS f (sequence int, number int, at bigint, status text, step text,
                product text, message text, repeat_key text, body_digest text, picture_references text)
            """,
            [Parameter(run), Parameter(session), Parameter("[" + rows.text + "]")]
        )
        rows = JSONWriter()
        count = 0
    }
}
