/// The products of a live catalog by ID, assembled on demand from rows or from a state.
package struct LiveProducts: Sendable {
    private var rows: [MarketID: LiveProduct] = [:]
    /// The state's products; rows take precedence.
    private var known = KnownProducts(StateEntries())
    /// For each entry of the state: whether its product matches.
    private var sightings: [Sighting] = []
    /// The matching rows, apart from ``sightings``: a plan without a list has none.
    private var shown: [ComparedRows.Shown] = []
    /// The number of entries with a matching product.
    private var sightingCount = 0

    /// Whether a product matches the state.
    private enum Sighting: Sendable {
        case none
        /// No row was read: the state is trusted.
        case remembered
        /// The position of its row in ``LiveProducts/shown``.
        case shown(Int32)
    }

    package init() {}

    package init(_ rows: [MarketID: LiveProduct]) {
        self.rows = rows
    }

    init(remembering entries: StateEntries) {
        self.init(comparedWith: entries)
        for (_, position) in known.positions { sightings[Int(position)] = .remembered }
        sightingCount = known.positions.count
    }

    /// Starts without products, for pages that are compared with the state.
    init(comparedWith entries: StateEntries) {
        known = KnownProducts(entries)
        sightings = Array(repeating: .none, count: entries.count)
    }

    /// An empty page that reads rows for these products.
    var emptyPage: ComparedRows { ComparedRows(comparedWith: known) }

    /// Adds the rows of a page that started as ``emptyPage``.
    mutating func append(_ page: ComparedRows) {
        for row in page.rows {
            switch row {
            case .product(let product): self[product.id] = product
            case .shown(let row):
                rows[known.entries.id(at: Int(row.position))] = nil
                setSighting(.shown(Int32(shown.count)), at: Int(row.position))
                shown.append(row)
            }
        }
    }

    /// Whether the product of an entry matches it.
    ///
    /// `entries` must be the compared state, with changes only in keys; for any other state the result is `false`.
    func isAsKnown(_ position: Int, in entries: StateEntries) -> Bool {
        if known.entries.isIdentical(to: entries) { return isSeen(position) }
        guard let origin = known.positions[entries.id(at: position)], isSeen(Int(origin)) else { return false }
        return entries.isSame(position, as: Int(origin), of: known.entries)
    }

    private func isSeen(_ position: Int) -> Bool {
        if case .none = sightings[position] { false } else { true }
    }

    /// Whether the pictures of any product are known.
    var showPictures: Bool {
        if rows.values.contains(where: { $0.images != nil }) { return true }
        return sightings.indices.contains { position in
            if case .remembered = sightings[position] { product(at: position)?.images != nil } else { false }
        }
    }

    private mutating func setSighting(_ sighting: Sighting, at position: Int) {
        if isSeen(position) { sightingCount -= 1 }
        sightings[position] = sighting
        if isSeen(position) { sightingCount += 1 }
    }

    /// `nil` if the product does not match its entry.
    private func product(at position: Int) -> LiveProduct? {
        switch sightings[position] {
        case .none: nil
        case .remembered: LiveProduct(remembered: known.entries.entry(at: position))
        case .shown(let row): LiveProduct(shown[Int(row)], of: known.entries.entry(at: position))
        }
    }
}

extension LiveProducts: ExpressibleByDictionaryLiteral, Sequence, Equatable {
    package static func == (left: LiveProducts, right: LiveProducts) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// If several products share an ID, the last one counts.
    package init(dictionaryLiteral elements: (MarketID, LiveProduct)...) {
        for (id, product) in elements { rows[id] = product }
    }

    var count: Int { rows.count + sightingCount }

    var isEmpty: Bool { count == 0 }

    package subscript(id: MarketID) -> LiveProduct? {
        get { rows[id] ?? known.positions[id].flatMap { product(at: Int($0)) } }
        set {
            rows[id] = newValue
            if let position = known.positions[id] { setSighting(.none, at: Int(position)) }
        }
    }

    /// In no particular order.
    var keys: some Sequence<MarketID> {
        [
            Array(rows.keys),
            sightings.indices.compactMap { position in
                isSeen(position) ? known.entries.id(at: position) : nil
            },
        ].joined()
    }

    /// In no particular order.
    var values: some Sequence<LiveProduct> { lazy.map { $0.value } }

    /// In no particular order.
    package func makeIterator() -> Iterator {
        Iterator(rows: rows.makeIterator(), products: self)
    }

    package struct Iterator: IteratorProtocol {
        fileprivate var rows: [MarketID: LiveProduct].Iterator
        fileprivate let products: LiveProducts
        private var position = 0

        fileprivate init(rows: [MarketID: LiveProduct].Iterator, products: LiveProducts) {
            self.rows = rows
            self.products = products
        }

        package mutating func next() -> (key: MarketID, value: LiveProduct)? {
            if let row = rows.next() { return row }
            while position < products.sightings.count {
                defer { position += 1 }
                if let product = products.product(at: position) { return (product.id, product) }
            }
            return nil
        }
    }
}

extension LiveProduct {
    /// A product from the state; the state's references replace the URLs of pictures.
    fileprivate init(remembered entry: StateEntry) {
        self.init(
            id: entry.id,
            vendorID: entry.vendorID,
            values: entry.applied.withoutPictures,
            thumbnailURL: entry.thumbnailURL,
            images: entry.images?.map { image in
                LiveProduct.Image(
                    id: image.id,
                    url: image.reference,
                    thumbnailURL: entry.applied.thumbnail == .digest(image.digest) ? entry.thumbnailURL : nil
                )
            },
            issuedAt: entry.issuedAt
        )
    }

    /// A product whose list row matches its entry.
    fileprivate init(_ shown: ComparedRows.Shown, of entry: StateEntry) {
        var values = ProductValues()
        for field in ProductField.allCases
        where shown.fields.contains(field) && field != .images && field != .thumbnail {
            values[field] = entry.applied[field]
        }
        if shown.showsNoSale { values.sale = .fullPrice }
        self.init(
            id: entry.id,
            key: shown.showsKey ? entry.key : nil,
            vendorID: shown.showsVendor ? entry.vendorID : nil,
            vendorName: shown.vendorName,
            values: values,
            thumbnailURL: shown.fields.contains(.thumbnail) ? entry.thumbnailURL : nil,
            createdAt: shown.createdAt,
            issuedAt: shown.showsIssuedAt ? entry.issuedAt : nil
        )
        isWhole = shown.isWhole
    }
}
