import FoundationEssentials
import NIOCore
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system call, whose name the folder's own method hides.
private func linkFile(_ known: String, _ path: String) -> CInt { link(known, path) }

/// The pictures on disk, byte for byte as uploaded; the server chooses all names.
///
/// No part of an upload's name reaches the file system.
struct PictureFolder: Sendable {
    let path: String

    /// Uses a folder, which is created if it does not exist.
    init(path: String) throws {
        self.path = path
        try Self.make(path)
    }

    /// Creates a folder and its parents; the ``ServerError`` names it.
    static func make(_ path: String) throws(ServerError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ServerError(.storage, "cannot make the folder \(path): \(ErrorText.of(error))")
        }
    }

    /// Saves a picture under a name that was never used before.
    ///
    /// No row names it yet, so it is never read half written; a crash leaves only an unused file. A power cut may lose
    /// the last pictures, as it may lose the last transactions.
    func write(_ bytes: [UInt8], name: String) throws {
        let file: SystemPackage.FileDescriptor
        do {
            file = try create(name)
        } catch Errno.noSuchFileOrDirectory {
            try FileManager.default.createDirectory(atPath: folder(of: name), withIntermediateDirectories: true)
            file = try create(name)
        }
        do {
            try file.closeAfter { _ = try file.writeAll(bytes) }
        } catch {
            remove(name: name)
            throw error
        }
    }

    /// Gives a picture's file a further name; `false` if the file system does not link, or not as often.
    func link(_ known: String, name: String) -> Bool {
        let paths = (file(of: known), file(of: name))
        if linkFile(paths.0, paths.1) == 0 { return true }
        try? FileManager.default.createDirectory(atPath: folder(of: name), withIntermediateDirectories: true)
        return linkFile(paths.0, paths.1) == 0
    }

    private func create(_ name: String) throws -> SystemPackage.FileDescriptor {
        try SystemPackage.FileDescriptor.open(
            FilePath(file(of: name)),
            .writeOnly,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
        )
    }

    /// The bytes of a picture; `nil` if its file is gone.
    func read(name: String) throws -> ByteBuffer? {
        do {
            return ByteBuffer(bytes: try Data(contentsOf: URL(filePath: file(of: name))))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    /// Removes a picture.
    ///
    /// A missing one is not an error, because an earlier delete may have been interrupted.
    func remove(name: String) {
        try? FileManager.default.removeItem(atPath: file(of: name))
    }

    // The last digits of a time UUID are random; the first ones would fill one folder after another.
    private func folder(of name: String) -> String { "\(path)/\(name.suffix(2))" }
    private func file(of name: String) -> String { "\(folder(of: name))/\(name)" }
}
