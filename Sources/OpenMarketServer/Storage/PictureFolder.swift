import FoundationEssentials
import NIOCore
import NIOPosix
import SystemPackage

/// The pictures on disk, byte for byte as uploaded; the server chooses all names.
///
/// No part of an upload's name reaches the file system.
struct PictureFolder: Sendable {
    let path: String

    /// Creates the folder if it does not exist.
    init(path: String) throws {
        self.path = path
        try Self.make(path)
    }

    /// Creates a folder and its parents; a ``ServerError`` contains the path.
    static func make(_ path: String) throws(ServerError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ServerError(.storage, "cannot create the folder \(path): \(ErrorText.of(error))")
        }
    }

    /// Saves a picture under a name that was never used before.
    ///
    /// No row refers to it yet, so it is never read half written; a crash leaves only an unused file. A power cut may
    /// lose the last pictures, as it may lose the last transactions.
    func write(_ bytes: [UInt8], name: String) throws {
        let descriptor = try inFolder(of: name) {
            try FileDescriptor.open(
                FilePath(file(of: name)),
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
            )
        }
        do {
            try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
        } catch {
            remove(name: name)
            throw error
        }
    }

    /// Adds a hard link to a picture's file; `false` if the file system lacks links, or allows no more of them.
    func link(_ known: String, name: String) -> Bool {
        let linked: Void? = try? inFolder(of: name) {
            try FileManager.default.linkItem(atPath: file(of: known), toPath: file(of: name))
        }
        return linked != nil
    }

    /// Creates a file; if its folder is missing, creates that and tries again.
    private func inFolder<Result>(of name: String, _ make: () throws -> Result) throws -> Result {
        do {
            return try make()
        } catch {
            try FileManager.default.createDirectory(atPath: folder(of: name), withIntermediateDirectories: true)
            return try make()
        }
    }

    /// The bytes of a picture; `nil` if its file is missing.
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

    /// Removes pictures off the event loops, even if the task is cancelled.
    func discard(_ names: [String]) async {
        guard !names.isEmpty else { return }
        await withCheckedContinuation { done in
            NIOThreadPool.singleton.submit { _ in
                for name in names { remove(name: name) }
                done.resume()
            }
        }
    }

    private func folder(of name: String) -> String { "\(path)/\(name.suffix(2))" }
    private func file(of name: String) -> String { "\(folder(of: name))/\(name)" }
}
