@testable import OpenMarket

extension CatalogChanges {
    /// What changed from the rows of an earlier export to those of a later one.
    static func between(_ earlier: [CatalogRow], and later: [CatalogRow]) -> CatalogChanges {
        var comparison = CatalogComparison(shows: CatalogColumn.allCases)
        for row in earlier { comparison.add(row) }
        comparison.endEarlier()
        var keys = ProductKeys()
        for row in later.sorted(by: { MarketID.precedes($0.id, $1.id) }) {
            if let key = row.text(.key) { keys.append(row.id, key) }
        }
        var page = comparison.emptyPage(keys)
        for row in later { page.append(LiveProduct(row)) }
        comparison.add(page)
        return comparison.finish()
    }
}

extension LiveProduct {
    /// The product that a row shows.
    fileprivate init(_ row: CatalogRow) {
        var images: [Image]?
        if case .texts(let urls) = row[.images] { images = urls.map { Image(url: $0.text) } }
        self.init(
            id: row.id,
            vendorID: row.number(.vendorID)?.wholeValue,
            vendorName: row.text(.vendor),
            name: row.text(.name),
            description: row.text(.description),
            price: row.number(.price),
            currency: row.text(.currency).map { Currency(rawValue: $0) },
            sale: row.number(.salePrice).map { .price($0) },
            stock: row.number(.stock)?.wholeValue,
            thumbnailURL: row.text(.thumbnail),
            images: images,
            createdAt: row.text(.createdAt),
            issuedAt: row.text(.issuedAt)
        )
    }
}
