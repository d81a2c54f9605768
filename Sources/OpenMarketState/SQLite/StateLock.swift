import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import Synchronization
import SystemPackage

/// The lock for writing a state: one writer at a time.
///
/// It is a kernel lock, which ends with its holder, however that dies. The lock file's content only describes the
/// holder. The file stays after the release, because removing it could let two processes hold the lock.
final class StateLock: Sendable {
    /// The description of this process.
    let holder: LockHolder

    let files: StateFiles
    private let descriptor: Mutex<FileDescriptor?>

    /// How long a holder on another machine is trusted although the kernel's lock is free.
    ///
    /// The lock does not work over some network shares.
    static let foreignHolderLifetime = Duration.seconds(24 * 60 * 60)

    private init(files: StateFiles, holder: LockHolder, descriptor: FileDescriptor) {
        self.files = files
        self.holder = holder
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        release()
    }

    var isHeld: Bool { descriptor.withLock { $0 != nil } }

    // MARK: - Taking and releasing

    /// Takes the lock of a state and creates the state's folder if necessary; the state file need not exist.
    ///
    /// The command describes the holder to others. Waits for another holder up to the timeout, then throws a
    /// ``StateError`` `locked` with the holder. It may also throw other ``StateError``s and `CancellationError`. The
    /// lock is held until it is released or dropped. The holder is computed for each attempt, so that its `since` is the
    /// time of the successful one.
    static func acquire(
        _ path: String,
        command: String,
        timeout: Duration = .zero,
        clock: some Clock<Duration> = ContinuousClock(),
        as holder: (String) -> LockHolder = {
            LockHolder(host: FileSystem.hostName, process: FileSystem.processID, command: $0, since: StateLock.now)
        }
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
            do {
                return try attempt(files, holder(command))
            } catch let error as StateError where error.code == .locked {
                let left = timeout - start.duration(to: clock.now)
                // A reader that looks up the holder has the lock for a moment, so a few more attempts are worthwhile.
                guard left > .zero || attempts < 3 else { throw error }
                try await clock.sleep(for: left > .zero ? min(left, .milliseconds(200)) : .milliseconds(5))
            }
        }
    }

    private static func attempt(_ files: StateFiles, _ holder: LockHolder) throws -> StateLock {
        let descriptor = try openLock(files)
        do {
            guard try take(descriptor, files) else {
                throw locked(files, by: described(descriptor))
            }
            if let other = described(descriptor), other.host != holder.host,
                holder.since - other.since < foreignHolderLifetime
            {
                throw locked(files, by: other)
            }
            // A described holder on this machine is dead, because the kernel granted the lock.
            try describe(holder.line, descriptor, files)
            return StateLock(files: files, holder: holder, descriptor: descriptor)
        } catch {
            descriptor.unlockAndClose()
            throw error
        }
    }

    /// Releases the lock; a second call has no effect.
    func release() {
        descriptor.withLock { held in
            guard let open = held else { return }
            // If this fails, the description only delays another machine; the lock ends with the descriptor.
            try? open.replaceContent(with: [])
            open.unlockAndClose()
            held = nil
        }
    }

    /// Removes the description of a dead holder, such as one on another machine, whose lock cannot be seen.
    ///
    /// Returns the described holder; `nil` without a lock. Throws a ``StateError``, which is `locked` while a living
    /// process holds the lock.
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

    // MARK: - Inspection

    enum Occupation: Sendable {
        case free
        /// Held by a living process; `nil` if it is not described.
        case held(LockHolder?)

        /// Whether an unfinished run that began at this time belongs to the holder, and not to a killed process.
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

    // MARK: - The file

    private static func openLock(_ files: StateFiles) throws(StateError) -> FileDescriptor {
        try StateError.explaining(.open, files.lock) { try FileSystem.openPrivate(files.lock, followsLink: false) }
    }

    /// The lock file, opened for reading; `nil` if there is none.
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

    static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    private static func locked(_ files: StateFiles, by holder: LockHolder?) -> StateError {
        let who = holder.map { "\($0)" } ?? "another process"
        return StateError(
            .locked,
            "the state \(files.path) is locked by \(who)"
        )
    }
}
