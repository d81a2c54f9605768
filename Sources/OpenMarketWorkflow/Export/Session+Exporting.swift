package import OpenMarket

package struct CatalogReading: Sendable {
    package var summary: CatalogSummary
    /// The number of rows that could not be read, or only in part.
    var problems: Int
    /// The number of rows of the list that could not be read at all, and are in no file.
    var lostRows: Int
    var startedAt: Timestamp
    var endedAt: Timestamp
}

extension Session {
    /// Exports the whole catalog.
    ///
    /// Memory holds the window of pages being read, not the catalog.
    ///
    /// `keys` are the manifest's keys of products in the state. `eachProduct` is called for each product if
    /// details are read or pictures kept. `confirmEmpty` is called if the market's list is empty; it throws if
    /// the empty list is not confirmed.
    ///
    /// The bytes in `file` are invalid unless this returns.
    func export(
        _ options: ExportOptions,
        as encoding: CatalogEncoding,
        keys: ProductKeys,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        into file: inout ExportFile,
        confirmEmpty: () async throws -> Void
    ) async throws -> CatalogReading {
        let reading: CatalogReading
        let takesProducts = options.images != nil
        // Pages are small; the file gets many at once, from memory that is reused.
        let pieceSize = 1 << 17
        var pending: [UInt8] = []
        pending.reserveCapacity(2 * pieceSize)
        func add(_ bytes: [UInt8]) throws {
            pending += bytes
            guard pending.count >= pieceSize else { return }
            try file.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
        switch encoding {
        case .text(var format):
            pending += format.takeBytes()
            reading = try await read(
                details: options.details,
                collecting: CatalogRows(in: format, keys: keys),
                takesProducts: takesProducts,
                eachProduct: eachProduct,
                confirmEmpty: confirmEmpty
            ) {
                try add($0.takeBytes())
            }
        case .products(var encoder):
            reading = try await read(
                details: options.details,
                collecting: ProductRows(),
                takesProducts: takesProducts,
                eachProduct: eachProduct,
                confirmEmpty: confirmEmpty
            ) { page in
                for product in page.products { try encoder.append(product, key: keys[product.id]) }
                try add(encoder.takeBytes())
            }
            try encoder.end()
            pending += try encoder.takeBytes()
        }
        try file.write(pending)
        try file.finish()
        return reading
    }

    /// Reads the whole catalog.
    ///
    /// The rows of each page are added to a copy of `empty`. `eachProduct` is called for each product if details are
    /// read, or if `takesProducts` is set. `confirmEmpty` is called if the market's list is empty; it throws if
    /// the empty list is not confirmed.
    func read<Page: CatalogPage>(
        details: Bool,
        collecting empty: Page,
        takesProducts: Bool = false,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        confirmEmpty: () async throws -> Void,
        page take: (inout Page) throws -> Void
    ) async throws -> CatalogReading {
        if details { try requireDetails() }
        let startedAt = environment.wallTime()
        // A row may have several faults.
        var partial: Set<MarketID> = []
        var lost: Set<String> = []
        onEvent(.began(.export))
        defer { onEvent(.ended(.export)) }
        func add(_ page: inout Page) throws {
            let unnamed = page.unnamedProducts
            let count = page.count
            try take(&page)
            onEvent(.advanced(.export, by: count, total: nil))
            for id in unnamed where !partial.contains(id) {
                note(RowProblem(id: id, place: "product \(id)", message: "its name is missing"))
            }
        }
        func note(_ problem: RowProblem) {
            if let id = problem.id { partial.insert(id) } else { lost.insert(problem.place) }
            onEvent(.problem(problem))
        }
        let summary =
            if details || takesProducts {
                try await market.walk(details: details) { product in
                    var page = empty
                    page.append(product)
                    try add(&page)
                    try await eachProduct(product)
                } problem: {
                    note($0)
                }
            } else {
                try await market.walk(collecting: empty) {
                    try add(&$0)
                } problem: {
                    note($0)
                }
            }
        if summary.completeness == .unsettled { throw CommandFailure.unsettled(passes: summary.passes) }
        if summary.rows == 0 { try await confirmEmpty() }
        if let limit = summary.possibleLimit { onEvent(.possibleLimit(limit)) }
        return CatalogReading(
            summary: summary,
            problems: partial.count + lost.count,
            lostRows: lost.count,
            startedAt: startedAt,
            endedAt: environment.wallTime()
        )
    }
}
