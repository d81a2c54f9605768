import FoundationEssentials
import SystemPackage

/// A body that is being received, in an unnamed file that the system removes with its last reference.
final class BodySpool: Sendable {
    private let file: FileDescriptor
    private let room: BodyBudget.Room

    init(folder: String, budget: BodyBudget) throws {
        let path = "\(folder)/.upload-\(UUID().uuidString)"
        do {
            file = try Self.create(path)
        } catch Errno.noSuchFileOrDirectory {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            file = try Self.create(path)
        }
        room = BodyBudget.Room(budget)
        try FileManager.default.removeItem(atPath: path)
    }

    private static func create(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path),
            .readWrite,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
    }

    deinit {
        // Nothing was promised to be on the disk.
        try? file.close()
    }

    /// Appends bytes; throws `BodyReader.Fault.noRoom` if too many bodies are being received.
    func append(_ bytes: some Sequence<UInt8>) throws {
        let count = try file.writeAll(bytes)
        guard room.take(count) else { throw BodyReader.Fault.noRoom }
    }

    func contents() throws -> [UInt8] {
        let count = room.taken
        var offset = 0
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while offset < count {
                let read = try file.read(
                    fromAbsoluteOffset: Int64(offset),
                    into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[offset...])
                )
                guard read > 0 else { throw Errno.ioError }
                offset += read
            }
            filled = offset
        }
    }
}
