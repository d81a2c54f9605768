package import OpenMarket

/// What an export shows.
package struct ExportRequest: Hashable, Sendable {
    /// How it is written.
    var format: ExportFormat
    /// The columns in order.
    var columns: [CatalogColumn]
    /// Whether every product's details are read, because of what the list lacks.
    var details: Bool

    /// An export of all columns as CSV, unless specified.
    package init(
        format: ExportFormat = .csv,
        columns: [CatalogColumn] = CatalogColumn.allCases,
        details: Bool = false
    ) {
        self.format = format
        self.columns = columns
        self.details = details
    }
}

/// How a catalog was read.
package struct CatalogReading: Sendable {
    /// How the list was read.
    package var summary: CatalogSummary
    /// How many rows could not be read, or not in whole.
    var problems: Int
    /// How many rows of the list could not be read at all, and are in no file.
    var lostRows: Int
    /// When it began.
    var startedAt: Timestamp
    /// When it ended.
    var endedAt: Timestamp
}

extension Session {
    /// Exports the whole catalog.
    ///
    /// Memory holds the window of pages under way, not the catalog.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - encoding: how it is written.
    ///   - keys: the manifest's keys, where the state knows products.
    ///   - takesProducts: whether `eachProduct` is called also where the list alone is read.
    ///   - eachProduct: called with each product, where details are read or `takesProducts` says so.
    ///   - sink: takes the bytes; what it has taken is worth nothing unless this returns.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    /// - Returns: what the export vouches for.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the encoder, the closures and the
    ///   sink throw.
    func export<Sink: ExportSink & ~Copyable>(
        _ request: ExportRequest,
        as encoding: CatalogEncoding,
        keys: ProductKeys,
        takesProducts: Bool = false,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        into sink: inout Sink,
        confirmEmpty: () async throws -> Void
    ) async throws -> ExportCertificate {
        let reading: CatalogReading
        // Pages are small; the sink gets many at once, out of memory that is used again.
        let pieceSize = 1 << 17
        var pending: [UInt8] = []
        pending.reserveCapacity(2 * pieceSize)
        func add(_ bytes: [UInt8]) throws {
            pending += bytes
            guard pending.count >= pieceSize else { return }
            try sink.write(pending)
            pending.removeAll(keepingCapacity: true)
        }
        switch encoding {
        case .text(var format):
            pending += format.takeBytes()
            reading = try await read(
                details: request.details,
                collecting: CatalogRows(in: format, keys: keys),
                takesProducts: takesProducts,
                eachProduct: eachProduct,
                confirmEmpty: confirmEmpty
            ) {
                try add($0.takeBytes())
            }
        case .products(var encoder):
            reading = try await read(
                details: request.details,
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
        try sink.write(pending)
        try sink.finish()
        return ExportCertificate(
            tool: tool,
            market: scope.url,
            profile: market.profile,
            request: request,
            summary: reading.summary,
            problems: reading.problems,
            lostRows: reading.lostRows,
            digest: sink.digest,
            startedAt: reading.startedAt,
            endedAt: reading.endedAt
        )
    }

    /// Reads the whole catalog.
    ///
    /// - Parameters:
    ///   - details: whether every product's details are read.
    ///   - empty: what the rows of each page are added to.
    ///   - takesProducts: whether `eachProduct` is called also where the list alone is read.
    ///   - eachProduct: called with each product, where details are read or `takesProducts` says so.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    ///   - take: takes a page.
    /// - Returns: how it went.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closures throw.
    func read<Page: CatalogPage>(
        details: Bool,
        collecting empty: Page,
        takesProducts: Bool = false,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        confirmEmpty: () async throws -> Void,
        page take: (inout Page) throws -> Void
    ) async throws -> CatalogReading {
        if details { try requireDetails(for: .export) }
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
                note(RowProblem(id: id, place: "product \(id)", message: "it has no name"))
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
        if summary.completeness == .unsettled { throw SessionError.incompleteExport(passes: summary.passes) }
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
