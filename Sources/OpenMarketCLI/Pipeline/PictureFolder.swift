import Crypto
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketWorkflow
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The pictures of the market that reviews have fetched: files beside the state, called by the SHA-256 of their bytes.
///
/// ```
/// pictures/9110d434…                     the bytes
/// pictures/addresses/4f0c…               → ../9110d434…, what an address showed, by the SHA-256 of the address
/// ```
///
/// Anybody may delete it at any time, and a folder that cannot be written is no trouble: pictures are fetched again.
struct PictureFolder: PictureStore {
    private let path: String

    /// What it grows to; then the files that were written first go.
    private static let limit = 256_000_000

    init(_ path: String) {
        self.path = path
    }

    func bytes(of digest: ContentDigest) -> [UInt8]? {
        // Whatever stands there, it is shown only if it is the picture.
        guard let picture = FetchedPicture(file: place(of: digest), as: .keptPicture), picture.digest == digest else {
            return nil
        }
        return picture.bytes
    }

    func digest(at url: String) -> ContentDigest? {
        SymbolicLink.target(of: place(of: url))?.split(separator: "/").last.flatMap {
            ContentDigest(hexadecimal: String($0))
        }
    }

    func keep(_ picture: FetchedPicture, from url: String) {
        do {
            try FileManager.default.createDirectory(
                atPath: "\(path)/addresses",
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            if !FileManager.default.fileExists(atPath: place(of: picture.digest)) {
                try Data(picture.bytes).write(to: URL(fileURLWithPath: place(of: picture.digest)), options: .atomic)
            }
            try SymbolicLink.make(place(of: url), to: "../\(picture.digest.hexadecimal)")
        } catch {}
    }

    /// Removes the oldest files where there are too many bytes, and the addresses that led to them.
    func prune() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var files = names.compactMap { name -> (path: String, size: Int, written: Date)? in
            guard ContentDigest(hexadecimal: name) != nil,
                let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)"),
                let size = attributes[.size] as? Int, let written = attributes[.modificationDate] as? Date
            else { return nil }
            return ("\(path)/\(name)", size, written)
        }
        var total = files.reduce(0) { $0 + $1.size }
        guard total > Self.limit else { return }
        files.sort { $0.written < $1.written }
        for file in files where total > Self.limit {
            try? FileManager.default.removeItem(atPath: file.path)
            total -= file.size
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/addresses")) ?? [] {
            let address = "\(path)/addresses/\(name)"
            // Follows the link.
            if !FileManager.default.fileExists(atPath: address) { try? FileManager.default.removeItem(atPath: address) }
        }
    }

    private func place(of digest: ContentDigest) -> String { "\(path)/\(digest.hexadecimal)" }

    private func place(of url: String) -> String {
        "\(path)/addresses/\(ContentDigest(bytes: SHA256.hash(data: Array(url.utf8))).hexadecimal)"
    }
}

extension PictureLoading {
    /// Pictures from the files that the plan names, from those kept, and from the market.
    init(market: (any Market)?, store: PictureFolder?) {
        self.init(market: market, store: store) { FetchedPicture(file: $0.file, as: .named) }
    }
}

extension FetchedPicture {
    /// No picture is larger.
    private static let limit = 64 << 20

    /// A picture in a file; `nil` where it cannot be read, and for a pipe or a device, which may have no end.
    init?(file: String, as role: FileRole) {
        guard let descriptor = try? InputFile.open(file, as: role, options: .nonBlocking) else { return nil }
        let bytes = try? descriptor.closeAfter { () -> [UInt8]? in
            var status = stat()
            guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_size <= Self.limit
            else { return nil }
            return try descriptor.readAll()
        }
        guard let bytes = bytes.flatMap(\.self) else { return nil }
        self.init(bytes: bytes, digest: ContentDigest(bytes: SHA256.hash(data: bytes)))
    }
}
