package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest
import SystemPackage

/// A first manifest with its picture, as files.
package struct StarterShop: Sendable {
    /// Why they are not written.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is a file of the manifest's name.
        case manifestExists(String)
        /// There is another picture of the picture's name.
        case pictureExists(String)

        package var description: String {
            switch self {
            case .manifestExists(let path): "\(path) exists; it was not changed"
            case .pictureExists(let path): "\(path) exists; it was not changed, and nothing was written"
            }
        }
    }

    /// Where the manifest goes.
    let path: String

    /// Of the pictures' folder, before the umask.
    private static let folderPermissions: FilePermissions = [
        .ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute,
    ]

    /// - Parameter path: where the manifest goes.
    /// - Throws: ``Fault`` where there is a file.
    package init(at path: String) throws(Fault) {
        guard !FileSystem.exists(path) else { throw .manifestExists(path) }
        self.path = path
    }

    /// Where the picture goes.
    var picture: String { FileSystem.prefix(of: path) + StarterManifest.picture }

    /// Writes both, or none of them.
    ///
    /// A picture that is there already, as after a run that was interrupted, is taken.
    ///
    /// - Parameters:
    ///   - manifest: the manifest.
    ///   - drawing: the picture's bytes.
    /// - Throws: ``Fault``, `FileError`, and what writing the manifest throws.
    package func write(_ manifest: StarterManifest, picture drawing: [UInt8]) throws {
        let isDrawn = try write(drawing)
        do {
            try AtomicFile.write(manifest.bytes(), to: path, permissions: AtomicFile.readableByAll, replaces: false)
        } catch {
            if isDrawn { try? FileSystem.remove(picture) }
            throw error
        }
    }

    /// - Returns: whether the picture was written.
    private func write(_ drawing: [UInt8]) throws -> Bool {
        guard !FileSystem.exists(picture) else {
            guard try InputFile.bytes(of: picture) == drawing else { throw Fault.pictureExists(picture) }
            return false
        }
        try FileSystem.createFolder(FileSystem.folder(of: picture), permissions: Self.folderPermissions)
        try AtomicFile.write(drawing, to: picture, permissions: AtomicFile.readableByAll, replaces: false)
        return true
    }

    /// What was written, as a document for programs.
    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("pictures", .array([.string(picture)]))
        )
    }
}
