import Crypto
import OpenMarket
package import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

/// Copies of exported tables, compressed, in `.openmarket/exports`: the earlier bytes of edited tables.
///
/// ```
/// exports/9c1b…      the table whose certificate has this SHA-256
/// ```
package struct ExportCopies: Sendable {
    private static let limit = (files: 50, bytes: Int64(256_000_000))

    private let folder: String
    /// The folder of the manifests.
    private let shop: String
    private let isOfShop: Bool
    private let access: any CatalogFileAccess

    /// The copies next to the standard state of these manifests.
    package init(beside manifestFiles: [String], access: any CatalogFileAccess) {
        let place = FileSystem.folder(of: StateChoice.standardPath(beside: manifestFiles))
        shop = FileSystem.folder(of: place)
        let manifest = FileSystem.path(of: ManifestSelection.standard, in: shop)
        folder = place + "/exports"
        // An export elsewhere does not create a folder.
        isOfShop = !manifestFiles.isEmpty || [place, manifest].contains { !FileSystem.isMissing($0) }
        self.access = access
    }

    /// Keeps a copy of an export if it is a table of a shop, or may become one, and drops the oldest copies.
    ///
    /// Throws `FileError`, and an error of `access`.
    func keep(_ path: String, _ certificate: ExportCertificate) throws {
        guard isOfShop || FileSystem.areSame(FileSystem.folder(of: path), shop), ManifestLoader.isTable(path),
            FileSystem.isRegular(path)
        else { return }
        try FileSystem.createFolder(folder, permissions: .ownerReadWriteExecute)
        let compress = try access.compressor(isFast: true)
        let copy = try AtomicFile(
            file(of: certificate.digest),
            permissions: .ownerReadWrite,
            replacing: .keptPicture
        )
        var hash = SHA256()
        let table = try FileError.explaining(.read, path) { try InputFile.open(path, as: .ownExport) }
        defer { try? table.close() }
        while case let piece = try FileError.explaining(.read, path, { try table.readChunk() }), !piece.isEmpty {
            hash.update(data: piece)
            try copy.write(compress(piece))
        }
        try copy.write(compress(nil))
        // Another program may have written the table meanwhile.
        guard ContentDigest(bytes: hash.finalize()) == certificate.digest else { return }
        try copy.commit()
        ContentStore(folder, isPrivate: true).prune(to: Self.limit.bytes, files: Self.limit.files)
    }

    /// The bytes of a table as it was exported, by the certificate next to it; `nil` without a copy.
    package func copy(for table: String) -> [UInt8]? {
        guard let digest = ExportCertificate(of: table, as: .earlierExport)?.digest,
            let copy = try? InputFile.bytes(of: file(of: digest), as: .keptPicture),
            let expand = try? access.decompressor(),
            let original = try? expand(copy) + expand(nil),
            ContentDigest(bytes: SHA256.hash(data: original)) == digest
        else { return nil }
        return original
    }

    private func file(of digest: ContentDigest) -> String { "\(folder)/\(digest.hexadecimal)" }
}
