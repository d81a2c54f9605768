package import SystemPackage

/// A file that only its owner can write, opened for reading and writing, and locked until it is closed.
package struct LockedFile: Sendable {
    package enum Fault: Error, CustomStringConvertible {
        case locked, noFile, foreign

        package var description: String {
            switch self {
            case .locked: "another run uses it"
            case .noFile: "it is not a regular file"
            case .foreign: "it is another's file, or others can write to it"
            }
        }
    }

    let path: String
    package let descriptor: FileDescriptor
    /// The number of bytes when it was opened.
    package let size: Int64

    /// Opens a file; with `creates` it creates a missing one, readable by its owner only.
    ///
    /// Throws ``Fault`` or `Errno`.
    package init(_ path: String, creates: Bool) throws {
        while true {
            let options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
            let descriptor = try FileDescriptor.open(
                path,
                .readWrite,
                options: creates ? options.union(.create) : options,
                permissions: .ownerReadWrite
            )
            do {
                guard descriptor.lockIfSupported() else { throw Fault.locked }
                guard let status = try? Stat(descriptor), status.type == .regular else { throw Fault.noFile }
                // Refuses a file with a hard link, and one that others can write. Neither is read, written or removed.
                guard status.linkCount <= 1, status.userID == .effective,
                    status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
                else { throw Fault.foreign }
                // The previous holder may have removed it before it was locked here.
                if status.linkCount > 0 {
                    self.path = path
                    self.descriptor = descriptor
                    size = status.size
                    return
                }
            } catch {
                descriptor.unlockAndClose()
                throw error
            }
            descriptor.unlockAndClose()
        }
    }

    package consuming func remove() {
        try? FileSystem.remove(path)
        close()
    }

    package func close() { descriptor.unlockAndClose() }
}

extension FileDescriptor {
    /// Acquires the kernel's lock of the file; false if it is held elsewhere.
    ///
    /// True on a file system without locks.
    func lockIfSupported() -> Bool { (try? lock()) ?? true }
}
