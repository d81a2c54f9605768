package import OpenMarket

/// The states of markets in one SQLite file, with a kernel lock next to it.
///
/// The whole file has one lock. It ends with its holder, so a session does not expire.
package struct StateFile: StateBackend {
    /// The default number of runs whose operations the journal keeps.
    package static let standardKeptRuns = 100

    private let path: String
    private let keptRuns: Int

    /// Creates a backend for a state file, which need not exist.
    ///
    /// `keptRuns` is the number of runs whose operations the journal keeps, at least 1.
    package init(_ location: StateLocation, keptRuns: Int = standardKeptRuns) {
        path = location.revealed
        self.keptRuns = keptRuns
    }

    /// The file's path with symbolic links resolved.
    package var location: StateLocation { StateFiles(path).location }

    /// The markets of the file, in the order of their first session; empty if there is no file.
    ///
    /// The error is a ``StateError``.
    package func markets() throws -> [KnownMarket] {
        try StateStore.markets(StateFiles(path))
    }

    /// Opens the file for reading; a file of an older version is read through a migrated copy in memory.
    ///
    /// The error is a ``StateError``.
    package func read(_ scope: MarketScope) throws -> any StateReader {
        try StateStore.reading(path, scope: scope)
    }

    /// Takes the file's lock and opens the file for writing.
    ///
    /// Detects a damaged, foreign or newer file, a read-only folder and a full disk now, before any request. Throws a
    /// ``StateError`` or `CancellationError`.
    package func hold(
        _ scope: MarketScope,
        for command: String,
        waiting timeout: Duration
    ) async throws -> any StateSession {
        let lock = try await StateLock.acquire(path, command: command, timeout: timeout)
        do {
            return try StateStore.writing(path, scope: scope, lock: lock, keptRuns: keptRuns)
        } catch {
            lock.release()
            throw error
        }
    }

    /// Whether a path leads to a state or to a file next to one, whatever its name; other data must not go there.
    package static func owns(_ path: String) -> Bool {
        let states = StateFiles.endings.compactMap { path.hasSuffix($0) ? String(path.dropLast($0.count)) : nil }
        return states.contains(where: StateFiles.isState)
            || StateFiles.original(ofBackup: path).map(StateFiles.isState) ?? false
    }

    /// The files of a state; some exist only temporarily.
    package var files: [String] { StateFiles.endings.map { path + $0 } }

    /// Removes the lock of a dead holder on another machine; the file has one lock, so this concerns all its markets.
    ///
    /// Throws a ``StateError``, which is `locked` while a living process holds the lock.
    package func unlock(_ scope: MarketScope, force: Bool) throws -> String? {
        try StateLock.unlock(path)?.description
    }
}
