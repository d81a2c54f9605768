import GRDB
import OpenMarket
import OpenMarketFiles
import SystemPackage

extension StateStore {
    /// Checks that an existing write-ahead log belongs to the file: SQLite would replay it into any file of that name.
    ///
    /// Each commit has a number in the file's header. A log starts after the file's number, or was partly replayed.
    static func requireOwnLog(_ files: StateFiles) throws {
        guard let (first, last) = try StateError.explaining(.read, files.writeAheadLog, { try commits(of: files) })
        else {
            return
        }
        let file = try connection(immutableURI(files.path), readonly: true)
        let here = try file.read { try $0.commitNumber() }
        try file.close()
        guard Database.commits(from: here, to: first) > 1 || Database.commits(from: last, to: here) > 0 else { return }
        throw StateError(
            .damaged,
            "the state \(files.path) was exchanged, and its log \(files.writeAheadLog) belongs to another file; "
                + "both are unchanged. Put back the file of the log; or move away the log and the -shm file next to "
                + "it, which loses the changes after the file was copied"
        )
    }

    /// The commit numbers in the first and the last file header that the log holds; `nil` if it holds none.
    private static func commits(of files: StateFiles) throws -> (first: Int, last: Int)? {
        guard let log = try FileSystem.openIfPresent(files.writeAheadLog) else { return nil }
        defer { try? log.close() }
        func word(_ place: Int, in bytes: [UInt8]) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var found: (first: Int, last: Int)?
        let head = try log.head(32)
        var place: Int64 = 32
        while head.count == 32 {
            // A page follows its number, the size of the file, and the salt that all pages of the log have.
            let frame = try log.head(24 + 64, from: place)
            guard frame.count == 88, frame[8..<16] == head[16..<24] else { break }
            if word(0, in: frame) == 1 { found = (found?.first ?? word(84, in: frame) >> 8, word(84, in: frame) >> 8) }
            place += 24 + Int64(word(8, in: head))
        }
        return found
    }
}

extension Database {
    /// The commit numbers start over after this many.
    private static let commitNumbers = 1 << 23

    /// The number of the last commit, stored in the header above the version.
    func commitNumber() throws -> Int { try (Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0) >> 8 }

    /// Increments the commit number in this transaction.
    func numberCommit() throws {
        let next = try (commitNumber() + 1) % Self.commitNumbers
        try execute(sql: "PRAGMA user_version = \(next << 8 | stateVersion())")
    }

    /// The distance from one number to another; negative if the other is older.
    fileprivate static func commits(from one: Int, to other: Int) -> Int {
        (other - one + commitNumbers * 3 / 2) % commitNumbers - commitNumbers / 2
    }
}
