/// The products of a live catalog by id: rows that were read, or what a state remembers, put together on demand.
public struct LiveProducts: Sendable {
    private var rows: [ProductID: LiveProduct] = [:]
    /// What a state remembers, and where each product's entry is among it; rows count before it.
    private var remembered = StateEntries()
    private var positions: [ProductID: Int32] = [:]

    /// No products.
    public init() {}

    /// Rows that were read.
    public init(_ rows: [ProductID: LiveProduct]) {
        self.rows = rows
    }

    /// The products of a state as it remembers them.
    init(remembering entries: StateEntries) {
        remembered = entries
        positions.reserveCapacity(entries.count)
        for (position, id) in entries.ids.enumerated() { positions[id] = Int32(truncatingIfNeeded: position) }
    }

    /// A row that was read.
    func row(_ id: ProductID) -> LiveProduct? { rows[id] }

    /// Whether these are just the products of a state, each of which has an entry of its own.
    func areJust(of entries: StateEntries) -> Bool {
        rows.isEmpty && positions.count == entries.count && remembered.isIdentical(to: entries)
    }
}

extension LiveProducts: ExpressibleByDictionaryLiteral, Sequence, Equatable {
    /// Compares the products.
    public static func == (left: LiveProducts, right: LiveProducts) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    /// These products; of several with one id the last counts.
    public init(dictionaryLiteral elements: (ProductID, LiveProduct)...) {
        for (id, product) in elements { rows[id] = product }
    }

    /// How many there are.
    public var count: Int { rows.count + positions.count }

    /// Whether there is none.
    public var isEmpty: Bool { rows.isEmpty && positions.isEmpty }

    /// Makes room for so many rows.
    public mutating func reserveCapacity(_ capacity: Int) { rows.reserveCapacity(capacity) }

    /// A product.
    public subscript(id: ProductID) -> LiveProduct? {
        get { rows[id] ?? positions[id].map { LiveProduct(remembered: remembered.entry(at: Int($0))) } }
        set {
            rows[id] = newValue
            positions[id] = nil
        }
    }

    /// The ids, in no particular order.
    public var keys: some Sequence<ProductID> { [Array(rows.keys), Array(positions.keys)].joined() }

    /// The products, in no particular order.
    public var values: some Sequence<LiveProduct> { lazy.map { $0.value } }

    /// Gives the products with their ids, in no particular order.
    public func makeIterator() -> Iterator {
        Iterator(rows: rows.makeIterator(), positions: positions.makeIterator(), remembered: remembered)
    }

    /// Gives the products with their ids, in no particular order.
    public struct Iterator: IteratorProtocol {
        fileprivate var rows: Dictionary<ProductID, LiveProduct>.Iterator
        fileprivate var positions: Dictionary<ProductID, Int32>.Iterator
        fileprivate let remembered: StateEntries

        /// The next product.
        public mutating func next() -> (key: ProductID, value: LiveProduct)? {
            if let row = rows.next() { return row }
            return positions.next().map { ($0.key, LiveProduct(remembered: remembered.entry(at: Int($0.value)))) }
        }
    }
}

extension LiveProduct {
    /// A product as the state remembers it; URLs of pictures are the references that the state holds.
    fileprivate init(remembered entry: StateEntry) {
        self.init(
            id: entry.id,
            vendorID: entry.vendorID,
            values: entry.applied.withoutPictures,
            thumbnailURL: entry.thumbnailURL,
            images: entry.images?.map { image in
                LiveProduct.Image(
                    id: Int64(image.reference),
                    url: image.reference,
                    thumbnailURL: entry.applied.thumbnail == .digest(image.digest) ? entry.thumbnailURL : nil
                )
            },
            issuedAt: entry.issuedAt
        )
    }
}
