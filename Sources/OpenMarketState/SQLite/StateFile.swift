package import OpenMarket

/// The states of markets in one SQLite file, with a lock of the kernel's beside it.
///
/// The lock is one for the whole file and goes with its holder, so a session has no deadline.
package struct StateFile: StateBackend {
    /// Of how many runs the journal keeps the operations unless specified.
    package static let standardKeptRuns = 100

    private let path: String
    private let keptRuns: Int

    /// A state file, which need not exist.
    ///
    /// - Parameters:
    ///   - location: Its path.
    ///   - keptRuns: Of how many runs the journal keeps the operations; at least 1.
    package init(_ location: StateLocation, keptRuns: Int = standardKeptRuns) {
        path = location.revealed
        self.keptRuns = keptRuns
    }

    /// The file's path, symbolic links resolved.
    package var location: StateLocation { StateFiles(path).location }

    /// The markets that the file knows, in the order in which they were first held; none where there is no file.
    ///
    /// - Throws: ``StateError``.
    package func markets() throws -> [KnownMarket] {
        try StateStore.markets(StateFiles(path))
    }

    /// Opens the file to read it; an older version's is read through a migrated copy in memory.
    ///
    /// - Throws: ``StateError``.
    package func read(_ scope: MarketScope) throws -> any StateReader {
        try StateStore.reading(path, scope: scope)
    }

    /// Takes the file's lock, and opens it to change it.
    ///
    /// Finds a damaged, foreign or newer file, a folder that cannot be written and a full disk now, before any request.
    ///
    /// - Throws: ``StateError``, `CancellationError`.
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

    /// Whether a path leads to a state, or to a file beside one, whatever it is called: nothing else may be written there.
    package static func owns(_ path: String) -> Bool {
        let states = StateFiles.endings.compactMap { path.hasSuffix($0) ? String(path.dropLast($0.count)) : nil }
        return states.contains(where: StateFiles.isState)
            || StateFiles.original(ofBackup: path).map(StateFiles.isState) ?? false
    }

    /// The files that a state consists of, and that are beside it at times.
    package var files: [String] { StateFiles.endings.map { path + $0 } }

    /// Removes what a holder on another machine left behind that is no more: of the whole file, which has one lock.
    ///
    /// - Throws: ``StateError``, `locked` while a living process holds the lock, which cannot be taken from it.
    package func unlock(_ scope: MarketScope, force: Bool) throws -> String? {
        try StateLock.unlock(path)?.description
    }
}
