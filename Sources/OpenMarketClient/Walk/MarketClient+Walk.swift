public import OpenMarket

extension MarketClient {
    /// Reads the whole list with pages of the deployment's own size; see ``Market``.
    ///
    /// - Throws: ``MarketError``, and what `row` and `problem` throw.
    public func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        try await walk(pageSize: nil, ahead: nil, details: details, row: row, problem: problem)
    }

    /// Reads the whole list and hands its rows on in the market's order, each product once.
    ///
    /// Pages are fetched ahead, concurrently and bounded: memory holds the window and the set of ids, not the catalog.
    /// The summary says whether the catalog changed meanwhile, and whether everything that existed from start to end
    /// is known to have been delivered.
    ///
    /// - Parameters:
    ///   - pageSize: rows a page, where the deployment lets one choose (v2).
    ///   - ahead: how many pages are read at once; by default as many as there are connections.
    ///   - details: whether each product's detail is read too, for what the list does not show.
    ///   - row: takes a product.
    ///   - problem: takes what is wrong with a row.
    /// - Returns: how it went.
    /// - Throws: ``MarketError``, and what `row` and `problem` throw.
    public func walk(
        pageSize: Int? = nil,
        ahead: Int? = nil,
        details: Bool = false,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        var hasVanished = false
        var summary = try await walk(pageSize: pageSize, ahead: ahead, collecting: ProductRows()) { page in
            guard details else {
                for product in page.products { try await row(product) }
                return
            }
            let completed = try await withDetails(page.products, ahead: ahead ?? configuration.parallelism)
            for (product, faults, isThere) in completed {
                hasVanished = hasVanished || !isThere
                for fault in faults { try await problem(fault) }
                try await row(product)
            }
        } problem: { fault in
            try await problem(fault)
        }
        summary.catalogMoved = summary.catalogMoved || hasVanished
        return summary
    }

    /// Reads the whole list with pages of the deployment's own size, page by page; see ``Market``.
    ///
    /// - Throws: ``MarketError``, and what `rows` and `problem` throw.
    public func walk<Rows: PageRows>(
        collecting empty: Rows,
        rows: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        try await walk(pageSize: nil, ahead: nil, collecting: empty, rows: rows, problem: problem)
    }

    private func walk<Rows: PageRows>(
        pageSize: Int?,
        ahead: Int?,
        collecting empty: Rows,
        rows deliver: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let tellsTotals = if case .sized = dialect.paging { true } else { false }
        let ahead = ahead ?? configuration.parallelism
        // As many requests wait for a connection as there are connections; the pool never opens more of these.
        var walk = CatalogWalk(
            pageSize: dialect.pageSize(pageSize),
            tellsTotals: tellsTotals,
            ahead: ahead,
            queued: ahead
        )
        return try await withThrowingTaskGroup(of: (Int, LivePage, Rows).self) { group in
            // The rows of the pages that were received, until the walk says what to do with them.
            var waiting: [Int: Rows] = [:]
            var actions = walk.start()
            while true {
                for action in actions {
                    switch action {
                    case .fetch(let number):
                        group.addTask {
                            let (page, rows) = try await page(number, size: pageSize, collecting: empty)
                            return (number, page, rows)
                        }
                    case .deliver(let number, let places, let problems):
                        for fault in problems { try await problem(fault) }
                        guard var rows = waiting.removeValue(forKey: number) else { continue }
                        rows.keep(places)
                        try await deliver(&rows)
                    case .finish(let summary): return summary
                    case .fail(let error): throw error
                    }
                }
                guard let (number, page, rows) = try await group.next() else {
                    throw MarketError(.unreadable, "the walk over the list stopped before its end")
                }
                waiting[number] = rows
                actions = walk.received(page, number: number)
            }
        }
    }

    /// Completes rows by their details, several at a time, in the same order; says which are still there.
    private func withDetails(
        _ products: [LiveProduct],
        ahead: Int
    ) async throws -> [(LiveProduct, [RowProblem], isThere: Bool)] {
        var results = products.map { ($0, [RowProblem](), isThere: true) }
        try await forEachConcurrently(products.indices, width: ahead) { index in
            let product = products[index]
            let place = "product \(product.id)"
            guard let detail = try await settledDetail(product.id), let full = detail.product else {
                let fault = RowProblem(id: product.id, place: place, message: "it vanished before its detail was read")
                return (product, [fault], isThere: false)
            }
            let faults = detail.faults.map { RowProblem(id: product.id, place: place, message: $0) }
            return (product.completed(by: full), faults, isThere: true)
        } collect: { index, result in
            results[index] = result
        }
        return results
    }

    /// The detail of a product that the list shows: v1 hides it for a while after a write.
    private func settledDetail(_ id: ProductID) async throws -> ProductReader.Row? {
        if let row = try await detail(id) { return row }
        let hiding = configuration.profile.capabilities.readAfterWriteDelay
        guard hiding > .zero else { return nil }
        try await configuration.clock.sleep(for: hiding)
        return try await detail(id)
    }
}
