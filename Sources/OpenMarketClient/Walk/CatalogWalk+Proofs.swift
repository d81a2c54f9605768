import OpenMarket
import OpenMarketDescription

/// The completeness proofs from the pages of a pass, and the next actions without a proof.
extension CatalogWalk {
    mutating func endOfPages() -> [Action] {
        hasReadToEnd = true
        guard let strongest = form.proofs.first else { return finish(.unprovable, moved: hasMoved ? true : nil) }
        if form.style == .whole { return endOfWhole() }
        if form.proofs.contains(.keyset), keyset.isStrict, form.keysRise || pass.duplicates == 0 {
            return endOfKeyset()
        }
        guard let firstTotal, let latestTotal else { return endOfTracedPass() }
        if form.proofs.contains(.sightings), sightings.coverAMoment {
            // If the number of rows equals every total, these are all rows: the list was shuffled, not changed.
            return finish(.proved(.sightings), moved: !isSteady || sightings.count != firstTotal)
        }
        // A single page is a snapshot of one moment.
        if firstTotal <= pass.firstPage.rowCount, pass.lastPage == 1, pass.ranks != nil, pass.duplicates == 0,
            !sawDisorder || !usesRanks
        {
            if onlyCountEndsList { return fetch([2], in: .behind) }
            return isFull ? finish(.proved(strongest), moved: hasMoved) : nextPass()
        }
        guard usesRanks, !sawDisorder, let ranks = pass.ranks, pass.totalVaried || pass.duplicates == 0 else {
            return nextPass()
        }
        let gaps = RangeSet(1..<firstTotal + 1).subtracting(ranks).ranges
        if !gaps.isEmpty {
            hasMoved = true
            var pages: Set<Int> = []
            for gap in gaps {
                // The current position of these ranks, as far as read. Beyond the newest row, only deletes explain
                // them.
                let first = max(0, latestTotal - gap.upperBound + 1)
                let last = latestTotal - gap.lowerBound
                guard last >= 0, last / pageSize - first / pageSize <= Self.maximumRepairs else { return nextPass() }
                pages.formUnion(first / pageSize + 1...last / pageSize + 1)
            }
            pass.repairRounds += 1
            guard pass.repairRounds <= 8, pages.count <= Self.maximumRepairs else { return nextPass() }
            return fetch(pages, in: .repair)
        }
        return fetch([1], in: .closing)
    }

    private mutating func fetch(_ pages: Set<Int>, in phase: WalkPass.Phase) -> [Action] {
        pass.phase = phase
        pass.outstanding = pages
        return pages.sorted().map { .fetch($0, .number($0, size: pageSize)) }
    }

    /// Above this number of pages to repair, another pass is as good.
    private static var maximumRepairs: Int { 64 }
    /// How often a list whose order proves it complete may show fewer products than its count.
    private static var maximumShortfalls: Int { 5 }
    private static var usualLimits: Set<Int> { [10, 20, 25, 50, 100, 200, 250, 500, 1000] }

    private var usesRanks: Bool { form.proofs.contains(.ranks) }

    /// Whether only the count shows that page 1 is the last one, on a market that also answers after the last page.
    ///
    /// The number of rows is not a proof: markets give fewer rows than requested or described. Null as the next address
    /// does not prove the end by itself, but agrees with the count.
    private var onlyCountEndsList: Bool {
        let first = pass.firstPage
        return form.isNumbered && form.hasPastEnd && first.rowCount > 0 && first.hasNext == nil
            && first.namesNext == nil && first.lastPage == nil
    }

    /// Handles page 2 of a list that has one page by its count: some markets count only the rows of a page.
    mutating func lookBehind(_ page: LivePage) -> [Action] {
        let isFirstAgain =
            page.ids.allSatisfy(pass.firstPage.ids.contains)
            && page.unreadableRows.allSatisfy(pass.firstPage.unreadableRows.contains)
        let isEnd = page.rowCount == 0 || isFirstAgain
        guard isEnd else {
            doubtTotals()
            return beginPass()
        }
        guard isFull, let strongest = form.proofs.first else { return nextPass() }
        return finish(.proved(strongest), moved: hasMoved)
    }

    /// Whether this pass showed as many different rows as its first page counted.
    private var isFull: Bool { sightings.distinct(countingEachOf: pass.unreadableRows) >= claim }

    /// Handles page 1 read again, which shows whether a row older than this pass was deleted or moved.
    mutating func close(_ page: LivePage) -> [Action] {
        let total = page.total ?? latestTotal ?? 0
        note(total)
        let older = page.ids.indices.filter { !isNewer(page, row: $0) }
        let inserted = page.ids.count - older.count
        if total != firstTotal || inserted > 0 { hasMoved = true }
        let nothingDeleted = firstTotal.map { $0 + inserted == total } ?? false
        let nothingMoved = !older.isEmpty && older.map { page.ids[$0] }[...] == pass.firstPage.ids.prefix(older.count)
        if nothingDeleted, nothingMoved, isFull { return finish(.proved(.ranks), moved: hasMoved) }
        hasMoved = true
        return nextPass()
    }

    /// Whether a row was added after the first read of page 1, by its number or by its sort value.
    private func isNewer(_ page: LivePage, row: Int) -> Bool {
        if form.order?.includesID ?? false, let number = page.ids[row].number {
            return pass.firstPage.ids.allSatisfy { id in id.number.map { number > $0 } ?? false }
        }
        guard form.order?.isByID != true, let newest = pass.firstPage.orderKey(at: 0) else {
            return pass.firstPage.ids.first.map { OrderKey.relation(page.ids[row], $0) == .greater } ?? true
        }
        return page.orderKey(at: row).map { OrderKey.relation($0, newest) == .greater } ?? false
    }

    private mutating func endOfWhole() -> [Action] {
        if let repetitionOfRows { return fail(repetitionOfRows) }
        let shown = pass.firstPage.rowCount
        if let total = pass.firstPage.total, total != shown {
            return fail(
                "the market counts \(counted(total, "product")) and shows \(shown) in its only answer, according to its description"
            )
        }
        if Self.usualLimits.contains(shown) { summary.possibleLimit = shown }
        return finish(.proved(.whole), moved: false)
    }

    /// Ends a pass whose pages each began after the last row of the previous page, in strict order.
    private mutating func endOfKeyset() -> [Action] {
        guard isFull || !isSteady else {
            // Fewer rows than page 1 counted: some were deleted meanwhile, or the count has another meaning.
            return pass.number < Self.maximumShortfalls ? beginPass() : fail(shortfall)
        }
        return finish(.proved(.keyset), moved: hasMoved || !isSteady ? true : nil)
    }

    private mutating func endOfTracedPass() -> [Action] {
        if isFull, pass.duplicates == 0, let strongest = form.proofs.first {
            // An empty list, or a page that is first and last: a snapshot of one moment.
            if pass.trace.rows == 0 || pass.lastPage == 1 && isFirstPageAll {
                return finish(.proved(strongest), moved: hasMoved)
            }
            if previousTrace == pass.trace, keyset.tie == nil, form.proofs.contains(.twice) {
                return finish(.proved(.twice), moved: hasMoved)
            }
        }
        if let previousTrace, previousTrace != pass.trace { hasMoved = true }
        previousTrace = pass.trace
        return nextPass()
    }

    /// Whether page 1 is the last page: it states so, or has fewer rows than full pages.
    private var isFirstPageAll: Bool {
        let isShort = pass.trace.rows < pageSize && !pass.firstGoesOn
        guard !form.reportsTotals || !form.isNumbered else { return isShort }
        return pass.firstPage.hasNext == false || pass.firstPage.next == .none || form.hasFixedSize && isShort
    }

    /// Begins another pass unless the passes together prove the list, or no pass can prove it.
    private mutating func nextPass() -> [Action] {
        if form.proofs.contains(.numbers), countsRows || !doubtsTotals, numbers.isWhole, sightings.count >= claim {
            return finish(.proved(.numbers), moved: hasMoved || countsRows && usesRanks ? true : nil)
        }
        if let fault = hopelessness { return fail(fault) }
        // If a list is only shuffled, enough passes see all of it.
        let isShuffled = (sawDisorder || !usesRanks) && isSteady && countsRows
        if pass.number < (isShuffled ? 3 : 1) * maximumPasses { return beginPass() }
        if let repetitionOfRows { return fail(repetitionOfRows) }
        guard isSteady, claim > sightings.count else { return finish(.unsettled, moved: hasMoved) }
        return fail(shortfall)
    }

    /// Why no further pass can prove the list; `nil` if one may.
    private var hopelessness: String? {
        // If no other page size can be used, the boundaries between pages move only when the catalog changes.
        let numbersMayHold = form.proofs.contains(.numbers) && form.canChangeSize && numbers.isOrdered && !doubtsTotals
        guard !countsRows, !numbersMayHold else { return nil }
        if let tie = keyset.tie {
            return
                "two products have the '\(form.keyPlace)' \(tie), and the page behind one of them may leave the other out: the list cannot be proved complete"
        }
        guard !form.proofs.contains(.twice) else { return nil }
        if doubtsTotals {
            return
                "the market counts \(counted(claim, "product")), which its pages contradict, and its description does not give its answer behind the last page: the list cannot be proved complete"
        }
        if form.proofs.contains(.keyset) {
            guard !keyset.isStrict else { return nil }
            return
                "the rows do not come in the order of '\(form.keyPlace)', which pages are requested by: the list cannot be proved complete"
        }
        let what =
            form.reportsTotals ? "its pages do not show how many products there are" : "its rows come in no order"
        return "\(what), according to its description: the list cannot be proved complete"
    }

    private var repetitionOfRows: String? {
        pass.repeatedID.map {
            "one page shows product \($0) twice: its id does not distinguish it, or the market repeats rows"
        }
    }

    private var shortfall: String {
        "the market counts \(counted(claim, "product")) and shows \(sightings.count), however often its list is read\(pass.repetition)"
    }

    private mutating func fail(_ message: String) -> [Action] { fail(MarketError(.unreadable, message)) }

    mutating func fail(_ error: MarketError) -> [Action] {
        pass.phase = .ended
        return [.fail(error)]
    }

    private mutating func finish(_ completeness: CatalogSummary.Completeness, moved: Bool?) -> [Action] {
        pass.phase = .ended
        summary.completeness = completeness
        // A description with a wrong position for the next page finds none either.
        if pass.firstPage.omitsNext, pass.lastPage == 1, pass.firstPage.rowCount >= form.pageSize {
            summary.possibleLimit = pass.firstPage.rowCount
        }
        summary.catalogMoved = moved
        return [.finish(summary)]
    }
}
