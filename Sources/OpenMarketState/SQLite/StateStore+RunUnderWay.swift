import GRDB
import OpenMarket

extension StateStore {
    /// The run of the lock's holder: not closed, and begun after the lock was taken.
    ///
    /// The error is a ``StateError``.
    func runUnderWay() throws -> RunUnderWay? {
        let occupation = try lock.map { StateLock.Occupation.held($0.holder) } ?? StateLock.probe(files)
        // There is one holder, so only the newest run can be its.
        guard let run = try runs(nil, limit: 1).first, run.finishedAt == nil,
            occupation.isRunning(startedAt: run.startedAt)
        else { return nil }
        let (session, totals) = try read((Int64(0), RunTotals())) { db, scope in
            let session = try Int64.fetchOne(db, sql: "SELECT sessions FROM scopes WHERE id = ?", arguments: [scope])
            return (session ?? 0, try Self.totals(of: run.record.id, db))
        }
        var participants: [RunUnderWay.Participant] = []
        if case .held(let holder?) = occupation {
            participants = [
                RunUnderWay.Participant(
                    session: session,
                    host: holder.host,
                    process: Int(holder.process),
                    command: holder.command,
                    since: holder.since
                )
            ]
        }
        return RunUnderWay(
            record: run.record,
            startedAt: run.startedAt,
            operations: run.operations,
            totals: totals,
            participants: participants,
            stop: nil,
            now: now
        )
    }

    private static func totals(of run: RunID, _ db: Database) throws -> RunTotals {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT status, COUNT(*) FROM (SELECT number FROM runs WHERE id = ?) JOIN operations ON \(Self.ofRun)
                GROUP BY status
                """,
            arguments: [run.rawValue]
        )
        return RunTotals(try rows.map { (try $0.status(0), try $0.int(1)) })
    }
}
