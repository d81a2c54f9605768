import NIOCore
package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Reads the whole list with pages of the profile's own size; see ``Market``.
    ///
    /// - Throws: ``MarketError``, and what `row` and `problem` throw.
    package func walk(
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
    ///   - pageSize: rows a page, where the profile lets one choose (v2).
    ///   - ahead: how many pages are read at once; by default as many as there are connections.
    ///   - details: whether each product's detail is read too, because of what the list does not show.
    ///   - row: takes a product.
    ///   - problem: takes what is wrong with a row.
    /// - Returns: how it went.
    /// - Throws: ``MarketError``, and what `row` and `problem` throw.
    func walk(
        pageSize: Int? = nil,
        ahead: Int? = nil,
        details: Bool = false,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        var hasVanished = false
        var absentCount = 0
        var summary = try await walk(pageSize: pageSize, ahead: ahead, collecting: ProductRows()) { page in
            guard details else {
                for product in page.products { try await row(product) }
                return
            }
            let completed = try await withDetails(page.products, ahead: ahead ?? configuration.parallelism)
            for (product, faults, isThere) in completed {
                hasVanished = hasVanished || !isThere
                for fault in faults { try await problem(fault) }
                if let product { try await row(product) } else { absentCount += 1 }
            }
        } problem: { fault in
            try await problem(fault)
        }
        if hasVanished { summary.catalogMoved = true }
        // Of those that only the detail shows to be deleted, the list knew nothing.
        summary.rows -= absentCount
        return summary
    }

    /// Reads the whole list with pages of the profile's own size, page by page; see ``PagedMarket``.
    ///
    /// - Throws: ``MarketError``, and what `rows` and `problem` throw.
    package func walkPages<Rows: PageRows>(
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
        let ahead = ahead ?? configuration.parallelism
        let log = configuration.replyLog
        let interrupted = try await interruptedReading(pageSize: pageSize)
        let askedTotal = try await totalAskedApart()
        // Whether kept replies are taken in, and no request leaves.
        var isCatchingUp = interrupted != nil
        // The kept replies answer what the interrupted run asked for, so they have to be asked for in the same way.
        var walk = catalogWalk(pageSize: pageSize, ahead: interrupted?.parallelism ?? ahead)
        return try await withThrowingTaskGroup(of: (Int, Reply<Rows>).self) { group in
            // The pages that are wanted and may be among the kept ones.
            var wanted: [Int: PageAddress] = [:]
            // The rows of the pages that were received, until the walk says what to do with them.
            var waiting: [Int: Rows] = [:]
            var actions = walk.start()
            while true {
                for action in actions {
                    switch action {
                    case .fetch(let number, let address) where isCatchingUp: wanted[number] = address
                    case .fetch(let number, let address):
                        group.addTask { (number, try await reply(to: address, number: number, collecting: empty)) }
                    case .deliver(let number, let places, let problems):
                        for fault in problems { try await problem(fault) }
                        guard var rows = waiting.removeValue(forKey: number) else { continue }
                        rows.keep(places)
                        try await deliver(&rows)
                    case .finish(let summary):
                        try await requireAsMany(as: askedTotal, in: summary)
                        return summary
                    case .fail(let error): throw error
                    }
                }
                let next = try isCatchingUp ? nextKept(of: &wanted, collecting: empty) : await group.next()
                guard let (number, reply) = next else {
                    guard isCatchingUp else {
                        throw MarketError(.unreadable, "the walk over the list stopped before its end")
                    }
                    isCatchingUp = false
                    walk.read(ahead: ahead, queued: ahead)
                    actions = wanted.sorted { $0.key < $1.key }.map { .fetch($0.key, $0.value) }
                    continue
                }
                switch reply {
                case .page(let page, let rows, let kept, let body):
                    // A first page without a body was believed for what else the market said, which is not kept.
                    if let body, number > 1 || body.readableBytes > 0 {
                        log?.keep(page: kept, body.readableBytesUInt8Span)
                    }
                    waiting[number] = rows
                    actions = walk.received(page, number: number)
                case .refusal(let error, let kept):
                    guard let detour = walk.refused(number: number) else { throw error }
                    if !isCatchingUp { log?.keep(page: kept, Span()) }
                    waiting = [:]
                    actions = detour
                }
            }
        }
    }

    /// Asks for a page.
    private func reply<Rows: PageRows>(
        to address: PageAddress,
        number: Int,
        collecting empty: Rows
    ) async throws -> Reply<Rows> {
        do {
            let read = try await page(address, number: number, collecting: empty)
            let kept = KeptReply(number: number, at: address, read.reply)
            return .page(read.page, read.rows, kept, configuration.replyLog == nil ? nil : read.body)
        } catch let error as MarketError where error.refusesPage {
            let kept = KeptReply(number: number, request: address.kept, status: error.status ?? 0, isRefusal: true)
            return .refusal(error, kept)
        }
    }

    /// The next reply that an interrupted run has kept, which has to be of a page that is wanted; `nil` after the last one.
    private func nextKept<Rows: PageRows>(
        of wanted: inout [Int: PageAddress],
        collecting empty: Rows
    ) throws -> (Int, Reply<Rows>)? {
        guard let kept = try configuration.replyLog?.nextPage() else { return nil }
        let number = kept.reply.number
        guard wanted.removeValue(forKey: number)?.kept == kept.reply.request else { throw Self.brokenLog }
        guard !kept.reply.isRefusal else { return (number, .refusal(Self.brokenLog, kept.reply)) }
        let (page, rows) = try read(kept, collecting: empty)
        return (number, .page(page, rows, kept.reply, nil))
    }

    /// Makes sure that no fewer products came than the market counts apart from its list, before and after it was read.
    private func requireAsMany(as askedTotal: Int?, in summary: CatalogSummary) async throws {
        guard let askedTotal, summary.isComplete, summary.rows < askedTotal, let now = try await totalAskedApart(),
            summary.rows < now
        else { return }
        throw MarketError(
            .unreadable,
            "the market counts \(counted(min(askedTotal, now), "product")) apart from its list, which shows \(summary.rows)"
        )
    }

    /// What came of asking for a page, with what is to be kept of it.
    private enum Reply<Rows: PageRows>: Sendable {
        case page(LivePage, Rows, KeptReply, ByteBuffer?)
        case refusal(MarketError, KeptReply)
    }

    /// A walk that sends so many requests at once.
    private func catalogWalk(pageSize: Int?, ahead: Int) -> CatalogWalk {
        // As many requests wait for a connection as there are connections; the pool never opens more of these.
        CatalogWalk(ListForm(wire.market), pageSize: wire.pageSize(pageSize), ahead: ahead, queued: ahead)
    }

    /// The interrupted run that this one goes on with; `nil` where there is none, or the catalog is another one by now.
    private func interruptedReading(pageSize: Int?) async throws -> EarlierReading? {
        guard let log = configuration.replyLog, let earlier = try log.earlier() else { return nil }
        guard try await matches(earlier, size: pageSize) else {
            log.restart()
            return nil
        }
        log.resume()
        return earlier
    }

    /// Whether the pages that an interrupted run is judged by are as they were.
    private func matches(_ earlier: EarlierReading, size: Int?) async throws -> Bool {
        for mark in earlier.marks {
            // With pages of another size, other pages would be asked for.
            guard let address = PageAddress(kept: mark.reply.request), address.size == wire.pageSize(size) else {
                return false
            }
            let (then, _) = try read(mark, collecting: ProductRows())
            do {
                let now = try await page(address, number: mark.reply.number, collecting: ProductRows()).page
                guard now.matches(then) else { return false }
            } catch let error as MarketError where error.refusesPage {
                return false
            }
        }
        return true
    }

    /// Reads a kept page.
    private func read<Rows: PageRows>(_ kept: KeptPage, collecting empty: Rows) throws -> (LivePage, Rows) {
        var rows = empty
        let reader = PageReader(wire, page: kept.reply.number)
        do {
            let reply = PageReply(status: kept.reply.status, headers: kept.reply.headers.map { ($0.name, $0.value) })
            let page = try reader.read(reply, kept.body.span, collecting: &rows)
            guard page.isPage else { throw Self.brokenLog }
            return (page, rows)
        } catch is JSONError {
            throw Self.brokenLog
        }
    }

    private static var brokenLog: MarketError {
        MarketError(.unreadable, "the replies that an interrupted run has kept do not fit together: run it again")
    }

    /// A row with its detail: without a product where that counts as deleted, and without a detail where it is gone.
    private typealias CompletedRow = (product: LiveProduct?, faults: [RowProblem], isThere: Bool)

    /// Completes rows by their details, several at a time, in the same order.
    private func withDetails(_ products: [LiveProduct], ahead: Int) async throws -> [CompletedRow] {
        var results: [CompletedRow] = products.map { ($0, [], isThere: true) }
        let log = configuration.replyLog
        var missing: [Int] = []
        for (index, product) in products.enumerated() {
            guard let kept = try log?.product(product.id) else {
                missing.append(index)
                continue
            }
            results[index] = completed(product, by: try kept.body.flatMap { try readDetail($0.span) })
        }
        try await forEachConcurrently(missing, width: ahead) { index in
            try await settledDetail(products[index].id)
        } collect: { index, detail in
            let id = products[index].id
            if let detail {
                log?.keep(product: id, detail.body.readableBytesUInt8Span)
            } else {
                log?.keep(product: id, nil)
            }
            results[index] = completed(products[index], by: detail?.row)
        }
        return results
    }

    /// A row completed by its detail, if there is one.
    private func completed(_ product: LiveProduct, by detail: ProductReader.Row?) -> CompletedRow {
        if detail?.isAbsent == true { return (nil, [], isThere: true) }
        let place = "product \(product.id)"
        guard let detail, let full = detail.product else {
            let fault = RowProblem(id: product.id, place: place, message: "it vanished before its detail was read")
            return (product, [fault], isThere: false)
        }
        let faults = detail.faults.map { RowProblem(id: product.id, place: place, message: $0) }
        return (product.completed(by: full), faults, isThere: true)
    }

    /// The detail of a product that the list shows: v1 hides it for a while after a write.
    private func settledDetail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        if let row = try await detail(id) { return row }
        let hiding = configuration.profile.capabilities.readAfterWriteDelay
        guard hiding > .zero else { return nil }
        try await configuration.clock.sleep(for: hiding)
        return try await detail(id)
    }
}

extension MarketError {
    /// Whether the market does not give a page by what it was asked for: a token that is too old, a row that is gone.
    var refusesPage: Bool { status.map { [400, 404, 410, 422].contains($0) } ?? false }
}

extension KeptReply {
    /// A page that came in.
    fileprivate init(number: Int, at address: PageAddress, _ reply: PageReply) {
        self.init(
            number: number,
            request: address.kept,
            status: reply.status,
            headers: reply.headers.map { Header(name: $0.name, value: $0.value) }
        )
    }
}

extension PageAddress {
    /// How many rows are asked for; `nil` where pages are not cut.
    fileprivate var size: Int? {
        switch self {
        case .number(_, let size), .after(_, let size), .cursor(_, let size), .next(_, let size): size
        case .whole: nil
        }
    }
}
