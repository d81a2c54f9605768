import FoundationEssentials
package import OpenMarket
package import OpenMarketFiles
import OpenMarketManifest

/// The market's pictures as files that people can find: `desk-lamp-1.jpg`, a link to bytes that are named by their
/// SHA-256, so that each is kept once.
///
/// ```
/// images/desk-lamp-1.jpg                 → .content/9110d434….jpg
/// images/.content/9110d434….jpg          the bytes, read-only: what is copied over a link does not change them
/// images/.content/addresses/4f0c…        → ../9110d434….jpg, what was fetched from an address
/// ```
///
/// A picture is fetched when no file is called by the digest of its bytes: what an interrupted run fetched counts, and what
/// was damaged does not.
struct PictureLibrary: Sendable {
    /// A picture that is there.
    struct Stored: Sendable {
        /// The SHA-256 of its bytes.
        var digest: ContentDigest
        /// How many bytes it has.
        var byteCount: Int
        /// `jpg` or `png`; `bin` for anything else.
        var ending: String
        /// What keeps it out of a manifest; `nil` where nothing does.
        var fault: String?
        /// Whether it was fetched just now.
        var isNew = false

        fileprivate var name: String { "\(digest.hexadecimal).\(ending)" }

        fileprivate init(_ picture: FetchedPicture) {
            digest = picture.digest
            byteCount = picture.bytes.count
            ending = PictureFormat(head: picture.bytes.prefix(24))?.fileExtension ?? "bin"
            fault = PictureFormat.fault(of: picture.bytes)
        }
    }

    /// The folder, as it was named.
    let folder: String
    private let content: ContentStore

    /// - Throws: `FileError` where the folder cannot be made.
    init(_ folder: String) throws {
        self.folder = folder
        Self.note(folder)
        content = ContentStore(folder + "/.content", isPrivate: false)
        try content.prepare()
    }

    /// Notes the pictures that are in a folder by now: no output takes the place of one.
    static func note(_ folder: String) {
        FileRegister.current.note(folder: folder + "/.content", as: .keptPicture)
    }

    /// The picture of an address; fetched where it is not there.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - product: whose picture it is: markets that start again give addresses and numbers once more.
    ///   - session: where to fetch it.
    /// - Returns: the picture, or why the market does not give it.
    /// - Throws: `MarketError` where the market does not answer, and `FileError` where the picture cannot be kept.
    func picture(
        at url: String,
        of product: LiveProduct,
        from session: Session
    ) async throws -> Result<Stored, LiveProductWriter.PictureTrouble> {
        let text = "\(session.scope.url)\n\(product.id)\n\(product.createdAt ?? "")\n\(url)"
        do {
            return .success(try await picture(known: text) { try await session.market.picture(at: url) })
        } catch let error as MarketError where [.foreignHost, .refused, .unreadable, .credentials].contains(error.code)
        {
            return .failure(LiveProductWriter.PictureTrouble(error.message, mayPass: error.code != .foreignHost))
        }
    }

    /// A picture; fetched where it is not there.
    ///
    /// - Parameters:
    ///   - origin: where it comes from: what distinguishes it from all others.
    ///   - fetch: fetches it.
    /// - Returns: the picture.
    /// - Throws: what `fetch` throws, and `FileError` where the picture cannot be kept.
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

    /// What the names of a product's pictures begin with: its key, or else its name and number.
    static func stem(key: String?, of product: LiveProduct) -> String {
        if let key {
            let slug = KeyMaker.slug(key)
            return slug.isEmpty ? "product-\(product.id)" : slug
        }
        let slug = product.name.map(KeyMaker.slug) ?? ""
        return "\(slug.isEmpty ? "product" : slug)-\(product.id)"
    }

    /// The names in a folder, apart: the user's own, and the links to the pictures of a library.
    static func names(in folder: String) -> (own: Set<String>, linked: Set<String>) {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        let visible = Set(names.filter { !$0.hasPrefix(".content/") })
        let linked = visible.filter { FileSystem.target(ofLink: "\(folder)/\($0)")?.hasPrefix(".content/") == true }
        return (visible.subtracting(linked), linked)
    }

    /// The name in a folder under which the picture of an address is found that was fetched before; `nil` where none was.
    ///
    /// - Parameters:
    ///   - address: where it was fetched.
    ///   - name: what it is called, as ``link(_:as:)`` takes it.
    ///   - folder: the folder of the library.
    /// - Returns: the name.
    static func linkedName(of address: String, as name: String, in folder: String) -> String? {
        guard let kept = ContentStore(folder + "/.content", isPrivate: false).name(at: address),
            FileSystem.isRegular("\(folder)/.content/\(kept)"), let point = kept.lastIndex(of: ".")
        else { return nil }
        return names(name, kept.prefix(8), String(kept[kept.index(after: point)...])).first {
            FileSystem.target(ofLink: "\(folder)/\($0)") == ".content/\(kept)"
        }
    }

    /// What a picture may be called: a name, or that with the beginning of the digest.
    private static func names(_ name: String, _ digest: Substring, _ ending: String) -> [String] {
        ["\(name).\(ending)", "\(name)-\(digest).\(ending)"]
    }

    /// Makes a picture findable under a name; a file or link of that name which is another picture stays, and the name
    /// gets the beginning of the digest.
    ///
    /// - Returns: the name in the folder.
    /// - Throws: ``PullError/pictureTaken(_:)`` where neither name is free.
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
        throw PullError.pictureTaken("\(folder)/\(name).\(picture.ending)")
    }
}

extension PictureLoading {
    /// Pictures from the files that the plan names, from those kept, and from the market.
    package init(market: (any Market)?, store: ContentStore?) {
        self.init(market: market, store: store) { FetchedPicture(file: $0.file, as: .named) }
    }
}
