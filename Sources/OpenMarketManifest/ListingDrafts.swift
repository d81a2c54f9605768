import OpenMarket
import OpenMarketFiles

/// The products as read, with the facts that checks need in addition to the listings.
struct ListingDrafts {
    /// Facts about a listing that only reading and checking need.
    struct Draft {
        var file: Int
        /// The index among the file's products, from 0.
        var index: UInt32
        /// The index of the first picture in ``ListingDrafts/mentions``.
        var firstMention: UInt32
        var mentionCount: UInt32 = 0
        /// The index of the thumbnail among the pictures.
        var thumbnail: UInt32?
        /// The fields written, including faulty ones.
        var written = ProductFieldSet()
        var isFaulty = false
        var setsProtected = false
        /// Whether `state:` or `id:` is faulty, so that the required fields are unknown.
        var needIsUnclear = false
        /// Whether `adjust` leaves the product out.
        var isLeftOut = false
    }

    struct Mention {
        /// The number in the ``PictureCatalog``.
        var picture: Int32
        var position: SourcePosition
    }

    struct FormerKey {
        var name: String
        /// The index among the listings.
        var listing: Int
        var span: SourceSpan
    }

    /// The listings, including faulty ones.
    var listings = Listings()
    var drafts: [Draft] = []
    /// The pictures of all products, grouped by product.
    var mentions: [Mention] = []
    var formerKeys: [FormerKey] = []
    /// The end positions of unquoted names and descriptions, by file.
    private(set) var textEnds: [Int: [TextComments.End]] = [:]
    /// Whether the file being read may have a comment after such a text.
    var notesTextEnds = false
    var pictures = PictureCatalog()
    private(set) var doubts: [CellDoubt] = []
    /// The ids that are not written as numbers.
    private(set) var claimedIDs: [UnresolvedID] = []
    /// The last cells of tables that do not end with a line break.
    var openCells: [OpenCell] = []
    /// The listings that repeat a name, each with the first listing of that name.
    private(set) var repeatedNames: [(listing: Int, first: Int)] = []
    private var keys = TextIndex()
    private var names = TextIndex()

    mutating func reserveCapacity(_ capacity: Int) {
        listings.reserveCapacity(capacity)
        drafts.reserveCapacity(capacity)
    }

    func listing(withKey key: String) -> Int? { keys.find(key.composedHash) { listings.key(at: $0) == key } }

    /// Records the key of the next listing, and returns the listing that already has the key.
    mutating func noteKey(_ key: String) -> Int? {
        if let first = listing(withKey: key) { return first }
        keys.insert(listings.count, key.composedHash)
        return nil
    }

    /// Records the end of a text of the next listing.
    mutating func noteTextEnd(_ position: SourcePosition, isName: Bool, file: Int) {
        textEnds[file, default: []].append(
            TextComments.End(
                position: position,
                listing: Int32(truncatingIfNeeded: listings.count),
                isName: isName
            )
        )
    }

    /// Forgets the ids of products that `adjust` leaves without one.
    mutating func dropIDs(of products: Set<Int>) { claimedIDs.removeAll { products.contains($0.listing) } }

    /// Forgets repeated names that `adjust` leaves out or changes.
    mutating func dropAdjustedNames() {
        repeatedNames.removeAll { pair in
            drafts[pair.listing].isLeftOut || drafts[pair.first].isLeftOut
                || listings.name(at: pair.listing) != listings.name(at: pair.first)
        }
    }

    /// Records a value that no product should have although the market's may have it already, and warns about it.
    mutating func noteDoubt(
        _ code: Diagnostic.Code,
        _ message: String,
        of field: ProductField,
        id: MarketID,
        at span: SourceSpan,
        file: Int,
        path: String,
        help: String?,
        _ log: inout DiagnosticLog
    ) {
        let location = log.location(at: span.start, file: file)
        let fault = Diagnostic(.error, code, message, location: location, path: path, help: help)
        doubts.append(CellDoubt(id: id, field: field, fault: fault))
        guard log.counts(.doubtfulCell) else { return }
        let help = help ?? "it is an error only if the market has another value"
        log.add(.warning, code, message, file: file, span: span, path: path, help: help)
    }

    mutating func noteImage(_ path: String, in draft: inout Draft, at position: SourcePosition) {
        mentions.append(Mention(picture: pictures.number(of: path, file: draft.file), position: position))
        draft.mentionCount += 1
    }

    /// Converts all numeric ids to texts, as written.
    mutating func spellNumbers() {
        listings.spellPinnedNumbers()
        for index in doubts.indices {
            if case .number(let number) = doubts[index].id { doubts[index].id = .text(String(number)) }
        }
    }

    /// Adds a listing, and records whether its name is repeated.
    ///
    /// Names are equal if they look the same to people.
    mutating func append(_ listing: Listing, _ draft: Draft, id claim: UnresolvedID?) {
        if var claim {
            claim.listing = listings.count
            claimedIDs.append(claim)
        }
        // A row with an id comes from the market, and names may repeat there.
        if let name = listing.values.name, !listing.isAbsent, listing.row == nil || listing.pinnedID == nil {
            let hash = name.composedHash
            if let first = names.find(hash, isEqual: { listings.name(at: $0) == name }) {
                repeatedNames.append((listings.count, first))
            } else {
                names.insert(listings.count, hash)
            }
        }
        listings.append(listing)
        drafts.append(draft)
    }
}

extension ValueDecoder {
    /// Records which picture is the product's thumbnail, after all its pictures.
    mutating func noteThumbnail(_ path: Text, in draft: inout ListingDrafts.Draft, at place: SourceSpan) {
        let first = Int(draft.firstMention)
        let mine = products.mentions[first..<first + Int(draft.mentionCount)]
        let number = products.pictures.number(of: path.value, file: draft.file)
        if let index = mine.firstIndex(where: { $0.picture == number }) {
            draft.thumbnail = UInt32(index - first)
            return
        }
        guard draft.written.contains(.images) else {
            report(.thumbnail, "'thumbnail' needs 'images'", at: place, field: "thumbnail")
            return
        }
        let paths = mine.map { products.pictures.path($0.picture) }
        let near =
            Suggestion.nearest(to: path.value, in: paths)
            ?? paths.first { FileSystem.name(of: $0) == FileSystem.name(of: path.value) }
        report(
            .thumbnail,
            "'thumbnail' must be one of the images, and \(path.shown) is not",
            at: place,
            field: "thumbnail",
            help: near.map { "did you mean '\($0.excerpt)'?" }
        )
    }
}
