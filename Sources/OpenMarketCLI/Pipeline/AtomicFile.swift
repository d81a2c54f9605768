import OpenMarketFiles
import OpenMarketReview
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A file that appears whole or not at all: written beside its place, forced to disk, then renamed.
///
/// What is there already stays until ``commit()``; a new file keeps owner and mode of the old one as far as the system
/// lets it, is never readable to more people, and a link stays one. A device or pipe is written directly. What a run that was killed left beside the place goes away when
/// the next file is written there.
struct AtomicFile: ~Copyable {
    /// The permissions of files for everybody's eyes: exports, manifests, reviews.
    static let readableByAll: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// Where the file will be.
    let path: String
    private let target: Target
    /// Whether the file will belong to whom the old one belongs.
    private let keepsOwner: Bool
    /// Whether what is there in the end is replaced.
    private let replaces: Bool
    private let replaceable: FileRole

    /// What is written.
    private enum Target {
        case temporary(TemporaryFile)
        case special(FileDescriptor)

        var descriptor: FileDescriptor {
            switch self {
            case .temporary(let file): file.descriptor
            case .special(let descriptor): descriptor
            }
        }
    }

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - path: where it will be.
    ///   - permissions: of a new file; plans and states are readable to their owner only.
    ///   - replaces: whether a file that is there is replaced; also one that appears meanwhile stays otherwise.
    ///   - replaceable: as what the file may be read and yet be written anew.
    /// - Throws: ``CommandFailure`` with the system's reason, and with exit 64 where that would replace an input.
    init(
        _ path: String,
        permissions: FilePermissions = AtomicFile.readableByAll,
        replaces: Bool = true,
        replacing replaceable: FileRole = []
    ) throws {
        try OutputPlace.requireFree(path, replacing: replaceable)
        var status = stat()
        let exists = stat(path, &status) == 0
        let isSpecial = exists && status.st_mode & S_IFMT != S_IFREG
        let path = exists && !isSpecial ? Self.resolved(path) : path
        let permissions = exists ? permissions.intersection(FilePermissions(rawValue: status.st_mode)) : permissions
        let target: Target
        var keepsOwner = true
        do {
            if isSpecial {
                target = .special(try FileDescriptor.open(path, .writeOnly, options: .closeOnExec))
            } else {
                TemporaryFile.removeLeftOvers(of: path)
                let file = try TemporaryFile(for: path, permissions: permissions)
                if exists { keepsOwner = file.takeOver(status, permissions: permissions) }
                target = .temporary(file)
            }
        } catch {
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
        self.path = path
        self.target = target
        self.keepsOwner = keepsOwner
        self.replaces = replaces
        self.replaceable = replaceable
    }

    /// The file that a path leads to through links.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether this is a device or a pipe, which stays what it is.
    var isSpecial: Bool { if case .special = target { true } else { false } }

    /// Where the content stands until ``commit()``, for those who write it by name; `nil` for a device or a pipe.
    func temporaryPath() -> String? { if case .temporary(let file) = target { file.path } else { nil } }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws {
        do {
            try target.descriptor.writeAll(bytes)
        } catch {
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
    }

    /// Puts the file in its place.
    consuming func commit() throws {
        guard case .temporary(let file) = target else { return }
        // Files are read while others are written.
        try OutputPlace.requireFree(path, replacing: replaceable)
        do {
            try file.move(to: path, replaces: replaces)
            FileRegister.current.noteWritten(path)
        } catch Errno.fileExists where !replaces {
            throw CommandFailure(
                .failure,
                "\(path.terminalSafe) appeared meanwhile; it was left alone",
                help: "name another file, or say that it is to be replaced"
            )
        } catch {
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
    }

    deinit {
        switch target {
        case .temporary(let file): file.discard()
        case .special(let descriptor): try? descriptor.close()
        }
    }

    /// Writes a whole file.
    static func write(
        _ bytes: [UInt8],
        to path: String,
        permissions: FilePermissions = .ownerReadWrite,
        replaces: Bool = true,
        replacing replaceable: FileRole = []
    ) throws {
        let file = try AtomicFile(path, permissions: permissions, replaces: replaces, replacing: replaceable)
        try file.write(bytes)
        try file.commit()
    }

    /// Writes a file of the user's anew: owner, mode and links stay, or the file does.
    ///
    /// - Throws: ``CommandFailure``, as ``rewriting(_:)`` does.
    static func rewrite(_ bytes: [UInt8], of path: String) throws {
        let file = try rewriting(path)
        try file.write(bytes)
        try file.commit()
    }

    /// Begins to write a file of the user's anew.
    ///
    /// - Throws: ``CommandFailure`` where the file has another name by a hard link, which would keep the old content, or
    ///   its owner cannot be kept.
    static func rewriting(_ path: String) throws -> AtomicFile {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 {
            throw CommandFailure(
                .failure,
                "\(path) has another name by a hard link, which would keep what it says now; it was left alone",
                help: "write another file, or make it one of its own: cp FILE NEW && mv NEW FILE"
            )
        }
        let file = try AtomicFile(path, permissions: FilePermissions(rawValue: 0o7777), replacing: .manifest)
        guard file.keepsOwner else {
            throw CommandFailure(
                .failure,
                "\(path) is another user's, and would not be after it was written; it was left alone",
                help: "run it as that user"
            )
        }
        return file
    }
}
