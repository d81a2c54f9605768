import Crypto
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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
    private var content: String { folder + "/.content" }
    private var addresses: String { content + "/addresses" }

    /// - Throws: ``CommandFailure`` with the system's reason where the folder cannot be made.
    init(_ folder: String) throws {
        self.folder = folder
        Self.note(folder)
        do {
            try FileManager.default.createDirectory(
                atPath: folder + "/.content/addresses",
                withIntermediateDirectories: true
            )
        } catch {
            throw CommandFailure(.failure, "cannot make the folder \(folder): \(error)")
        }
        // A picture that is there now is not written again, and so would never clear away what a run left that was killed.
        TemporaryFile.removeLeftOvers(in: content + "/")
    }

    /// Notes the pictures that are in a folder by now: no output takes the place of one.
    static func note(_ folder: String) { FileRegister.current.note(folder: folder + "/.content", as: .keptPicture) }

    /// The picture of an address; fetched where it is not there.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - product: whose picture it is: markets that start anew give addresses and numbers again.
    ///   - session: where to fetch it.
    /// - Returns: the picture, or why the market does not give it.
    /// - Throws: `MarketError` where the market does not answer, and ``CommandFailure`` where the picture cannot be kept.
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
    ///   - origin: where it comes from: what tells it from all others.
    ///   - fetch: fetches it.
    /// - Returns: the picture.
    /// - Throws: what `fetch` throws, and ``CommandFailure`` where the picture cannot be kept.
    func picture(known origin: String, fetch: () async throws -> FetchedPicture) async throws -> Stored {
        let address = "\(addresses)/\(ContentDigest(bytes: SHA256.hash(data: Array(origin.utf8))).hexadecimal)"
        if let known = known(at: address) { return known }
        let fetched = try await fetch()
        var stored = Stored(fetched)
        let file = "\(content)/\(stored.name)"
        if FetchedPicture(file: file, as: .keptPicture)?.digest != fetched.digest {
            // A damaged file of that name is read-only, too, and would stay.
            unlink(file)
            try AtomicFile.write(
                fetched.bytes,
                to: file,
                permissions: [.ownerRead, .groupRead, .otherRead],
                replacing: [.keptPicture, .named]
            )
        }
        try SymbolicLink.make(address, to: "../\(stored.name)")
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

    /// The names in a folder that are not links to the pictures of a library.
    static func ownNames(in folder: String) -> Set<String> {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return Set(
            names.filter { name in
                !name.hasPrefix(".content/")
                    && SymbolicLink.target(of: "\(folder)/\(name)")?.hasPrefix(".content/") != true
            }
        )
    }

    /// What was fetched from an address before, if its bytes are still those.
    private func known(at address: String) -> Stored? {
        guard let name = SymbolicLink.target(of: address)?.split(separator: "/").last,
            let picture = FetchedPicture(file: "\(content)/\(name)", as: .keptPicture)
        else { return nil }
        let stored = Stored(picture)
        return stored.name == name ? stored : nil
    }

    /// Makes a picture findable under a name; a file or link of that name which is another picture stays, and the name
    /// gets the beginning of the digest.
    ///
    /// - Returns: the name in the folder.
    /// - Throws: ``CommandFailure`` where neither name can be had.
    func link(_ picture: Stored, as name: String) throws -> String {
        for name in ["\(name).\(picture.ending)", "\(name)-\(picture.digest.hexadecimal.prefix(8)).\(picture.ending)"] {
            let place = "\(folder)/\(name)"
            if SymbolicLink.target(of: place) == ".content/\(picture.name)" { return name }
            var status = stat()
            guard lstat(place, &status) == 0 else {
                try SymbolicLink.make(place, to: ".content/\(picture.name)")
                return name
            }
            if FetchedPicture(file: place, as: .keptPicture)?.digest == picture.digest { return name }
        }
        throw CommandFailure(.failure, "\(folder)/\(name).\(picture.ending) is another picture", help: "move it away")
    }
}
