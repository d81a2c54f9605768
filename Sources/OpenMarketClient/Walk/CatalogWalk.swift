import OpenMarket

/// Decides which pages to read so that every product that existed from start to end is delivered exactly once, although
/// others write meanwhile and pages are read several at a time.
///
/// Pure: pages in, actions out.
///
/// **Where the market reports totals (v2).** There are three proofs that nothing is missing.
///
/// *By rank*, in one pass, for a list that shows its newest first. An insert moves every row towards later pages and a
/// delete moves the older ones back. A row's *rank from the end*, the total minus the rows before it, does not change with
/// inserts, because they raise both alike; only the delete of an older row lowers it. Every page therefore covers a known
/// stretch of ranks, however many inserts there were. A pass is complete when
/// - its rows came in such an order (``ListOrder``), and repeated themselves only while the total grew,
/// - the stretches cover all ranks of the pass's first page (what is left open is read again by its rank),
/// - no product older than the pass was deleted meanwhile. Page 1, read once more at the end, proves that: the total is
///   the first one plus exactly the newer rows, and the older rows on it are as they were, and
/// - there were as many different rows as that first page counted.
/// A list of one page is complete by itself when it shows as many as it counts.
///
/// *By numbers*, in several passes, for a list of falling numbers that others delete from: see ``NumberCoverage``. The
/// pages of each pass are a little smaller, so that the seams between two of them fall within one of another.
///
/// *By sightings*, in several passes, for any order: see ``Sightings``.
///
/// **Where it does not (v1)**, or where the totals contradict the pages they are on. Nothing in a page says what
/// happened to the others. The list is read from start to end twice; two passes that saw the same ids at the same places
/// prove that this was the list at the moment between them (a double collect). An end must be said in the API's own words
/// there, because nothing else would show that it came early.
///
/// Otherwise another pass follows. In every pass each row is delivered that no earlier one delivered, so a pass that was in
/// vain still brings rows.
struct CatalogWalk {
    /// What is to be done next, in this order.
    enum Action {
        /// Read a page of so many rows, and hand it to ``received(_:number:)``.
        case fetch(Int, size: Int)
        /// Hand on the rows at these places of a page, as it was received last.
        case deliver(page: Int, rows: [Int], [RowProblem])
        /// All is read, and nothing is outstanding.
        case finish(CatalogSummary)
        /// The list cannot be read.
        case fail(MarketError)
    }

    /// No list has more pages than this.
    static let maximumPages = 1_000_000
    /// How many pages in a row may bring nothing new before the list is taken to repeat itself.
    ///
    /// Newest first, inserts push rows that were read onto the next pages, so there it takes more.
    private var maximumStalePages: Int { countsRows ? 50 : 5 }

    /// With more pages than these to repair, reading all again is as good.
    private static let maximumRepairs = 64

    private enum Phase {
        case pages
        case repair
        case closing
        case ended
    }

    private var ahead: Int
    private var queued: Int
    private let maximumPasses: Int
    private let reportsTotals: Bool
    private var pageSize: Int
    /// The rows of a page of the first pass.
    private let fullPageSize: Int
    /// Whether page 1 said how many rows a page has, so that a market which takes no other size shows it.
    private var tellsPageSize = false
    private var numbers = NumberCoverage()
    private var summary = CatalogSummary()
    private var sightings = Sightings()
    /// Whether totals and pages ever contradicted each other, so that totals prove nothing.
    private var doubtsTotals = false
    /// Whether all totals were the same.
    private var isSteady = true
    private var steadyTotal: Int?
    /// How many problems of rows without a number were handed on.
    private var reportedWithoutID = 0
    /// Whether some pass showed its rows in no order.
    private var sawDisorder = false

    // Of the pass that runs.
    private var phase = Phase.pages
    private var pass = 0
    private var nextFetch = 1
    private var nextPage = 1
    private var outstanding: Set<Int> = []
    private var arrived: [Int: LivePage] = [:]
    /// The last page that has rows, as far as it is known.
    private var lastPage: Int?
    private var stalePages = 0
    private var coverage = RankCoverage()
    private var repairRounds = 0
    private var order = ListOrder()
    private var unreadableCount = 0
    private var withoutID = 0
    private var duplicates = 0
    /// What page 1 counted; `nil` where it did not, or is not believed.
    private var firstTotal: Int?
    /// What page 1 counted, believed or not: fewer products than this are never all of them.
    private var claim = 0
    private var totalVaried = false
    private var latestTotal = 0
    private var firstIDs: [ProductID] = []
    private var firstRowCount = 0
    /// Whether page 1 said that another follows.
    private var firstGoesOn = false
    /// What the pass saw, in order; two passes that saw the same have the same.
    private var trace = Trace()
    private var previousTrace: Trace?
    /// Whether the last two passes differed in nothing but rows that cannot be read.
    private var onlyUnreadableRowsVary = false

    private struct Trace: Equatable {
        var rows = 0
        var hash = FNVHash()
        /// Of what could be read of it.
        var ids = FNVHash()
        var hasDuplicates = false

        mutating func add(_ value: UInt64) { hash.add(word: value) }

        mutating func add(_ id: ProductID) {
            let value = UInt64(bitPattern: id.rawValue)
            hash.add(word: value)
            ids.add(word: value)
        }
    }

    /// A walk that has read nothing yet.
    ///
    /// - Parameters:
    ///   - pageSize: rows asked for a page.
    ///   - reportsTotals: whether the profile's pages say how many products there are in all.
    ///   - ahead: how many pages may be read or waiting at once.
    ///   - queued: how many more may be asked for once it is known that they are there, so that a connection that gets free
    ///     has its next page at once.
    ///   - maximumPasses: how often the list may be read before it is given up as never holding still.
    init(pageSize: Int, reportsTotals: Bool, ahead: Int, queued: Int = 0, maximumPasses: Int = 10) {
        self.pageSize = pageSize
        fullPageSize = pageSize
        self.reportsTotals = reportsTotals
        self.ahead = max(1, ahead)
        self.queued = queued
        self.maximumPasses = maximumPasses
    }

    /// Reads so many pages at once from here on.
    mutating func read(ahead: Int, queued: Int) {
        self.ahead = max(1, ahead)
        self.queued = queued
    }

    mutating func start() -> [Action] {
        beginPass()
        return fetches()
    }

    /// Takes in a page that was fetched.
    mutating func received(_ page: LivePage, number: Int) -> [Action] {
        outstanding.remove(number)
        summary.pages += 1
        switch phase {
        case .closing: return close(page)
        case .ended: return []
        case .repair:
            var actions: [Action] = []
            take(page, number: number, &actions)
            return actions + (outstanding.isEmpty ? endOfPages() : [])
        case .pages:
            arrived[number] = page
            var deliveries: [Action] = []
            while let page = arrived.removeValue(forKey: nextPage) {
                // Behind the end, pages that were fetched on the chance of being there mean nothing.
                if lastPage.map({ nextPage <= $0 }) ?? true {
                    // Nothing is behind an empty page, unless it is the first and says that there is.
                    if page.rowCount == 0, nextPage > 1 || page.total ?? 0 == 0 {
                        guard countsRows || page.provesItsEnd else { return deliveries + [unprovenEnd()] }
                        lastPage = nextPage - 1
                    } else {
                        take(page, number: nextPage, &deliveries)
                    }
                }
                nextPage += 1
                if let failure = endlessness() { return deliveries + [failure] }
            }
            let wanted = fetches()
            if outstanding.isEmpty, wanted.isEmpty { return deliveries + endOfPages() }
            // First what keeps the market busy, then what keeps us busy.
            return wanted + deliveries
        }
    }

    /// Whether this pass proves itself by ranks.
    private var countsRows: Bool { firstTotal != nil }

    private mutating func beginPass() {
        pass += 1
        if pass > 1, countsRows, tellsPageSize, !sawDisorder {
            // Never less than half, and another one each time: 100, 99, 97, 94, 90.
            pageSize = fullPageSize - pass * (pass - 1) / 2 % ((fullPageSize + 1) / 2)
        }
        sightings.beginPass()
        summary.passes = pass
        phase = .pages
        nextFetch = 1
        nextPage = 1
        lastPage = nil
        stalePages = 0
        coverage = RankCoverage()
        repairRounds = 0
        order = ListOrder()
        unreadableCount = 0
        withoutID = 0
        duplicates = 0
        firstTotal = nil
        claim = 0
        totalVaried = false
        firstIDs = []
        trace = Trace()
    }

    /// Pages to ask for now.
    private mutating func fetches() -> [Action] {
        // Totals come with the first page; without them the window grows with what has come.
        let hasFirst = nextPage > 1
        let window = reportsTotals && !hasFirst ? 1 : countsRows ? ahead + queued : min(ahead, nextPage)
        var actions: [Action] = []
        while outstanding.count + arrived.count < window, nextFetch <= lastPage ?? .max {
            outstanding.insert(nextFetch)
            actions.append(.fetch(nextFetch, size: pageSize))
            nextFetch += 1
        }
        return actions
    }

    /// Takes in the rows of a page, in the order of the pages.
    private mutating func take(_ page: LivePage, number: Int, _ actions: inout [Action]) {
        if number == 1, phase == .pages { takeFirst(page) }
        if countsRows, let total = page.total, (number - 1) * pageSize + page.rowCount > total, page.rowCount > 0 {
            // More rows than are counted: they are counted by the end of the list, as where nothing is counted.
            doubtTotals()
        }
        if countsRows { addRanks(of: page, number: number) }
        let fresh = takeRows(of: page)
        let problems = problemsToReport(of: page, fresh: fresh)
        if !fresh.isEmpty || !problems.isEmpty { actions.append(.deliver(page: number, rows: fresh, problems)) }
    }

    /// Takes note of the ranks that a page covers: where rows are counted, all ranks together prove a pass.
    private mutating func addRanks(of page: LivePage, number: Int) {
        let total = page.total ?? latestTotal
        if total != firstTotal {
            summary.catalogMoved = true
            totalVaried = true
        }
        note(total)
        latestTotal = total
        let firstIndex = (number - 1) * pageSize
        coverage.add(firstIndex: firstIndex, count: page.rowCount, total: total)
        let isLast = page.rowCount < pageSize && firstIndex + page.rowCount == page.total
        numbers.add(page.ids, isFirst: number == 1, isLast: isLast)
        lastPage = max(lastPage ?? 1, (total + pageSize - 1) / pageSize)
    }

    /// Takes note of a page's rows and of their order; returns the places of those that no page showed before.
    private mutating func takeRows(of page: LivePage) -> [Int] {
        var fresh: [Int] = []
        fresh.reserveCapacity(page.ids.count)
        var isStale = page.rowCount > 0
        // A page that is read again by rank has no order with those before it.
        var order = phase == .pages ? self.order : ListOrder()
        trace.rows += page.rowCount
        trace.add(UInt64(page.rowCount))
        for (place, id) in page.ids.enumerated() {
            trace.add(id)
            let novelty = sightings.see(id)
            guard novelty != .repeated else {
                summary.duplicates += 1
                duplicates += 1
                summary.catalogMoved = true
                trace.hasDuplicates = true
                continue
            }
            isStale = false
            order.add(id, day: page.days[place])
            guard novelty == .new else { continue }
            if pass > 1 { summary.catalogMoved = true }
            fresh.append(place)
        }
        for unreadableRow in page.unreadableRows {
            trace.add(unreadableRow)
            sightings.see(unreadableRow: unreadableRow)
        }
        if phase == .pages {
            unreadableCount += page.rowCount - page.ids.count
            self.order = order
        }
        if !order.isNewestFirst { sawDisorder = true }
        // By days, an old number may be among the new ones, and what is between the two on another page.
        if !order.fallsByID { numbers.distrust() }
        stalePages = isStale ? stalePages + 1 : 0
        summary.rows += fresh.count
        return fresh
    }

    /// What is wrong with a page's rows and was not reported yet.
    ///
    /// It is reported once, like the row. Rows without a number are distinguished by how many there are: one that only a later
    /// pass shows may be a product that no pass delivered.
    private mutating func problemsToReport(of page: LivePage, fresh: [Int]) -> [RowProblem] {
        var problems = page.problems
        if pass > 1 || fresh.count < page.ids.count {
            let ids = Set(fresh.map { page.ids[$0] })
            problems = problems.filter { problem in
                if let id = problem.id { return ids.contains(id) }
                withoutID += 1
                return withoutID > reportedWithoutID
            }
        } else {
            withoutID += problems.count { $0.id == nil }
        }
        reportedWithoutID = max(reportedWithoutID, withoutID)
        return problems
    }

    private mutating func takeFirst(_ page: LivePage) {
        firstIDs = page.ids
        firstRowCount = page.rowCount
        firstGoesOn = page.hasNext == true || page.lastPage ?? 1 > 1
        guard reportsTotals, let total = page.total else { return }
        claim = total
        if let size = page.pageSize, size > 0 {
            pageSize = size
            tellsPageSize = true
        }
        // A full page follows a first one that is not full, or pages follow that are not counted.
        let isContradictory =
            total < page.rowCount || firstGoesOn && total <= page.rowCount
            || page.rowCount > 0 && page.rowCount < min(pageSize, total)
        guard !isContradictory, !doubtsTotals else {
            doubtsTotals = true
            return
        }
        firstTotal = total
        latestTotal = total
        note(total)
        sightings.noteTotal(total)
    }

    /// Takes the market's counts for worth nothing from here on.
    private mutating func doubtTotals() {
        doubtsTotals = true
        firstTotal = nil
        lastPage = nil
    }

    private mutating func note(_ total: Int) {
        if steadyTotal.map({ $0 != total }) ?? false { isSteady = false }
        steadyTotal = total
    }

    /// An end that anything before the market may have made up.
    private mutating func unprovenEnd() -> Action {
        phase = .ended
        let what = nextPage == 1 ? "that the catalog is empty" : "that the list ends there"
        return .fail(
            MarketError(
                .unreadable,
                "page \(nextPage) of the market's list is empty, and not in the words of its API: nothing proves \(what)"
            )
        )
    }

    /// A list that goes on forever.
    private mutating func endlessness() -> Action? {
        if stalePages >= maximumStalePages {
            phase = .ended
            return .fail(MarketError(.unreadable, "the market's list repeats itself at page \(nextPage - 1)"))
        }
        if nextPage > Self.maximumPages {
            phase = .ended
            return .fail(MarketError(.unreadable, "the market's list has more than \(Self.maximumPages) pages"))
        }
        return nil
    }

    /// All pages of the pass are here.
    private mutating func endOfPages() -> [Action] {
        guard let firstTotal else { return endOfTracedPass() }
        if sightings.coverAMoment {
            // As many as were counted all the time are all that there ever were: the list was shuffled, not changed.
            summary.catalogMoved = !isSteady || sightings.count != firstTotal
            return finish(isComplete: true)
        }
        guard !sawDisorder, totalVaried || duplicates == 0 else { return nextPass() }
        // One page is the list at one moment.
        if firstTotal <= firstRowCount { return isFull ? finish(isComplete: true) : nextPass() }
        let gaps = coverage.gaps(upTo: firstTotal)
        if !gaps.isEmpty {
            summary.catalogMoved = true
            var pages: Set<Int> = []
            for gap in gaps {
                // Where these ranks are now, as far as is known. Beyond the newest row, only deletes explain them.
                let first = max(0, latestTotal - gap.upperBound)
                let last = latestTotal - gap.lowerBound
                guard last >= 0, last / pageSize - first / pageSize <= Self.maximumRepairs else { return nextPass() }
                pages.formUnion(first / pageSize + 1...last / pageSize + 1)
            }
            repairRounds += 1
            guard repairRounds <= 8, pages.count <= Self.maximumRepairs else { return nextPass() }
            phase = .repair
            outstanding = pages
            return pages.sorted().map { .fetch($0, size: pageSize) }
        }
        phase = .closing
        outstanding = [1]
        return [.fetch(1, size: pageSize)]
    }

    /// Whether this pass showed as many different rows as its first page counted.
    private var isFull: Bool { sightings.distinct(countingEachOf: unreadableCount) >= claim }

    /// Page 1 again: whether anything older than this pass was deleted or moved.
    private mutating func close(_ page: LivePage) -> [Action] {
        let total = page.total ?? latestTotal
        note(total)
        let newest = firstIDs.max()
        let older = page.ids.filter { id in newest.map { id <= $0 } ?? false }
        let inserted = page.ids.count - older.count
        if total != firstTotal || inserted > 0 { summary.catalogMoved = true }
        let nothingDeleted = firstTotal.map { $0 + inserted == total } ?? false
        let nothingMoved = !older.isEmpty && older[...] == firstIDs.prefix(older.count)
        if nothingDeleted, nothingMoved, isFull { return finish(isComplete: true) }
        summary.catalogMoved = true
        return nextPass()
    }

    /// The end of a pass without totals.
    private mutating func endOfTracedPass() -> [Action] {
        if isFull, !trace.hasDuplicates {
            // An empty list, or a page that is not full: the list at one moment.
            if trace.rows == 0 || lastPage == 1 && trace.rows < pageSize && !firstGoesOn {
                return finish(isComplete: true)
            }
            if previousTrace == trace { return finish(isComplete: true) }
        }
        if let previousTrace, previousTrace != trace {
            onlyUnreadableRowsVary = previousTrace.rows == trace.rows && previousTrace.ids == trace.ids
            if !onlyUnreadableRowsVary { summary.catalogMoved = true }
        }
        previousTrace = trace
        return nextPass()
    }

    private mutating func nextPass() -> [Action] {
        if countsRows, numbers.isWhole, sightings.count >= claim {
            summary.catalogMoved = true
            return finish(isComplete: true)
        }
        // What is only shuffled is whole in the end, if it is looked at often enough.
        let isShuffled = sawDisorder && isSteady && firstTotal != nil
        guard pass < (isShuffled ? 3 : 1) * maximumPasses else { return giveUp() }
        beginPass()
        return fetches()
    }

    /// The list never came whole.
    private mutating func giveUp() -> [Action] {
        if onlyUnreadableRowsVary, unreadableCount > 0 {
            phase = .ended
            let others = unreadableCount == 1 ? "another one" : "others"
            return [
                .fail(
                    MarketError(
                        .unreadable,
                        "\(counted(unreadableCount, "row")) of the market's list cannot be understood, and \(others) at every reading: nothing proves that the list is whole"
                    )
                )
            ]
        }
        guard isSteady, claim > sightings.count else { return finish(isComplete: false) }
        phase = .ended
        return [
            .fail(
                MarketError(
                    .unreadable,
                    "the market counts \(counted(claim, "product")) and shows \(sightings.count), however often its list is read"
                )
            )
        ]
    }

    private mutating func finish(isComplete: Bool) -> [Action] {
        phase = .ended
        summary.isComplete = isComplete
        return [.finish(summary)]
    }
}
