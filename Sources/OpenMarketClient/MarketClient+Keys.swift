package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Reads the products that carry a vendor key; see ``Market``.
    ///
    /// All result pages are checked, because the market may find too much, or everything. Throws ``MarketError``.
    package func products(withKey key: String) async throws -> [LiveProduct] {
        var reading = try await rows(ofKey: key)
        // Between two requests a row may have moved to the page that was already read.
        var readings = 1
        while reading.pages > 1 {
            let again = try await rows(ofKey: key)
            readings += 1
            if again.ids == reading.ids { break }
            guard readings < Self.readingsOfKey else {
                throw MarketError(.unreadable, "the products of a key change faster than they can be read")
            }
            reading = again
        }
        return try await confirmed(reading.found, reading.absent)
    }

    private struct KeyReading {
        var found: KeyedRows
        /// The products that count as deleted.
        var absent: Set<MarketID> = []
        var ids: [MarketID] = []
        var rows = 0
        var pages = 0
    }

    private func rows(ofKey key: String) async throws -> KeyReading {
        guard let find = wire.market.identity.key?.find else {
            throw MarketError(.refused, "\(wire.name) lacks a request for the products of a key")
        }
        var reading = KeyReading(found: KeyedRows(key: key))
        let form = ListTraits(wire.market)
        var chain = PageChain(form)
        var mention = NextPageMention()
        var address = wire.firstPage(size: nil)
        let size = wire.pageSize(nil)
        while true {
            let number = reading.pages + 1
            guard number <= Self.pagesOfKey else {
                throw MarketError(
                    .unreadable,
                    "the market finds more than \(Self.pagesOfKey) pages of products for one key: it may ignore the filter"
                )
            }
            var page: LivePage
            do {
                let answer = try await self.page(address, number: number, collecting: reading.found, ofKey: key)
                (page, reading.found) = (answer.page, answer.rows)
            } catch let error as MarketError where error.code == .profile && find.path != nil {
                return reading
            } catch let error as MarketError where error.refusesPage && mention.isUncertain && form.mayRefuseEnd {
                return reading
            }
            mention.settle(&page)
            guard page.unreadableRows.isEmpty else {
                throw MarketError(.unreadable, "the market finds a product for a key whose id cannot be read")
            }
            reading.pages = number
            reading.absent.formUnion(page.absent.map { page.ids[$0] })
            reading.ids += page.ids
            reading.rows += page.rowCount
            guard find.path == nil else {
                let hasMore =
                    page.hasNext == true || page.next.goesOn || page.total.map { $0 > reading.rows } ?? false
                guard !hasMore else {
                    throw MarketError(.unreadable, "the market finds more products for a key than one page shows")
                }
                return reading
            }
            let next = try self.address(behind: page, number: number, rows: reading.rows, size: size, &chain)
            guard let next else { return reading }
            address = next
        }
    }

    /// The maximum number of readings of the results for a key until two of them agree.
    private static var readingsOfKey: Int { 5 }
    private static var pagesOfKey: Int { 100 }
    /// The maximum number of products read in detail because their rows do not show a key.
    private static var detailsOfKey: Int { 100 }

    /// The address of the next page in the results for a key; `nil` if the market states that there is none.
    ///
    /// A page with few rows does not mean the end.
    private func address(
        behind page: LivePage,
        number: Int,
        rows: Int,
        size: Int,
        _ chain: inout PageChain
    ) throws(MarketError) -> PageAddress? {
        switch wire.market.list.page.style {
        case .keyset, .cursor, .next, .whole: return try chain.address(behind: page, number: number, size: size)
        case .number, .offset:
            if page.hasNext == false { return nil }
            if let total = page.total, rows >= total, page.hasNext != true { return nil }
            if let last = page.lastPage, number >= last, page.hasNext != true { return nil }
            guard page.rowCount > 0 else {
                guard page.provesItsEnd else { throw PageChain.unprovenEnd(number) }
                return nil
            }
            return .number(number + 1, size: size)
        }
    }

    /// The products in detail, limited to those that show the key themselves.
    private func confirmed(_ found: KeyedRows, _ absent: Set<MarketID>) async throws -> [LiveProduct] {
        var seen = absent
        let candidates = (found.matching + found.keyless).filter { seen.insert($0.id).inserted }
        guard wire.endpoint(.detail) != nil else { return candidates.filter { $0.key != nil } }
        guard candidates.count <= Self.detailsOfKey else {
            throw MarketError(.unreadable, "the market finds more products for a key than can be read one by one")
        }
        var products: [LiveProduct] = []
        for row in candidates {
            guard let product = try await product(row.id).map({ row.completed(by: $0) }),
                product.key.isExactly(found.key)
            else { continue }
            products.append(product)
        }
        return products
    }
}

/// The rows with a key, and those without.
private struct KeyedRows: PageRows {
    let key: String
    private(set) var count = 0
    private(set) var matching: [LiveProduct] = []
    private(set) var keyless: [LiveProduct] = []

    init(key: String) { self.key = key }

    mutating func append(_ row: LiveRow) {
        count += 1
        guard let shown = row.key else { return keyless.append(LiveProduct(row)) }
        if shown.withUTF8Span({ $0.isExactly(key) }) { matching.append(LiveProduct(row)) }
    }

    mutating func append(_ product: LiveProduct) {
        count += 1
        guard let shown = product.key else { return keyless.append(product) }
        if shown.isExactly(key) { matching.append(product) }
    }

    /// The result of a filter is used as a whole: no row is discarded.
    mutating func keep(_ places: [Int]) { count = places.count }
}
