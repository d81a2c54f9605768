import OpenMarket

extension PostgreSQLSession {
    /// Copies another state's whole data about the market, in one transaction.
    func fill(with archive: StateArchive) throws {
        try change(isLong: true) { connection in
            let isKnown = try connection.query(
                """
                SELECT EXISTS (SELECT 1 FROM \(tables.entries) WHERE scope = $1)
                    OR EXISTS (SELECT 1 FROM \(tables.runs) WHERE scope = $1)
                """,
                [Parameter(scopeID)]
            ).first?.flag(0)
            guard isKnown == false else { throw StateError.isNotEmpty(settings.location) }
            try connection.query(
                "UPDATE \(tables.scopes) SET vendor = $2, accepted = $3 WHERE id = $1",
                [
                    Parameter(scopeID), Parameter(archive.snapshot.vendorID),
                    Parameter(archive.acceptedDescription?.hexadecimal),
                ]
            )
            try make(archive.snapshot.entries.values.map(StateMutation.put), connection)
            for run in archive.runs {
                try insert(run, blocking { try await archive.operations(of: run.record.id) }, connection)
            }
        }
    }

    /// Records that the market's state has moved; the address is recorded without its password.
    func retire(to location: StateLocation) throws {
        try change { connection in
            _ = try connection.query(
                "UPDATE \(tables.scopes) SET moved_to = $2 WHERE id = $1",
                [Parameter(scopeID), Parameter(location.description)]
            )
        }
    }

    private func insert(
        _ summary: RunSummary,
        _ operations: [JournalledOperation],
        _ connection: Connection
    ) throws {
        let number = try insert(summary.record, connection)
        try insert(operations.map(\.operation), 0..<operations.count, of: number, connection)
        try connection.query(
            """
            UPDATE \(tables.runs) SET started_at = \(Self.moment("$2")), finished_at = \(Self.moment("$3")),
                interrupted = $4, operations = $5, (\(RunTotals.columns)) = ($6, $7, $8, $9, $10)
            WHERE number = $1
            """,
            [
                Parameter(number), Parameter(summary.startedAt.rawValue), Parameter(summary.finishedAt?.rawValue),
                Parameter(summary.interrupted), Parameter(operations.count),
            ] + summary.totals.values.map { Parameter($0) }
        )
        var facts = FactRows()
        for operation in operations {
            facts.add(operation, startedAt: summary.startedAt)
            if facts.count >= 5000 {
                try insert(facts, of: number, connection)
                facts = FactRows()
            }
        }
        if facts.count > 0 { try insert(facts, of: number, connection) }
    }

    private func insert(_ facts: FactRows, of run: Int64, _ connection: Connection) throws {
        let columns =
            "sequence, number, status, step, product, message, repeat_key, body_digest, picture_references"
        try connection.query(
            """
            INSERT INTO \(tables.events) (run, session, at, \(columns))
            SELECT $1, $2, \(Self.moment("at")), \(columns)
            FROM json_to_recordset($3::json) AS f (sequence int, number int, at bigint, status text, step text,
                product text, message text, repeat_key text, body_digest text, picture_references text)
            """,
            [Parameter(run), Parameter(number), Parameter(json: facts.json)]
        )
    }

    /// A timestamp from milliseconds since 1970.
    static func moment(_ milliseconds: String) -> String {
        "(timestamptz 'epoch' + \(milliseconds)::bigint * interval '1 millisecond')"
    }
}

extension FactRows {
    /// Adds another state's facts about an operation, with their original times.
    fileprivate mutating func add(_ operation: JournalledOperation, startedAt: Timestamp) {
        let progress = operation.progress
        let time = progress.sentAt ?? startedAt
        func add(_ fact: JournalEvent.Fact, _ number: Int, _ time: Timestamp) {
            self.add(fact, operation.sequence, number) { $0.member("at", time.rawValue) }
        }
        // The idempotency key exists since the first request with it.
        if progress.isUnresolved, let step = progress.step, let fingerprint = progress.fingerprint,
            let firstSentAt = progress.firstSentAt, firstSentAt < time
        {
            add(.sent(step, highWater: nil, fingerprint: fingerprint), progress.firstFact - 1, firstSentAt)
        }
        for (index, fact) in progress.lastFacts.enumerated() { add(fact, progress.firstFact + index, time) }
    }
}
