import OpenMarket

/// The products as they were read, with what the checks have to know beside the listings.
struct ListingDrafts {
    /// What is known of a listing until everything was read, kept apart so that listings stay what they are.
    struct Draft {
        var file: Int
        /// Its number among the file's products, from 0.
        var index: UInt32
        /// The first of its pictures in ``ListingDrafts/mentions``.
        var firstMention: UInt32
        /// How many pictures it names.
        var mentionCount: UInt16 = 0
        /// Which of them is the thumbnail.
        var thumbnail: UInt16?
        /// The fields written, the faulty ones too.
        var written = ProductFieldSet()
        /// Whether something is wrong with it.
        var isFaulty = false
        /// Whether `protected:` is written.
        var setsProtected = false
        /// Whether `state:` or `id:` is faulty, so that it is not known what else is needed.
        var needIsUnclear = false
        /// Whether the sale is written as an amount off.
        var hasDiscount = false
    }

    /// A picture that a product names.
    struct Mention {
        /// Its number in the ``PictureCatalog``.
        var picture: Int32
        /// Where it is named.
        var position: SourcePosition
    }

    /// A key that a product had before.
    struct FormerKey {
        var name: String
        /// The product's place among the listings.
        var listing: Int
        /// Where it is named.
        var span: SourceSpan
    }

    /// The listings, faulty ones included.
    var listings = Listings()
    /// What else is known of each listing.
    var drafts: [Draft] = []
    /// The pictures of all products, one product's after another's.
    var mentions: [Mention] = []
    /// The former keys of all products.
    var formerKeys: [FormerKey] = []
    /// Where names and descriptions end that are written without quotes, by file.
    private(set) var textEnds: [Int: [TextComments.End]] = [:]
    /// Whether the file being read may have a comment behind such a text.
    var notesTextEnds = false
    /// The pictures that are named.
    var pictures = PictureCatalog()
    /// What is wrong with cells of products that exist.
    private(set) var doubts: [CellDoubt] = []
    /// The ids that are not written as numbers are.
    private(set) var claimedIDs: [ClaimedID] = []
    /// The last cells of tables that end without a line end.
    var openCells: [OpenCell] = []
    /// The listings whose name another one had before, and which.
    private(set) var repeatedNames: [(listing: Int, first: Int)] = []
    /// The listings by key, to find one that appears twice.
    private var keys = TextIndex()
    /// The listings by name.
    private var names = TextIndex()

    /// Makes room for so many products.
    mutating func reserveCapacity(_ capacity: Int) {
        listings.reserveCapacity(capacity)
        drafts.reserveCapacity(capacity)
    }

    /// The listing that has a key.
    func listing(withKey key: String) -> Int? { keys.find(key.composedHash) { listings.key(at: $0) == key } }

    /// Notes the key of the listing that comes next.
    ///
    /// - Returns: the listing that has the key already.
    mutating func noteKey(_ key: String) -> Int? {
        switch keys.search(key.composedHash, isEqual: { listings.key(at: $0) == key }) {
        case .found(let first): return first
        case .none(let vacancy):
            keys.insert(listings.count, at: vacancy)
            return nil
        }
    }

    /// Notes where a text of the listing that comes next ends.
    mutating func noteTextEnd(_ position: SourcePosition, isName: Bool, file: Int) {
        textEnds[file, default: []].append(
            TextComments.End(
                position: position,
                listing: Int32(truncatingIfNeeded: listings.count),
                isName: isName
            )
        )
    }

    /// Notes that a cell holds what no product should be given, and warns of it.
    mutating func noteDoubt(_ doubt: CellDoubt, span: SourceSpan, file: Int, _ log: inout DiagnosticLog) {
        doubts.append(doubt)
        guard log.counts(.doubtfulCell) else { return }
        log.add(
            .warning,
            doubt.fault.code,
            doubt.fault.message,
            file: file,
            span: span,
            path: doubt.fault.path,
            help: doubt.fault.help ?? "it is an error only where the market has another value"
        )
    }

    /// Takes all ids that are numbers for the texts that they are written as.
    mutating func spellNumbers() {
        listings.spellPinnedNumbers()
        for index in doubts.indices {
            if case .number(let number) = doubts[index].id { doubts[index].id = .text(String(number)) }
        }
    }

    /// Adds a listing, and notes where its name was used before; names are equal here as people see them.
    mutating func append(_ listing: Listing, _ draft: Draft, id claim: ClaimedID?) {
        if var claim {
            claim.listing = listings.count
            claimedIDs.append(claim)
        }
        // What an export has, the market has: names appear twice there, too.
        if let name = listing.values.name, !listing.isAbsent, listing.row == nil || listing.pinnedID == nil {
            switch names.search(name.composedHash, isEqual: { listings.name(at: $0) == name }) {
            case .found(let first): repeatedNames.append((listings.count, first))
            case .none(let vacancy): names.insert(listings.count, at: vacancy)
            }
        }
        listings.append(listing)
        drafts.append(draft)
    }
}
