package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest
import SystemPackage

package struct StarterShop: Sendable {
    let path: String

    /// For the pictures' folder, before the umask.
    private static let folderPermissions: FilePermissions = [
        .ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute,
    ]

    /// Throws ``CommandFailure`` if the file exists.
    package init(at path: String) throws(CommandFailure) {
        guard !FileSystem.exists(path) else {
            let what = "\(path) exists; it was not changed"
            throw CommandFailure(.refused, what, help: "name another file with --out")
        }
        self.path = path
    }

    var picture: String { FileSystem.prefix(of: path) + StarterManifest.picture }

    /// Writes the manifest, and the picture unless one of this name exists, which is the product's then.
    package func write(_ manifest: StarterManifest, picture drawing: [UInt8]) throws {
        if !FileSystem.exists(picture) {
            try FileSystem.createFolder(FileSystem.folder(of: picture), permissions: Self.folderPermissions)
            try AtomicFile.write(drawing, to: picture, permissions: AtomicFile.readableByAll, replaces: false)
        }
        try AtomicFile.write(manifest.bytes(), to: path, permissions: AtomicFile.readableByAll, replaces: false)
    }

    package var document: JSONValue {
        .object(
            of: ("format_version", .formatVersion),
            ("manifest", .string(path)),
            ("pictures", .array([.string(picture)]))
        )
    }
}
