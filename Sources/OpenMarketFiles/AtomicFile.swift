package import SystemPackage

/// A file that appears whole or not at all: written beside its place, forced to disk, then renamed.
///
/// What is there already stays until ``commit()``; a new file keeps owner and mode of the old one as far as the system
/// lets it, is never readable to more people, and a link stays one. A device or pipe is written directly, and so is a
/// descriptor that the process was given, whatever is behind it: `/dev/stdout` may be a file that others append to. What a
/// run that was killed left beside the place goes away when the next file is written there.
package struct AtomicFile: ~Copyable {
    /// The permissions of files for everybody's eyes: exports, manifests, reviews.
    package static let readableByAll: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// Where the file will be.
    let path: String
    private let target: Target
    /// Whether the file will belong to whom the old one belongs.
    private let keepsOwner: Bool
    /// Whether what is there in the end is replaced.
    private let replaces: Bool
    private let replaceable: FileRole

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
    ///   - replaceable: as what the file may be read and yet be written again.
    /// - Throws: ``FileError``; ``FileConflict`` where that would replace an input.
    package init(
        _ path: String,
        permissions: FilePermissions = AtomicFile.readableByAll,
        replaces: Bool = true,
        replacing replaceable: FileRole = []
    ) throws {
        guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(.write, path, .folderName) }
        try FileRegister.current.requireFree(path, replacing: replaceable, mayReplace: replaces)
        let given = FileSystem.descriptor(named: path)
        let (status, place) = try FileError.explaining(.write, path) {
            // What the system says against a path now, as that its name is too long, it would say in the end.
            (try FileSystem.status(of: path), try FileSystem.destination(of: path))
        }
        let isSpecial = given != nil || status.map { $0.type != .regular } ?? false
        let path = isSpecial ? path : FileSystem.resolved(path) ?? place
        let permissions = status.map { permissions.intersection($0.permissions) } ?? permissions
        var keepsOwner = true
        target = try FileError.explaining(.write, path) {
            if let given { return .special(try .copy(ofGiven: given)) }
            guard !isSpecial else {
                return .special(try FileDescriptor.open(path, .writeOnly, options: .closeOnExec))
            }
            TemporaryFile.removeLeftOvers(of: path)
            let file = try TemporaryFile(for: path, permissions: permissions)
            if let status { keepsOwner = file.takeOver(status, permissions: permissions) }
            return .temporary(file)
        }
        self.path = path
        self.keepsOwner = keepsOwner
        self.replaces = replaces
        self.replaceable = replaceable
    }

    /// Whether this is a device or a pipe, which stays what it is.
    package var isSpecial: Bool { if case .special = target { true } else { false } }

    /// Where the content is until ``commit()``, for those who write it by name; `nil` for a device or a pipe.
    package func temporaryPath() -> String? { if case .temporary(let file) = target { file.path } else { nil } }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError``.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try FileError.explaining(.write, path) { _ = try target.descriptor.writeAll(bytes) }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``FileError``; ``FileConflict`` where that would replace what was read since.
    package consuming func commit() throws {
        guard case .temporary(let file) = target else { return }
        // Files are read while others are written.
        try FileRegister.current.requireFree(path, replacing: replaceable, mayReplace: replaces)
        do {
            try file.move(to: path, replaces: replaces)
        } catch .fileExists where !replaces {
            throw FileError(.write, path, .taken)
        } catch {
            throw FileError(.write, path, error)
        }
        FileRegister.current.noteWritten(path)
    }

    deinit {
        switch target {
        case .temporary(let file): file.discard()
        case .special(let descriptor): try? descriptor.close()
        }
    }

    /// Writes a whole file.
    ///
    /// - Throws: ``FileError``; ``FileConflict`` where that would replace an input.
    package static func write(
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

    /// Writes a file of the user's again: owner, mode and links stay, or the file does.
    ///
    /// - Throws: as ``rewriting(_:)`` does.
    package static func rewrite(_ bytes: [UInt8], of path: String) throws {
        let file = try rewriting(path)
        try file.write(bytes)
        try file.commit()
    }

    /// Begins to write a file of the user's again.
    ///
    /// - Throws: ``FileError`` where the file has another name by a hard link, which would keep the old content, or its
    ///   owner cannot be kept; ``FileConflict``.
    package static func rewriting(_ path: String) throws -> AtomicFile {
        if let status = try? Stat(FilePath(path)), status.type == .regular, status.linkCount > 1 {
            throw FileError(.write, path, .hardLinked)
        }
        let file = try AtomicFile(path, permissions: FilePermissions(rawValue: 0o7777), replacing: .manifest)
        guard file.keepsOwner else { throw FileError(.write, path, .otherOwner) }
        return file
    }
}
