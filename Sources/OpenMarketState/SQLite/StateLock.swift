import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import Synchronization
import SystemPackage

/// The right to write a state: one writer at a time.
///
/// The lock itself is the kernel's and goes when its holder dies, however that happens. What is in the lock file
/// only says who it is. The file stays when the lock is released: removing it would let two think they hold it.
final class StateLock: Sendable {
    /// We, as others see it.
    let holder: LockHolder

    let files: StateFiles
    private let descriptor: Mutex<FileDescriptor?>

    /// How long a holder on another machine is believed although the kernel's lock is free: over some network
    /// shares that lock does not reach.
    static let foreignHolderLifetime = Duration.seconds(24 * 60 * 60)

    private init(files: StateFiles, holder: LockHolder, descriptor: FileDescriptor) {
        self.files = files
        self.holder = holder
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        release()
    }

    /// Whether the lock was not released yet.
    var isHeld: Bool { descriptor.withLock { $0 != nil } }

    // MARK: - Taking and releasing

    /// Takes the lock of a state, waiting for it up to a time; makes the state's folder if it is not there.
    ///
    /// - Parameters:
    ///   - path: the state file, which need not exist.
    ///   - command: what we are about to do, for others to read.
    ///   - timeout: how long to wait for another holder.
    ///   - clock: what waits.
    /// - Returns: the lock, held until it is released or dropped.
    /// - Throws: ``StateError``, `locked` with the holder when the time is up; `CancellationError`.
    static func acquire(
        _ path: String,
        command: String,
        timeout: Duration = .zero,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> StateLock {
        let host = FileSystem.hostName
        let process = FileSystem.processID
        return try await acquire(path, timeout: timeout, clock: clock) {
            LockHolder(host: host, process: process, command: command, since: now)
        }
    }

    /// Takes the lock under an identity: computed for each attempt, so that `since` is the time of the one that won.
    static func acquire(
        _ path: String,
        timeout: Duration,
        clock: some Clock<Duration>,
        as identity: () -> LockHolder
    ) async throws -> StateLock {
        let folder = FileSystem.folder(of: path)
        try StateError.explaining(.createFolder, folder) {
            try FileSystem.createFolder(folder, permissions: .ownerReadWriteExecute)
        }
        let files = StateFiles(path)
        let start = clock.now
        var attempts = 0
        while true {
            attempts += 1
            let refusal: StateError
            switch try attempt(files, identity()) {
            case .success(let lock): return lock
            case .failure(let error): refusal = error
            }
            let left = timeout - start.duration(to: clock.now)
            // A reader that looks who holds the lock has it for a moment: one look again costs little.
            guard left > .zero || attempts < 3 else { throw refusal }
            try await clock.sleep(for: left > .zero ? min(left, .milliseconds(200)) : .milliseconds(5))
        }
    }

    private static func attempt(_ files: StateFiles, _ holder: LockHolder) throws -> Result<StateLock, StateError> {
        let descriptor = try openLock(files)
        do {
            guard try take(descriptor, files) else {
                let other = described(descriptor)
                descriptor.unlockAndClose()
                return .failure(locked(files, by: other))
            }
            if let other = described(descriptor), other.host != holder.host,
                holder.since - other.since < foreignHolderLifetime
            {
                descriptor.unlockAndClose()
                return .failure(locked(files, by: other))
            }
            // Whoever is described there on this machine is dead: the kernel gave us the lock.
            try describe(holder.line, descriptor, files)
            return .success(StateLock(files: files, holder: holder, descriptor: descriptor))
        } catch {
            descriptor.unlockAndClose()
            throw error
        }
    }

    /// Lets others in; does nothing the second time.
    func release() {
        descriptor.withLock { held in
            guard let open = held else { return }
            // A description left behind only delays another machine; the lock goes with the descriptor.
            try? open.replaceContent(with: [])
            open.unlockAndClose()
            held = nil
        }
    }

    /// Removes what a dead holder left behind, such as one on another machine whose lock cannot be seen.
    ///
    /// - Returns: the holder that was described there; `nil` where nothing was locked.
    /// - Throws: ``StateError``, `locked` while a living process holds the lock.
    static func unlock(_ path: String) throws -> LockHolder? {
        let files = StateFiles(path)
        guard try openExisting(files)?.close() != nil else { return nil }
        let descriptor = try openLock(files)
        defer { descriptor.unlockAndClose() }
        let holder = described(descriptor)
        guard try take(descriptor, files) else {
            throw locked(files, by: holder)
        }
        try describe([], descriptor, files)
        return holder
    }

    // MARK: - Looking

    /// Whether the lock is held.
    enum Occupation: Sendable {
        case free
        /// A living process; `nil` where it did not say who it is.
        case held(LockHolder?)

        /// Whether a run that was not closed and began then is the holder's, and not one that was killed.
        func isRunning(startedAt: Timestamp) -> Bool {
            switch self {
            case .free: false
            case .held(nil): true
            case .held(let holder?): startedAt >= holder.since
            }
        }
    }

    static func probe(_ files: StateFiles) throws -> Occupation {
        guard let descriptor = try openExisting(files) else { return .free }
        defer { descriptor.unlockAndClose() }
        let isFree = try take(descriptor, files, shared: true)
        return isFree ? .free : .held(described(descriptor))
    }

    /// Who holds the lock of a state now; `nil` where it is free, or where the holder does not say.
    ///
    /// - Throws: ``StateError``.
    static func currentHolder(of path: String) throws -> LockHolder? {
        if case .held(let holder) = try probe(StateFiles(path)) { holder } else { nil }
    }

    // MARK: - The file

    private static func openLock(_ files: StateFiles) throws(StateError) -> FileDescriptor {
        try StateError.explaining(.open, files.lock) { try FileSystem.openPrivate(files.lock, followsLink: false) }
    }

    /// The lock's file for reading; `nil` where there is none.
    private static func openExisting(_ files: StateFiles) throws(StateError) -> FileDescriptor? {
        try StateError.explaining(.open, files.lock) { try FileSystem.openIfPresent(files.lock) }
    }

    private static func take(
        _ descriptor: FileDescriptor,
        _ files: StateFiles,
        shared: Bool = false
    ) throws(StateError) -> Bool {
        try StateError.explaining(.lock, files.lock) { try descriptor.lock(shared: shared) }
    }

    /// Who is described in the file.
    private static func described(_ descriptor: FileDescriptor) -> LockHolder? {
        LockHolder(line: (try? descriptor.head(4096)) ?? [])
    }

    private static func describe(
        _ line: [UInt8],
        _ descriptor: FileDescriptor,
        _ files: StateFiles
    ) throws(StateError) {
        let content = try StateError.explaining(.open, files.lock) { try descriptor.head(4096) }
        guard LockHolder.mayHaveLeft(content) else {
            throw StateError(.input, "\(files.lock) is not a lock of the state, and would be emptied")
        }
        try StateError.explaining(.write, files.lock) { try descriptor.replaceContent(with: line) }
    }

    /// The time now.
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    private static func locked(_ files: StateFiles, by holder: LockHolder?) -> StateError {
        let who = holder.map { "\($0)" } ?? "another process"
        return StateError(
            .locked,
            "the state \(files.path) is locked by \(who)"
        )
    }
}
