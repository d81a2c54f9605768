import Crypto
package import OpenMarket
import SystemPackage

/// Files named by the SHA-256 of their bytes, so that each is kept once, and links from addresses to them.
///
/// ```
/// 9110d434….jpg                the bytes; read-only: a copy over a link to them does not change them
/// addresses/4f0c…              → ../9110d434….jpg, the picture of an address, by the SHA-256 of the address
/// ```
///
/// A file whose bytes do not have the digest in its name is damaged, and is treated as missing.
package struct ContentStore: Sendable {
    let folder: String
    private let permissions: (folder: FilePermissions, file: FilePermissions)

    /// A store; its folder is created with the first file.
    ///
    /// A private store is readable by its owner only.
    package init(_ folder: String, isPrivate: Bool) {
        self.folder = folder
        permissions =
            isPrivate
            ? (.ownerReadWriteExecute, .ownerRead)
            : (FilePermissions(rawValue: 0o777), [.ownerRead, .groupRead, .otherRead])
    }

    private var addresses: String { folder + "/addresses" }

    private func place(of address: String) -> String {
        "\(addresses)/\(ContentDigest(bytes: SHA256.hash(data: Array(address.utf8))).hexadecimal)"
    }

    /// Creates the folder, and removes left-overs of killed runs.
    package func prepare() throws(FileError) {
        try FileSystem.createFolder(addresses, permissions: permissions.folder)
        // An existing file is not written again, so no later write would remove its left-overs.
        TemporaryFile.removeLeftOvers(in: folder + "/")
    }

    /// The name of the content found at an address; `nil` if none was kept.
    package func name(at address: String) -> String? {
        FileSystem.target(ofLink: place(of: address)).map(FileSystem.name)
    }

    /// The content of a name; `nil` if it is missing or damaged.
    package func content(named name: String) -> FetchedPicture? {
        guard let content = FetchedPicture(file: "\(folder)/\(name)", as: .keptPicture),
            name.utf8.starts(with: content.digest.hexadecimal.utf8)
        else { return nil }
        return content
    }

    /// Stores content, and links the address to it.
    ///
    /// `ending` follows the digest in the name.
    package func keep(_ content: FetchedPicture, ending: String = "", from address: String) throws {
        try FileSystem.createFolder(addresses, permissions: permissions.folder)
        let name = content.digest.hexadecimal + ending
        let file = "\(folder)/\(name)"
        if self.content(named: name) == nil {
            // A damaged file of that name is also read-only, and could not be overwritten.
            try FileSystem.remove(file)
            try AtomicFile.write(
                content.bytes,
                to: file,
                permissions: permissions.file,
                replacing: [.keptPicture, .named]
            )
        }
        try FileSystem.makeLink(place(of: address), to: "../\(name)")
    }
}

/// A store of pictures for reviews.
///
/// It may be deleted at any time. If its folder cannot be written, pictures are fetched again.
extension ContentStore: PictureStore {
    package func bytes(of digest: ContentDigest) -> [UInt8]? { content(named: digest.hexadecimal)?.bytes }

    package func digest(at url: String) -> ContentDigest? { name(at: url).flatMap(ContentDigest.init(hexadecimal:)) }

    package func keep(_ picture: FetchedPicture, from url: String) { try? keep(picture, ending: "", from: url) }

    /// Removes the oldest files until the rest fits into the limits, and the links to the removed ones.
    ///
    /// `limit` is in bytes. The files of `others` stay, and do not count.
    package func prune(
        to limit: Int64 = 256_000_000,
        files count: Int = .max,
        except others: Set<ContentDigest> = []
    ) {
        var files = (FileSystem.names(in: folder) ?? []).compactMap { name -> (path: String, status: Stat)? in
            guard let digest = ContentDigest(hexadecimal: name), !others.contains(digest),
                let status = try? Stat(FilePath("\(folder)/\(name)"))
            else { return nil }
            return ("\(folder)/\(name)", status)
        }
        var total = files.reduce(0) { $0 + $1.status.size }
        guard total > limit || files.count > count else { return }
        files.sort { $0.status.modified < $1.status.modified }
        var rest = files.count
        for file in files where total > limit || rest > count {
            try? FileSystem.remove(file.path)
            total -= file.status.size
            rest -= 1
        }
        for name in FileSystem.names(in: addresses) ?? [] where !FileSystem.isRegular("\(addresses)/\(name)") {
            try? FileSystem.remove("\(addresses)/\(name)")
        }
    }
}

extension FetchedPicture {
    /// The largest picture, in bytes.
    private static let limit = 64 << 20

    /// A picture in a file; `nil` if it cannot be read, and for a pipe or a device, which may be endless.
    package init?(file: String, as role: FileRole) {
        guard let descriptor = try? InputFile.open(file, as: role, options: .nonBlocking) else { return nil }
        defer { try? descriptor.close() }
        guard let status = try? Stat(descriptor), status.type == .regular, status.size <= Self.limit,
            let bytes = try? descriptor.readAll()
        else { return nil }
        self.init(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes)))
    }
}
