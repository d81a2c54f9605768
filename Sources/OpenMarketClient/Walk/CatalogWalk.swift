import OpenMarket
import OpenMarketDescription

/// Decides which pages to read so that every product that existed from start to end is delivered exactly once.
///
/// Others may write to the catalog during the walk, and several pages may be read at a time. This type does no I/O: it
/// takes pages and returns actions.
///
/// A market's description states how its list is cut into pages, and which completeness proofs can be tried
/// (``ListTraits``). The summary states which of them held. Numbered pages are read several at a time. The address of
/// any other page is found only through the page before it (``PageChain``).
///
/// **If pages begin after a row**, the order of the rows proves the list complete in one pass: see ``KeysetOrder``.
///
/// **If one reply is the whole list**, it is a snapshot of one moment.
///
/// **If the market reports totals**, there are three proofs that all products were read.
///
/// *By rank*, in one pass, for a numbered list with its newest rows first. An insert moves every row towards later
/// pages, and a delete moves the older rows back. A row's *rank from the end* is the total minus the number of rows
/// before it. Inserts do not change it, because they raise both numbers alike. Only the delete of an older row lowers
/// it. Every page therefore covers a fixed range of ranks, regardless of inserts. A pass is complete if
/// - its rows came in such an order (``ListOrder``), and repeated themselves only while the total grew,
/// - the ranges cover all ranks of the pass's first page (gaps are read again by their rank),
/// - no product older than the pass was deleted meanwhile. Page 1, read once more at the end, proves that: the total is
///   the first one plus exactly the newer rows, and the older rows on it are unchanged, and
/// - there were as many different rows as that first page counted.
///
/// A list of one page is complete by itself if it shows as many rows as it counts.
///
/// *By numbers*, in several passes, for a list of falling or rising numbers that others delete from, also without
/// totals. The market must state on its last page that it is the last: see ``NumberCoverage``. The pages of each pass
/// are a little smaller, so that a boundary between two pages falls within a page of another pass. If no other size can
/// be requested, the boundaries still move: each row added or removed before a boundary shifts it by one.
///
/// *By sightings*, in several passes, for any order: see ``SeenIDs``.
///
/// **If it does not**, or if the totals contradict the pages they are on, no page shows what happened to the others.
/// The list is read from start to end twice. Two passes with the same ids at the same positions prove that this was the
/// list at the moment between them (a double collect). The API itself must then state the end, because nothing else
/// would show that it came early. A page with few rows does not count as the end.
///
/// Without a proof another pass follows. Each pass delivers the rows that no earlier pass delivered, so a pass without
/// a proof still adds rows.
struct CatalogWalk {
    /// The next actions, in the order to perform them.
    enum Action {
        /// Read a page and pass it to ``received(_:number:)`` with this number, which counts the pages of the pass from
        /// 1.
        case fetch(Int, PageAddress)
        /// Deliver the rows at these positions of the page, as last received.
        case deliver(page: Int, rows: [Int], [RowProblem])
        /// Everything is read, and no request is outstanding.
        case finish(CatalogSummary)
        case fail(MarketError)
    }

    static let maximumPages = 1_000_000
    /// How many consecutive pages may lack new rows before the list is assumed to repeat itself.
    ///
    /// If the newest rows come first, inserts push rows that were read onto the next pages, so the limit is higher.
    private var maximumStalePages: Int { countsRows ? 50 : 5 }
    /// How often a list is started again after its pages stop leading on.
    private static let maximumRestarts = 3

    let form: ListTraits
    let maximumPasses: Int
    private var ahead: Int
    private var queued: Int
    var pageSize: Int
    /// The number of rows per page in the first pass.
    private var fullPageSize: Int
    /// Whether the market uses its own page size, regardless of the request.
    private var ignoresSize = false

    /// The state of the current pass; the properties below cover all passes.
    var pass: WalkPass
    var summary = CatalogSummary()
    var sightings = SeenIDs()
    var numbers: NumberCoverage
    var keyset: KeysetOrder
    private var mention = NextPageMention()
    var hasMoved = false
    /// Whether totals and pages ever contradicted each other, so that totals cannot be a proof.
    var doubtsTotals = false
    /// The total of the latest page that counts; ``isSteady`` states whether all totals were equal.
    private(set) var latestTotal: Int?
    private(set) var isSteady = true
    private(set) var sawDisorder = false
    /// Whether some pass reached the end of the list: rows that only a later pass shows are new.
    var hasReadToEnd = false
    private var restarts = 0
    /// How many problems of rows without a number were delivered.
    private var reportedWithoutID = 0
    var previousTrace: ReadingTrace?

    /// A walk before its first page.
    ///
    /// `pageSize` is the number of rows per page if it differs from the description. `ahead` is how many pages may be
    /// read or waiting at once. `queued` is how many more may be requested once they are known to exist, so that a free
    /// connection gets its next page at once. After `maximumPasses` passes without a proof, the walk gives up.
    init(_ form: ListTraits, pageSize: Int? = nil, ahead: Int, queued: Int = 0, maximumPasses: Int = 10) {
        self.form = form
        self.pageSize = max(1, pageSize ?? form.pageSize)
        fullPageSize = self.pageSize
        self.ahead = max(1, ahead)
        self.queued = queued
        self.maximumPasses = maximumPasses
        pass = WalkPass(0, of: form, pageSize: self.pageSize)
        numbers = NumberCoverage(form.order?.direction ?? .falling)
        keyset = KeysetOrder(form)
    }

    mutating func read(ahead: Int, queued: Int) {
        self.ahead = max(1, ahead)
        self.queued = queued
    }

    mutating func start() -> [Action] { beginPass() }

    mutating func received(_ page: LivePage, number: Int) -> [Action] {
        pass.outstanding.remove(number)
        summary.pages += 1
        switch pass.phase {
        case .closing: return close(page)
        case .behind: return lookBehind(page)
        case .ended: return []
        case .repair:
            var actions: [Action] = []
            take(page, number: number, &actions)
            return actions + (pass.outstanding.isEmpty ? endOfPages() : [])
        case .pages:
            pass.arrived[number] = page
            var deliveries: [Action] = []
            while var page = pass.arrived.removeValue(forKey: pass.nextPage) {
                mention.settle(&page)
                do throws(MarketError) {
                    // Pages after the end, requested speculatively, are ignored.
                    if pass.lastPage.map({ pass.nextPage <= $0 }) ?? true {
                        if form.isNumbered {
                            try takeNumbered(page, &deliveries)
                        } else {
                            try takeChained(page, &deliveries)
                        }
                    }
                    try requireProgress()
                } catch {
                    return deliveries + fail(error)
                }
                pass.nextPage += 1
            }
            let wanted = fetches()
            if pass.outstanding.isEmpty, wanted.isEmpty { return deliveries + endOfPages() }
            // Requests come before deliveries, so that the market works in the meantime.
            return wanted + deliveries
        }
    }

    /// Continues after the market refused a page because the token or row in the request is too old or gone.
    ///
    /// `nil` if that cannot happen to this list.
    mutating func refused(number: Int) -> [Action]? {
        if form.mayRefuseEnd, pass.phase == .pages, !countsRows, number == pass.nextPage, mention.isUncertain {
            // The previous page names no next one, and there is none.
            return received(LivePage(), number: number)
        }
        guard !form.isNumbered, form.style != .whole, number > 1, restarts < Self.maximumRestarts else { return nil }
        restarts += 1
        return beginPass()
    }

    /// The total on page 1, trusted or not: fewer products than this are never all of them.
    var claim: Int { form.reportsTotals ? pass.firstPage.total ?? 0 : 0 }

    /// The total on page 1; `nil` if there is none, or it is not trusted.
    var firstTotal: Int? { doubtsTotals || claim == 0 ? nil : claim }

    /// Whether totals are trusted in this pass.
    var countsRows: Bool { firstTotal != nil }

    mutating func beginPass() -> [Action] {
        let number = pass.number + 1
        if number > 1, countsRows ? !sawDisorder : form.proofs.contains(.numbers) && numbers.isOrdered,
            form.canChangeSize, !ignoresSize
        {
            // Without totals, two consecutive passes have the same size, so that they can agree.
            let step = countsRows ? number : (number + 1) / 2
            // Never less than half, and different in each pass: 100, 99, 97, 94, 90.
            pageSize = fullPageSize - step * (step - 1) / 2 % ((fullPageSize + 1) / 2)
        }
        pass = WalkPass(number, of: form, pageSize: pageSize)
        summary.passes = number
        sightings.beginPass()
        keyset.begin()
        return fetches()
    }

    mutating func fetches() -> [Action] {
        guard form.isNumbered else {
            guard pass.outstanding.isEmpty, pass.nextFetch <= pass.lastPage ?? .max, let address = pass.nextAddress
            else { return [] }
            pass.outstanding = [pass.nextFetch]
            defer { pass.nextFetch += 1 }
            return [.fetch(pass.nextFetch, address)]
        }
        // Totals come with the first page; without them the window grows with the pages received.
        let hasFirst = pass.nextPage > 1
        let window =
            if form.reportsTotals, !hasFirst {
                1
            } else if countsRows {
                ahead + queued
            } else if form.hasPastEnd || pass.lastPage != nil {
                min(ahead, pass.nextPage)
            } else {
                // The market's reply after its last page is not described.
                1
            }
        var actions: [Action] = []
        while pass.outstanding.count + pass.arrived.count < window, pass.nextFetch <= pass.lastPage ?? .max {
            pass.outstanding.insert(pass.nextFetch)
            actions.append(.fetch(pass.nextFetch, .number(pass.nextFetch, size: pageSize)))
            pass.nextFetch += 1
        }
        return actions
    }

    private mutating func takeNumbered(_ page: LivePage, _ actions: inout [Action]) throws(MarketError) {
        let number = pass.nextPage
        // An empty page is the last one, unless it is the first and its total contradicts that.
        if page.rowCount == 0, number > 1 || page.total ?? 0 == 0 {
            guard countsRows || page.provesItsEnd || form.proofs.isEmpty else { throw PageChain.unprovenEnd(number) }
            pass.lastPage = number - 1
            if number == 1 { pass.firstPage = page }
            return
        }
        take(page, number: number, &actions)
        guard !countsRows, !form.hasPastEnd else { return }
        // Otherwise the end of the list is not visible.
        if page.hasNext == false {
            pass.lastPage = number
        } else if page.hasNext == nil, let last = page.lastPage {
            pass.lastPage = max(number, last)
        }
    }

    private mutating func takeChained(_ page: LivePage, _ actions: inout [Action]) throws(MarketError) {
        let number = pass.nextPage
        if form.style == .keyset { keyset.add(page) }
        take(page, number: number, &actions)
        pass.nextAddress = try pass.chain.address(behind: page, number: number, size: pageSize)
        if pass.nextAddress == nil { pass.lastPage = number }
    }

    private mutating func take(_ page: LivePage, number: Int, _ actions: inout [Action]) {
        if number == 1, pass.phase == .pages { takeFirst(page) }
        if form.isNumbered, countsRows, let total = page.total, page.rowCount > 0 {
            // More rows than the total: only the end of the list shows their number.
            let countsFewer = (number - 1) * pageSize + page.rowCount > total
            // By its count the page is the last one, but it states that another follows: the market caps the count.
            let goesOn = page.hasNext == true || page.hasNext == nil && page.lastPage ?? 0 > number
            if countsFewer || goesOn && number * pageSize >= total { doubtTotals() }
        }
        let isLast = addPlaces(of: page, number: number)
        let fresh = takeRows(of: page)
        // A last page that only repeats rows is not the end: the market may ignore the page parameter.
        if form.proofs.contains(.numbers) {
            numbers.add(page.ids, isFirst: number == 1, isLast: isLast && pass.stalePages == 0)
        }
        let problems = problemsToReport(of: page, fresh: fresh)
        if !fresh.isEmpty || !problems.isEmpty { actions.append(.deliver(page: number, rows: fresh, problems)) }
    }

    /// Records the ranks that a page covers; returns whether it seems to be the last one.
    private mutating func addPlaces(of page: LivePage, number: Int) -> Bool {
        var isLast = page.hasNext == false || page.next == .none || page.hasNext == nil && page.lastPage == number
        // A total on a page that begins after a row may count only the rows after it.
        if let firstTotal, form.style != .keyset || number == 1 {
            let total = page.total ?? latestTotal ?? firstTotal
            if total != firstTotal {
                hasMoved = true
                pass.totalVaried = true
            }
            note(total)
            if form.isNumbered {
                let firstIndex = (number - 1) * pageSize
                if page.rowCount > pageSize { pass.ranks = nil }
                let end = total - firstIndex + 1
                if end > 1 { pass.ranks?.insert(contentsOf: max(1, end - page.rowCount)..<end) }
                pass.lastPage = max(pass.lastPage ?? 1, (total + pageSize - 1) / pageSize)
                isLast = page.rowCount < pageSize && firstIndex + page.rowCount == page.total
            }
        }
        return isLast
    }

    /// Records a page's rows and their order; returns the positions of those that no page showed before.
    private mutating func takeRows(of page: LivePage) -> [Int] {
        var fresh: [Int] = []
        fresh.reserveCapacity(page.ids.count)
        var isStale = page.rowCount > 0 || !form.isNumbered
        // A page that is read again by rank is not in order with those before it.
        var order = pass.phase == .pages ? pass.order : ListOrder(form.order)
        pass.trace.addPage(rows: page.rowCount)
        for place in page.ids.indices {
            let id = page.ids[place]
            pass.trace.add(id)
            let novelty = sightings.see(id)
            guard novelty != .repeated else {
                summary.duplicates += 1
                pass.duplicates += 1
                hasMoved = true
                if pass.repeatedID == nil, page.ids[..<place].contains(id) { pass.repeatedID = id }
                continue
            }
            isStale = false
            order.add(id, key: page.orderKey(at: place))
            guard novelty == .new else { continue }
            if hasReadToEnd, pass.number > 1 { hasMoved = true }
            // Rows that count as deleted are evidence like the others.
            guard page.absent.isEmpty || !page.absent.contains(place) else { continue }
            fresh.append(place)
        }
        for unreadableRow in page.unreadableRows {
            pass.trace.add(unreadableRow: unreadableRow)
            sightings.see(unreadableRow: unreadableRow)
        }
        if pass.phase == .pages {
            pass.unreadableRows += page.rowCount - page.ids.count
            pass.order = order
        }
        if !order.isNewestFirst { sawDisorder = true }
        // If rows are ordered by date, an old number may be among the new ones, and numbers between the two on another
        // page.
        let isByNumber = form.order?.direction == .rising ? order.risesByID : order.fallsByID
        if !isByNumber { numbers.distrust() }
        pass.stalePages = isStale ? pass.stalePages + 1 : 0
        summary.rows += fresh.count
        return fresh
    }

    /// The problems of a page's rows that were not reported yet.
    ///
    /// Each is reported once, like the row. Rows without a number are distinguished only by their count. A row that
    /// only a later pass shows may be a product that no pass delivered.
    private mutating func problemsToReport(of page: LivePage, fresh: [Int]) -> [RowProblem] {
        var problems = page.problems
        if pass.number > 1 || fresh.count < page.ids.count {
            let ids = Set(fresh.map { page.ids[$0] })
            problems = problems.filter { problem in
                if let id = problem.id { return ids.contains(id) }
                pass.problemsWithoutID += 1
                return pass.problemsWithoutID > reportedWithoutID
            }
        } else {
            pass.problemsWithoutID += problems.count { $0.id == nil }
        }
        reportedWithoutID = max(reportedWithoutID, pass.problemsWithoutID)
        return problems
    }

    private mutating func takeFirst(_ page: LivePage) {
        pass.firstPage = page
        let total = form.reportsTotals ? page.total : nil
        fitPageSize(to: page, total: total)
        guard let total, !doubtsTotals else { return }
        if total < page.rowCount || form.isNumbered && pass.firstGoesOn && total <= page.rowCount {
            return doubtTotals()
        }
        note(total)
        sightings.noteTotal(total)
    }

    /// Adopts the row count of page 1 as the page size if it differs from the requested one.
    ///
    /// Many markets cap the size silently, and some use a fixed one.
    private mutating func fitPageSize(to page: LivePage, total: Int?) {
        if total != nil, let shown = page.pageSize, shown > 0 { pageSize = shown }
        guard form.isNumbered, page.rowCount > 0 else { return }
        if page.rowCount > pageSize {
            ignoresSize = true
            pageSize = page.rowCount
        } else if page.rowCount < min(pageSize, total ?? (form.style == .offset ? .max : 0)) {
            pageSize = page.rowCount
        }
        if pass.number == 1 { fullPageSize = pageSize }
    }

    /// Ignores the market's totals from now on.
    mutating func doubtTotals() {
        doubtsTotals = true
        pass.lastPage = nil
        // The assumed end relied on a total.
        hasReadToEnd = false
    }

    mutating func note(_ total: Int) {
        if let latestTotal, latestTotal != total { isSteady = false }
        latestTotal = total
    }

    /// Throws ``MarketError`` if the list seems to be endless.
    private func requireProgress() throws(MarketError) {
        if pass.stalePages >= maximumStalePages {
            throw MarketError(
                .unreadable,
                "the market's list repeats itself at page \(pass.nextPage)\(pass.repetition)"
            )
        }
        if pass.nextPage >= Self.maximumPages {
            throw MarketError(.unreadable, "the market's list has more than \(Self.maximumPages) pages")
        }
    }
}
