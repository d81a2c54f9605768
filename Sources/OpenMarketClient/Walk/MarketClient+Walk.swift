import NIOCore
package import OpenMarket
import OpenMarketDescription

extension MarketClient {
    /// Reads the whole list and delivers its rows in the market's order, each product once.
    ///
    /// With `details` each product's detail is read for the fields that the list omits. Throws ``MarketError``, and the
    /// errors of `row` and `problem`.
    package func walk(
        details: Bool,
        row: (LiveProduct) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        var hasVanished = false
        var absentCount = 0
        var shownByDetails: Set<CatalogColumn> = []
        var summary = try await walkPages(collecting: ProductRows()) { page in
            guard details else {
                for product in page.products { try await row(product) }
                return
            }
            let completed = try await withDetails(page.products)
            for (product, faults, isThere, shown) in completed {
                shownByDetails.formUnion(shown)
                hasVanished = hasVanished || !isThere
                for fault in faults { try await problem(fault) }
                if let product { try await row(product) } else { absentCount += 1 }
            }
        } problem: { fault in
            try await problem(fault)
        }
        if hasVanished { summary.catalogMoved = true }
        summary.missing.subtract(shownByDetails)
        // Only the details show that these products are deleted; the list counted them.
        summary.rows -= absentCount
        return summary
    }

    /// Reads the whole list page by page; see ``PagedMarket``.
    ///
    /// Pages are fetched ahead, concurrently and bounded: memory contains the window and the set of ids, not the
    /// catalog. The summary states whether the catalog changed meanwhile. It also states whether everything that
    /// existed from start to end was delivered for certain.
    ///
    /// Throws ``MarketError``, and the errors of `rows` and `problem`.
    package func walkPages<Rows: PageRows>(
        collecting empty: Rows,
        rows deliver: (inout Rows) async throws -> Void,
        problem: (RowProblem) async throws -> Void
    ) async throws -> CatalogSummary {
        let ahead = configuration.parallelism
        let log = configuration.replyLog
        let interrupted = try await interruptedReading()
        let askedTotal = try await totalAskedApart()
        // Whether kept replies are read instead of sending requests.
        var isCatchingUp = interrupted != nil
        var isFromCache = false
        var missing = Set(wire.products.columns.keys)
        // The kept replies answer the requests of the interrupted run, so this run must send the same ones.
        // As many more requests wait for a connection as there are connections; the pool never opens more.
        let window = interrupted?.parallelism ?? ahead
        let pageSize = wire.pageSize(configuration.pageSize)
        var walk = CatalogWalk(ListTraits(wire.market), pageSize: pageSize, ahead: window, queued: window)
        return try await withThrowingTaskGroup(of: (Int, Reply<Rows>).self) { group in
            // The wanted pages that may be among the kept ones.
            var wanted: [Int: PageAddress] = [:]
            // The rows of received pages, until the walk decides which to deliver.
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
                    case .finish(var summary):
                        summary.isFromCache = isFromCache
                        summary.missing = missing
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
                    // A first page without a body was accepted because of other replies, which are not kept.
                    if let body, number > 1 || body.readableBytes > 0 {
                        log?.keep(page: kept, body.readableBytesUInt8Span)
                    }
                    isFromCache = isFromCache || page.isFromCache
                    if page.rowCount > 0 { missing.formIntersection(page.missing) }
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

    private func reply<Rows: PageRows>(
        to address: PageAddress,
        number: Int,
        collecting empty: Rows
    ) async throws -> Reply<Rows> {
        do {
            let read = try await page(address, number: number, collecting: empty)
            return .page(read.page, read.rows, read.reply, configuration.replyLog == nil ? nil : read.body)
        } catch let error as MarketError where error.refusesPage {
            let kept = KeptReply(number: number, request: address.kept, status: error.status ?? 0, isRefusal: true)
            return .refusal(error, kept)
        }
    }

    /// The next kept reply of an interrupted run; `nil` after the last one.
    ///
    /// It must be of a wanted page.
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

    /// Checks that the list had no fewer products than the market's separate total, before and after reading.
    private func requireAsMany(as askedTotal: Int?, in summary: CatalogSummary) async throws {
        guard let askedTotal, summary.isComplete, summary.rows < askedTotal, let now = try await totalAskedApart(),
            summary.rows < now
        else { return }
        throw MarketError(
            .unreadable,
            "the market counts \(counted(min(askedTotal, now), "product")) apart from its list, which shows \(summary.rows)"
        )
    }

    private enum Reply<Rows: PageRows>: Sendable {
        case page(LivePage, Rows, KeptReply, ByteBuffer?)
        case refusal(MarketError, KeptReply)
    }

    /// The interrupted run that this one continues; `nil` if there is none, or the catalog has changed.
    private func interruptedReading() async throws -> EarlierReading? {
        guard let log = configuration.replyLog, let earlier = try log.earlier() else { return nil }
        guard try await matches(earlier) else {
            log.restart()
            return nil
        }
        log.resume()
        return earlier
    }

    /// Whether the pages that verify an interrupted run are unchanged.
    private func matches(_ earlier: EarlierReading) async throws -> Bool {
        for mark in earlier.marks {
            guard let address = PageAddress(kept: mark.reply.request) else { return false }
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

    private func read<Rows: PageRows>(_ kept: KeptPage, collecting empty: Rows) throws -> (LivePage, Rows) {
        var rows = empty
        let reader = PageReader(wire, page: kept.reply.number)
        do {
            let page = try reader.read(kept.reply, kept.body.span, collecting: &rows)
            guard page.isPage else { throw Self.brokenLog }
            return (page, rows)
        } catch is JSONError {
            throw Self.brokenLog
        }
    }

    private static var brokenLog: MarketError {
        MarketError(.unreadable, "the replies that an interrupted run has kept do not fit together: run it again")
    }

    /// A row with its detail: without a product if the detail counts as deleted, without a detail if it is gone.
    private typealias CompletedRow = (
        product: LiveProduct?, faults: [RowProblem], isThere: Bool, shown: Set<CatalogColumn>
    )

    /// Completes rows with their details, several at a time, in the same order.
    private func withDetails(_ products: [LiveProduct]) async throws -> [CompletedRow] {
        var results: [CompletedRow] = products.map { ($0, [], isThere: true, shown: []) }
        let log = configuration.replyLog
        var missing: [Int] = []
        for (index, product) in products.enumerated() where !product.isWhole {
            guard let kept = try log?.product(product.id) else {
                missing.append(index)
                continue
            }
            results[index] = completed(product, by: try kept.body.flatMap { try readDetail($0.span) })
        }
        try await forEachConcurrently(missing, width: configuration.parallelism) { index in
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

    private func completed(_ product: LiveProduct, by detail: ProductReader.Row?) -> CompletedRow {
        if detail?.isAbsent == true { return (nil, [], isThere: true, shown: []) }
        let place = "product \(product.id)"
        guard let detail, let full = detail.product else {
            let fault = RowProblem(id: product.id, place: place, message: "it vanished before its detail was read")
            return (product, [fault], isThere: false, shown: [])
        }
        let faults = detail.faults.map { RowProblem(id: product.id, place: place, message: $0) }
        return (product.completed(by: full), faults, isThere: true, shown: detail.shown)
    }

    /// The detail of a product in the list, which v1 hides for a while after a write.
    private func settledDetail(_ id: MarketID) async throws -> (row: ProductReader.Row, body: ByteBuffer)? {
        if let row = try await detail(id) { return row }
        let hiding = configuration.profile.capabilities.readAfterWriteDelay
        guard hiding > .zero else { return nil }
        try await configuration.clock.sleep(for: hiding)
        return try await detail(id)
    }
}

extension MarketError {
    /// Whether the market refuses a page because its token is too old or its row is gone.
    var refusesPage: Bool { code != .unreadable && status.map { [400, 404, 410, 422].contains($0) } ?? false }
}
