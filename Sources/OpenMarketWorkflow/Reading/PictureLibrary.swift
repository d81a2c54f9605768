import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// The market's pictures as files with readable names.
///
/// `desk-lamp-1.jpg` is a link to a file whose name is the SHA-256 of its bytes, so equal pictures are stored once.
///
/// ```
/// images/desk-lamp-1.jpg                 → .content/9110d434….jpg
/// images/.content/9110d434….jpg          the bytes, read-only: copying a file over a link does not change them
/// images/.content/addresses/4f0c…        → ../9110d434….jpg, the picture fetched from an address
/// ```
///
/// A picture is fetched unless a file has the digest of its bytes as its name. So pictures of an interrupted run count,
/// and damaged ones do not.
struct PictureLibrary: Sendable {
    struct Stored: Sendable {
        var digest: ContentDigest
        var byteCount: Int
        /// `jpg` or `png`; `bin` for any other format.
        var ending: String
        /// The reason that a manifest cannot name it, if any.
        var fault: String?
        var isNew = false

        fileprivate var name: String { "\(digest.hexadecimal).\(ending)" }

        fileprivate init(_ picture: FetchedPicture) {
            digest = picture.digest
            byteCount = picture.bytes.count
            ending = PictureFormat(head: picture.bytes.prefix(24))?.fileExtension ?? "bin"
            fault = PictureFormat.fault(of: picture.bytes)
        }
    }

    /// The folder as stated.
    let folder: String
    private let content: ContentStore

    /// Creates the folder if necessary.
    init(_ folder: String) throws {
        self.folder = folder
        Self.note(folder)
        content = ContentStore(folder + "/.content", isPrivate: false)
        try content.prepare()
    }

    /// Registers the pictures in a folder, so that no output replaces one.
    static func note(_ folder: String) {
        FileRegister.current.note(folder: folder + "/.content", as: .keptPicture)
    }

    /// The picture at an address, fetched if it is not stored, or the reason that the market does not return it.
    ///
    /// `product` distinguishes pictures, because reset markets reuse addresses and ids. Throws `FileError` if the
    /// picture cannot be stored.
    func picture(
        at url: String,
        of product: LiveProduct,
        from session: Session
    ) async throws -> Result<Stored, LiveProductWriter.PictureTrouble> {
        let text = "\(session.scope.url)\n\(product.id)\n\(product.createdAt ?? "")\n\(url)"
        do {
            return .success(try await picture(known: text) { try await session.market.picture(at: url) })
        } catch let error as MarketError {
            return .failure(LiveProductWriter.PictureTrouble(error.message, mayPass: error.code != .foreignHost))
        }
    }

    /// The stored picture of an origin, fetched if it is not stored.
    ///
    /// `origin` distinguishes it from all others. Throws `FileError` if the picture cannot be stored.
    func picture(known origin: String, fetch: () async throws -> FetchedPicture) async throws -> Stored {
        if let name = content.name(at: origin), let picture = content.content(named: name) {
            let stored = Stored(picture)
            if stored.name == name { return stored }
        }
        let fetched = try await fetch()
        var stored = Stored(fetched)
        try content.keep(fetched, ending: ".\(stored.ending)", from: origin)
        stored.isNew = true
        return stored
    }

    /// The file name prefix of a product's pictures: its key, otherwise its name and number.
    static func stem(key: String?, of product: LiveProduct) -> String {
        if let key {
            let slug = KeyMaker.slug(key)
            return slug.isEmpty ? "product-\(product.id)" : slug
        }
        let slug = product.name.map(KeyMaker.slug) ?? ""
        return "\(slug.isEmpty ? "product" : slug)-\(product.id)"
    }

    /// The names in a folder: the user's own files, and the links to a library's pictures.
    static func names(in folder: String) -> (own: Set<String>, linked: Set<String>) {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let visible = Set(names.filter { !$0.hasPrefix(".content/") })
        let linked = visible.filter { FileSystem.target(ofLink: "\(folder)/\($0)")?.hasPrefix(".content/") == true }
        return (visible.subtracting(linked), linked)
    }

    /// The name of the link to the picture fetched earlier from an address; `nil` if none was.
    ///
    /// `name` is the requested one, as for ``link(_:as:)``.
    static func linkedName(of address: String, as name: String, in folder: String) -> String? {
        guard let kept = ContentStore(folder + "/.content", isPrivate: false).name(at: address),
            FileSystem.isRegular("\(folder)/.content/\(kept)"), let point = kept.lastIndex(of: ".")
        else { return nil }
        return names(name, kept.prefix(8), String(kept[kept.index(after: point)...])).first {
            FileSystem.target(ofLink: "\(folder)/\($0)") == ".content/\(kept)"
        }
    }

    /// The possible names of a picture: `name`, or `name` with the first digits of the digest.
    private static func names(_ name: String, _ digest: Substring, _ ending: String) -> [String] {
        ["\(name).\(ending)", "\(name)-\(digest).\(ending)"]
    }

    /// Creates a link to a picture and returns its name in the folder.
    ///
    /// If another picture has that name, it stays, and the new name gets the first digits of the digest.
    /// Throws ``CommandFailure`` if neither name is free.
    func link(_ picture: Stored, as name: String) throws -> String {
        for name in Self.names(name, picture.digest.hexadecimal.prefix(8), picture.ending) {
            let place = "\(folder)/\(name)"
            if FileSystem.target(ofLink: place) == ".content/\(picture.name)" { return name }
            guard FileSystem.exists(place) else {
                try FileSystem.makeLink(place, to: ".content/\(picture.name)")
                return name
            }
            if FetchedPicture(file: place, as: .keptPicture)?.digest == picture.digest { return name }
        }
        let what = "\(folder)/\(name).\(picture.ending) is another picture"
        throw CommandFailure(.refused, what, help: "move it away")
    }
}
