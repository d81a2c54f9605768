package import SystemPackage

/// A file that only its owner can write, open for reading and writing, and locked for as long as it is open.
package struct LockedFile: Sendable {
    /// Why a file cannot be used.
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
    /// Reads and writes it.
    package let descriptor: FileDescriptor
    /// How many bytes it had when it was opened.
    package let size: Int64

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - creates: whether one is made where there is none, for its owner's eyes.
    /// - Throws: ``Fault``; `Errno`.
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
                // A file under two names is another file, too, and what others can write proves nothing: neither is
                // read, written or removed.
                guard status.linkCount <= 1, status.userID == .effective,
                    status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
                else { throw Fault.foreign }
                // Whoever had it may have removed it before it was locked here.
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

    /// Leaves the file to others.
    package func close() { descriptor.unlockAndClose() }
}

extension FileDescriptor {
    /// Takes the kernel's lock of the file.
    ///
    /// - Returns: `false` when another one holds it; a file system without locks is not in the way.
    func lockIfSupported() -> Bool { (try? lock()) ?? true }
}
