import Dispatch
import GRDB
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketServer

struct SharedTransactionsTests {
    private struct Refused: Error {}

    /// Every third of the works of one transaction fails after it has written; `2` fails at a constraint of SQLite.
    @Test func `a work that fails takes no other with it, and each gets its own answer`() async throws {
        let folder = try Folder()
        let pool = try DatabasePool(path: folder.path + "/shared.db")
        defer { try? pool.close() }
        try await pool.write { try $0.execute(sql: "CREATE TABLE row (id INTEGER PRIMARY KEY)") }
        let transactions = SharedTransactions(pool)
        // Holds the thread of the writing connection until all works wait: they share one transaction then.
        let gate = DispatchSemaphore(value: 0)
        pool.asyncWriteWithoutTransaction { _ in gate.wait() }
        let answers = try await withThrowingTaskGroup { group in
            for number in 0..<9 {
                group.addTask {
                    let answer = await Result {
                        try await transactions.write { database in
                            try database.execute(sql: "INSERT INTO row VALUES (?)", arguments: [number])
                            if number == 2 { try database.execute(sql: "INSERT INTO row VALUES (2)") }
                            if number % 3 == 2 { throw Refused() }
                            return number * 10
                        }
                    }
                    return (number, answer)
                }
            }
            while transactions.waiting < 9 { await Task.yield() }
            gate.signal()
            return try await group.reduce(into: [Int: Result<Int, any Error>]()) { $0[$1.0] = $1.1 }
        }
        for number in 0..<9 {
            let answer = try #require(answers[number])
            switch number {
            case 2: #expect(throws: DatabaseError.self) { try answer.get() }
            case 5, 8: #expect(throws: Refused.self) { try answer.get() }
            default: #expect(try answer.get() == number * 10)
            }
        }
        let rows = try await pool.read { try Int.fetchAll($0, sql: "SELECT id FROM row ORDER BY id") }
        #expect(rows == [0, 1, 3, 4, 6, 7])
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
