import OpenMarket
import OpenMarketFiles
import SystemPackage

/// What edits and runs took away, by the SHA-256 of the bytes: `.openmarket/kept`.
struct KeptFolder: Sendable {
    let path: String

    /// `folder` is `.openmarket`.
    init(in folder: String) { path = folder + "/kept" }

    func path(of digest: ContentDigest) -> String { "\(path)/\(digest.hexadecimal)" }

    /// Writes bytes to disk, unless they are there already.
    func keep(_ bytes: [UInt8], _ digest: ContentDigest) throws {
        guard picture(digest) == nil else { return }
        try write(bytes, to: path(of: digest))
    }

    func write(_ bytes: [UInt8], to file: String) throws {
        try FileSystem.createFolder(path, permissions: .ownerReadWriteExecute)
        try AtomicFile.write(bytes, to: file, permissions: .ownerReadWrite, replacing: .keptPicture)
    }

    /// A kept picture; `nil` if it is missing or damaged.
    func picture(_ digest: ContentDigest) -> FetchedPicture? {
        guard let picture = FetchedPicture(file: path(of: digest), as: .keptPicture), picture.digest == digest
        else { return nil }
        return picture
    }

    func remove(_ digest: ContentDigest) throws { try FileSystem.remove(path(of: digest)) }
}
