public import OpenMarket
import OpenMarketApply

/// What an export shows.
public struct ExportRequest: Hashable, Sendable {
    /// How it is written.
    public var format: ExportFormat
    /// The columns in order.
    public var columns: [CatalogColumn]
    /// Whether every product's details are read, for what the list lacks.
    public var details: Bool

    /// An export of all columns as CSV, unless specified.
    public init(
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
public struct CatalogReading: Sendable {
    /// How the list was read.
    public var summary: CatalogSummary
    /// How many rows could not be read, or not in whole.
    public var problems: Int
    /// How many rows of the list could not be read at all, and are in no file.
    public var lostRows: Int
    /// When it began.
    public var startedAt: Timestamp
    /// When it ended.
    public var endedAt: Timestamp
}

extension Session {
    /// Exports the whole catalog.
    ///
    /// Memory holds the window of pages under way, not the catalog.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - format: writes it so.
    ///   - keys: the manifest's keys, where the state knows products.
    ///   - eachProduct: called with each product in detail, where details are read.
    ///   - sink: takes the bytes; what it has taken is worth nothing unless this returns.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    /// - Returns: what the export vouches for.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closure and the sink throw.
    public func export<Sink: ExportSink & ~Copyable>(
        _ request: ExportRequest,
        as format: any CatalogFormat,
        keys: ProductKeys,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        into sink: inout Sink,
        confirmEmpty: () async throws -> Void
    ) async throws -> ExportCertificate {
        let reading = try await read(
            request,
            as: format,
            keys: keys,
            eachProduct: eachProduct,
            confirmEmpty: confirmEmpty
        ) {
            try sink.write($0)
        }
        try sink.finish()
        return ExportCertificate(
            tool: tool,
            market: scope.url,
            profile: scope.profile,
            request: request,
            summary: reading.summary,
            problems: reading.problems,
            lostRows: reading.lostRows,
            digest: sink.digest,
            startedAt: reading.startedAt,
            endedAt: reading.endedAt
        )
    }

    /// Reads the whole catalog in a format, without a file.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - format: writes it so.
    ///   - keys: the manifest's keys, where the state knows products.
    ///   - eachProduct: called with each product in detail, where details are read.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    ///   - write: takes the bytes: whole rows, and what stands before and behind them.
    /// - Returns: how it went.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closures throw.
    public func read(
        _ request: ExportRequest,
        as format: any CatalogFormat,
        keys: ProductKeys,
        eachProduct: (LiveProduct) async throws -> Void = { _ in },
        confirmEmpty: () async throws -> Void,
        write: ([UInt8]) throws -> Void
    ) async throws -> CatalogReading {
        let startedAt = environment.wallTime()
        var format = format
        var pending = format.takeBytes()
        let empty = CatalogRows(in: format, keys: keys)
        var problems = 0
        // By place: a row may have several faults.
        var lost: Set<String> = []
        onEvent(.began(.export))
        defer { onEvent(.ended(.export)) }
        func add(_ rows: inout CatalogRows) throws {
            let bytes = rows.takeBytes()
            if pending.isEmpty { pending = bytes } else { pending += bytes }
            if pending.count >= 1 << 17 {
                try write(pending)
                pending = []
            }
            onEvent(.advanced(.export, by: rows.count, total: nil))
            for id in rows.takeUnnamed() {
                note(RowProblem(id: id, place: "product \(id)", message: "it has no name"))
            }
        }
        func note(_ problem: RowProblem) {
            problems += 1
            if problem.id == nil { lost.insert(problem.place) }
            onEvent(.problem(problem))
        }
        let summary =
            if request.details {
                try await market.walk(details: true) { product in
                    var row = empty
                    row.append(product)
                    try add(&row)
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
        guard summary.isComplete else { throw SessionError.incompleteExport(passes: summary.passes) }
        if summary.rows == 0 { try await confirmEmpty() }
        format.end()
        try write(pending + format.takeBytes())
        return CatalogReading(
            summary: summary,
            problems: problems,
            lostRows: lost.count,
            startedAt: startedAt,
            endedAt: environment.wallTime()
        )
    }
}
