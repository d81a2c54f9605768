/// The rows of a page of an exported catalog.
package protocol CatalogPage: PageRows {
    /// The products that the market shows without a name.
    var unnamedProducts: [MarketID] { get }
}

extension ProductRows: CatalogPage {
    package var unnamedProducts: [MarketID] { products.filter { $0.name == nil }.map(\.id) }
}

/// The rows of a page in the format of an export.
package struct CatalogRows: CatalogPage {
    /// What the rows are written with; holds their bytes.
    private var format: any CatalogFormat
    /// The bytes of what was kept of them.
    private var kept: [UInt8]?
    private let keys: ProductKeys
    /// Where each row ends.
    private var ends: [Int] = []
    /// The rows without a name, by their places.
    private var unnamed: [(place: Int, id: MarketID)] = []

    /// No rows yet.
    ///
    /// - Parameters:
    ///   - format: how rows are written; what precedes the first one has been taken from it.
    ///   - keys: the manifest's keys, where the state knows products.
    package init(in format: any CatalogFormat, keys: ProductKeys) {
        precondition(format.pendingByteCount == 0, "a page has nothing but its rows")
        self.format = format
        self.keys = keys
    }

    /// How many rows there are.
    package var count: Int { ends.count }

    package mutating func append(_ row: LiveRow) {
        format.append(row, key: keys[row.id])
        if row.name == nil { unnamed.append((ends.count, row.id)) }
        ends.append(format.pendingByteCount)
    }

    package mutating func append(_ product: LiveProduct) {
        format.append(product, key: keys[product.id])
        if product.name == nil { unnamed.append((ends.count, product.id)) }
        ends.append(format.pendingByteCount)
    }

    /// Keeps the rows at these places.
    package mutating func keep(_ places: [Int]) {
        guard places.count < ends.count else { return }
        if !unnamed.isEmpty {
            let kept = Set(places)
            unnamed = unnamed.filter { kept.contains($0.place) }
        }
        let bytes = takeBytes()
        var kept: [UInt8] = []
        ends = places.map { place in
            kept += bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
            return kept.count
        }
        self.kept = kept
    }

    /// The products that the market shows without a name.
    package var unnamedProducts: [MarketID] { unnamed.map(\.id) }

    /// Gives the rows' bytes away.
    package mutating func takeBytes() -> [UInt8] {
        guard let kept else { return format.takeBytes() }
        self.kept = nil
        return kept
    }
}
