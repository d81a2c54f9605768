package protocol CatalogPage: PageRows {
    var unnamedProducts: [MarketID] { get }
}

extension ProductRows: CatalogPage {
    package var unnamedProducts: [MarketID] { products.filter { $0.name == nil }.map(\.id) }
}

package struct CatalogRows: CatalogPage {
    /// The format, which also holds the bytes of the rows.
    private var format: any CatalogFormat
    private var kept: [UInt8]?
    private let keys: ProductKeys
    private var ends: [Int] = []
    /// Rows without a name, by their positions.
    private var unnamed: [(place: Int, id: MarketID)] = []

    /// Starts without rows; the header of `format` must already have been taken.
    package init(in format: any CatalogFormat, keys: ProductKeys) {
        precondition(format.pendingByteCount == 0, "a page consists of its rows")
        self.format = format
        self.keys = keys
    }

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

    package var unnamedProducts: [MarketID] { unnamed.map(\.id) }

    /// Returns the rows' bytes and removes them.
    package mutating func takeBytes() -> [UInt8] {
        guard let kept else { return format.takeBytes() }
        self.kept = nil
        return kept
    }
}
