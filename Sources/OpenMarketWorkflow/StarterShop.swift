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
            guard try InputFile.bytes(of: picture) == drawing else {
                let what = "\(picture) exists; it was not changed, and no file was written"
                throw CommandFailure(.refused, what, help: "name a manifest in another folder with --out")
            }
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
