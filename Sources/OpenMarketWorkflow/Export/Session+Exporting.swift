public import OpenMarket

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

extension Session {
    /// Exports the whole catalog.
    ///
    /// Memory holds the window of pages under way, not the catalog.
    ///
    /// - Parameters:
    ///   - request: what to show.
    ///   - key: the manifest's key of a product, where the state knows it.
    ///   - sink: takes the bytes; what it has taken is worth nothing unless this returns.
    ///   - confirmEmpty: called where the market shows no product at all; throws unless that is to be believed.
    /// - Returns: what the export vouches for.
    /// - Throws: ``SessionError/incompleteExport(passes:)``, `MarketError`, and what the closures and the sink throw.
    public func export<Sink: ExportSink & ~Copyable>(
        _ request: ExportRequest,
        key: (ProductID) -> String?,
        into sink: inout Sink,
        confirmEmpty: () async throws -> Void
    ) async throws -> ExportCertificate {
        let startedAt = wallTime()
        var writer = request.format.writer(columns: request.columns)
        var problems = 0
        onEvent(.began(.export))
        defer { onEvent(.ended(.export)) }
        let summary = try await market.walk(details: request.details) { product in
            writer.append(product, key: key(product.id))
            if writer.pendingByteCount >= 1 << 16 { try sink.write(writer.takeBytes()) }
            onEvent(.advanced(.export, total: nil))
        } problem: { problem in
            problems += 1
            onEvent(.problem(problem))
        }
        guard summary.isComplete else { throw SessionError.incompleteExport(passes: summary.passes) }
        if summary.rows == 0 { try await confirmEmpty() }
        writer.end()
        try sink.write(writer.takeBytes())
        return ExportCertificate(
            tool: tool,
            market: scope.url,
            profile: scope.profile,
            request: request,
            summary: summary,
            problems: problems,
            digest: sink.digest,
            startedAt: startedAt,
            endedAt: wallTime()
        )
    }
}
