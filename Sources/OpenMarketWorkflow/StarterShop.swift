package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest
import SystemPackage

package struct StarterShop: Sendable {
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case manifestExists(String)
        case pictureExists(String)

        package var description: String {
            switch self {
            case .manifestExists(let path): "\(path) exists; it was not changed"
            case .pictureExists(let path): "\(path) exists; it was not changed, and no file was written"
            }
        }
    }

    let path: String

    /// For the pictures' folder, before the umask.
    private static let folderPermissions: FilePermissions = [
        .ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute,
    ]

    /// Throws ``Fault`` if the file exists.
    package init(at path: String) throws(Fault) {
        guard !FileSystem.exists(path) else { throw .manifestExists(path) }
        self.path = path
    }

    var picture: String { FileSystem.prefix(of: path) + StarterManifest.picture }

    /// Writes both, or none of them.
    ///
    /// An existing identical picture is used, for example after an interrupted run.
    package func write(_ manifest: StarterManifest, picture drawing: [UInt8]) throws {
        let isDrawn = try write(drawing)
        do {
            try AtomicFile.write(manifest.bytes(), to: path, permissions: AtomicFile.readableByAll, replaces: false)
        } catch {
            if isDrawn { try? FileSystem.remove(picture) }
            throw error
        }
    }

    /// Returns whether the picture was written.
    private func write(_ drawing: [UInt8]) throws -> Bool {
        guard !FileSystem.exists(picture) else {
            guard try InputFile.bytes(of: picture) == drawing else { throw Fault.pictureExists(picture) }
            return false
        }
        try FileSystem.createFolder(FileSystem.folder(of: picture), permissions: Self.folderPermissions)
        try AtomicFile.write(drawing, to: picture, permissions: AtomicFile.readableByAll, replaces: false)
        return true
    }

    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("pictures", .array([.string(picture)]))
        )
    }
}
