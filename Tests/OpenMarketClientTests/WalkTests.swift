@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Decisions of a walk over a list that others write to.
struct WalkTests {
    /// A market's list: what the pages are cut from.
    struct List {
        var ids: [Int64]
        var nextID: Int64
        let newestFirst: Bool
        let size: Int

        init(count: Int, newestFirst: Bool, size: Int) {
            let rising = (0..<Int64(count)).map { $0 + 1 }
            ids = newestFirst ? rising.reversed() : rising
            nextID = Int64(count) + 1
            self.newestFirst = newestFirst
            self.size = size
        }

        func page(_ number: Int) -> LivePage { page(number, size: size) }

        /// A page of the size that is asked for, as v2 gives it.
        func page(_ number: Int, size: Int) -> LivePage {
            let rows = ids.dropFirst((number - 1) * size).prefix(size)
            var page = LivePage(rows: rows)
            // Past the end v2 answers nothing at all.
            if newestFirst, !rows.isEmpty {
                page.total = ids.count
                page.lastPage = (ids.count + size - 1) / size
                page.pageSize = size
            }
            return page
        }

        mutating func insert() {
            if newestFirst { ids.insert(nextID, at: 0) } else { ids.append(nextID) }
            nextID += 1
        }

        mutating func remove(using generator: inout SeededGenerator) {
            guard !ids.isEmpty else { return }
            ids.remove(at: Int.random(in: 0..<ids.count, using: &generator))
        }
    }

    struct Result {
        var rows: [Int64] = []
        var problems: [RowProblem] = []
        var summary: CatalogSummary?
        var error: MarketError?
        var widest = 0
    }

    /// Runs a walk: `answer` is asked for a page at a moment of its choosing, `pick` says which outstanding page comes next.
    func run(
        _ walk: CatalogWalk,
        answer: (Int) -> LivePage,
        pick: ([Int]) -> Int = { _ in 0 },
        between: () -> Void = {}
    ) -> Result {
        run(walk, answer: { number, _ in answer(number) }, pick: pick, between: between)
    }

    /// The same, where the market gives pages of the size that is asked for.
    func run(
        _ walk: CatalogWalk,
        answer: (_ number: Int, _ size: Int) -> LivePage,
        pick: ([Int]) -> Int = { _ in 0 },
        between: () -> Void = {}
    ) -> Result {
        var walk = walk
        var result = Result()
        var outstanding: [(number: Int, size: Int)] = []
        var pages: [Int: LivePage] = [:]
        var actions = walk.start()
        while true {
            for action in actions {
                switch action {
                case .fetch(let number, let address):
                    guard case .number(number, let size) = address else {
                        Issue.record("\(address) is asked for as page \(number)")
                        return result
                    }
                    outstanding.append((number, size))
                case .deliver(let number, let rows, let problems):
                    result.rows += rows.compactMap { pages[number]?.ids[$0].number }
                    result.problems += problems
                case .finish(let summary):
                    result.summary = summary
                    return result
                case .fail(let error):
                    result.error = error
                    return result
                }
            }
            result.widest = max(result.widest, outstanding.count)
            guard !outstanding.isEmpty else {
                Issue.record("the walk waits for nothing")
                return result
            }
            let (number, size) = outstanding.remove(at: pick(outstanding.map(\.number)))
            let page = answer(number, size)
            pages[number] = page
            between()
            actions = walk.received(page, number: number)
        }
    }

    private func walk(_ list: List, ahead: Int) -> CatalogWalk {
        CatalogWalk(pageSize: list.size, reportsTotals: list.newestFirst, ahead: ahead)
    }

    @Test(arguments: [true, false], [0, 1, 19, 20, 21, 40, 205])
    func `a list that holds still comes in its order, each row once`(newestFirst: Bool, count: Int) {
        let list = List(count: count, newestFirst: newestFirst, size: 20)
        let result = run(walk(list, ahead: 4), answer: { list.page($0) })
        #expect(result.rows == list.ids)
        #expect(result.widest <= 4)
        #expect(result.summary?.isComplete == true)
        #expect(result.summary?.catalogMoved == false)
        #expect(result.summary?.rows == count)
        #expect(result.summary?.duplicates == 0)
        // Totals save the second pass.
        let pages = (count + 19) / 20
        if newestFirst { #expect(result.summary?.pages == (count <= 20 ? 1 : pages + 1)) }
    }

    @Test(arguments: [true, false])
    func `pages wait for a connection only where it is known that they are there`(newestFirst: Bool) {
        let list = List(count: 205, newestFirst: newestFirst, size: 20)
        let walk = CatalogWalk(pageSize: list.size, reportsTotals: newestFirst, ahead: 3, queued: 2)
        let result = run(walk, answer: { list.page($0) })
        #expect(result.rows == list.ids)
        #expect(result.widest == (newestFirst ? 5 : 3))
    }

    @Test func `rows that cannot be understood, others at every reading, prove nothing`() {
        var reading: UInt64 = 0
        let result = run(CatalogWalk(pageSize: 2, reportsTotals: false, ahead: 1)) { number in
            var page = LivePage(rows: number == 1 ? [1, 2] : [])
            if number == 2 {
                reading += 1
                page.unreadableRows = [reading]
                page.rowCount = 1
            }
            return page
        }
        #expect(result.summary?.completeness == .unsettled)
    }

    @Test func `inserts alone cost no second pass`() {
        var list = List(count: 1000, newestFirst: true, size: 10)
        let before = list.ids
        let result = run(
            walk(list, ahead: 4),
            answer: { list.page($0) },
            between: { if list.ids.count < 1004 { list.insert() } }
        )
        #expect(result.rows.filter { $0 <= 1000 } == before)
        #expect(result.summary?.passes == 1)
        #expect(result.summary?.catalogMoved == true)
        #expect(result.summary?.isComplete == true)
    }

    @Test func `a delete is noticed although the total looks the same`() {
        var list = List(count: 30, newestFirst: true, size: 10)
        var read = 0
        let result = run(
            walk(list, ahead: 1),
            answer: { number in
                defer {
                    read += 1
                    // After page 1: one of its rows goes, a new one comes.
                    if read == 1 {
                        list.ids.remove(at: 5)
                        list.insert()
                    }
                }
                return list.page(number)
            }
        )
        #expect(Set(result.rows).isSuperset(of: list.ids.filter { $0 <= 30 }))
        #expect(result.summary?.passes == 2)
        #expect(result.summary?.catalogMoved == true)
    }

    @Test(arguments: [1, 4])
    func `a list that others delete from all the time comes whole`(ahead: Int) async {
        for seed in 0..<200 as Range<UInt64> {
            await Task.yield()
            var generator = SeededGenerator(seed: seed)
            var list = List(count: 1000, newestFirst: true, size: 20)
            var throughout = Set(list.ids)
            let result = run(
                CatalogWalk(pageSize: 20, reportsTotals: true, ahead: ahead),
                answer: { number, size in
                    // A delete and an insert for each page.
                    list.remove(using: &generator)
                    list.insert()
                    throughout.formIntersection(list.ids)
                    return list.page(number, size: size)
                },
                pick: { Int.random(in: 0..<$0.count, using: &generator) }
            )
            #expect(result.summary?.isComplete == true, "seed \(seed)")
            #expect(result.summary?.catalogMoved == true, "seed \(seed)")
            #expect(Set(result.rows).count == result.rows.count, "seed \(seed): a row came twice")
            #expect(throughout.isSubset(of: result.rows), "seed \(seed)")
        }
    }

    @Test func `stretches of numbers are joined where no number is between them`() {
        var generator = SeededGenerator(seed: 1)
        for round in 0..<2_000 {
            var coverage = NumberCoverage()
            // The slow twin: each number by itself, with one below and one above for all the others.
            var covered: Set<Int> = []
            for _ in 0..<12 {
                let oldest = Int.random(in: 1...20, using: &generator)
                let newest = min(20, oldest + .random(in: 0...6, using: &generator))
                let (isFirst, isLast) = (Bool.random(using: &generator), Bool.random(using: &generator))
                coverage.add(
                    (oldest...newest).reversed().map { MarketID(Int64($0)) },
                    isFirst: isFirst,
                    isLast: isLast
                )
                covered.formUnion((isLast ? 0 : oldest)...(isFirst ? 21 : newest))
                #expect(coverage.isWhole == (covered.count == 22), "round \(round)")
            }
        }
        var disordered = NumberCoverage()
        disordered.add([1, 2].map { MarketID($0) }, isFirst: true, isLast: true)
        disordered.add([1].map { MarketID($0) }, isFirst: true, isLast: true)
        #expect(!disordered.isWhole)
    }

    @Test func `a list that never holds still is given up, and said to be`() {
        var list = List(count: 50, newestFirst: true, size: 10)
        var generator = SeededGenerator(seed: 1)
        let result = run(
            walk(list, ahead: 3),
            answer: { number in
                list.remove(using: &generator)
                list.insert()
                // It takes no other size, so the seams between its pages stay where they are.
                return list.page(number)
            }
        )
        #expect(result.summary?.isComplete == false)
        #expect(result.summary?.passes == 10)
    }

    @Test func `a list that repeats itself, or never ends, is noticed`() {
        let page = LivePage(rows: [1])
        let repeating = run(CatalogWalk(pageSize: 20, reportsTotals: false, ahead: 2), answer: { _ in page })
        #expect(
            repeating.error
                == MarketError(
                    .unreadable,
                    "the market's list repeats itself at page 6: the market may ignore the page parameter"
                )
        )

        // A total out of this simulation, and nothing behind it.
        var liar = List(count: 30, newestFirst: true, size: 10).page(1)
        liar.total = 1_000_000_000_000
        let lying = run(
            CatalogWalk(pageSize: 10, reportsTotals: true, ahead: 2),
            answer: { $0 == 1 ? liar : LivePage() }
        )
        #expect(
            lying.error
                == MarketError(
                    .unreadable,
                    "the market counts 1000000000000 products and shows 10, however often its list is read"
                )
        )
    }

    @Test func `a row that only a later pass cannot read is reported`() {
        var readings = 0
        let result = run(
            CatalogWalk(pageSize: 2, reportsTotals: true, ahead: 1),
            answer: { number in
                readings += 1
                var page = LivePage(rows: number == 1 ? [4, 3] : [2, 1])
                page.total = 4
                page.pageSize = 2
                // The first reading shows page 1 twice, the second cannot read product 1.
                if readings == 2 { page.ids = [4, 3].map { MarketID($0) } }
                if readings > 2, number == 2 {
                    page.ids = [MarketID(2)]
                    page.orderKeys = [nil]
                    page.problems = [RowProblem(place: "page 2, row 2", message: "id is null")]
                }
                return page
            }
        )
        #expect(Set(result.rows) == [4, 3, 2])
        #expect(result.problems == [RowProblem(place: "page 2, row 2", message: "id is null")])
    }

    @Test func `problems come with their rows, once, and a row without a number loses nothing else`() {
        var pages = [
            1: List(count: 4, newestFirst: false, size: 2).page(1),
            2: List(count: 4, newestFirst: false, size: 2).page(2),
        ]
        pages[1]?.rowCount = 3
        pages[1]?.problems = [
            RowProblem(place: "page 1, row 2", message: "id is missing"),
            RowProblem(id: MarketID(2), place: "page 1, row 3", message: "price is null"),
        ]
        let result = run(
            CatalogWalk(pageSize: 2, reportsTotals: false, ahead: 2),
            answer: { pages[$0] ?? LivePage() }
        )
        #expect(result.rows == [1, 2, 3, 4])
        #expect(result.problems == pages[1]?.problems)
        #expect(result.summary?.passes == 2)
    }
}

extension CatalogWalk {
    private static let v1 = ListTraits(MarketDescription(of: .v1b))
    private static let v2 = ListTraits(MarketDescription(of: .v2b))

    /// A walk over the list of v2, or of v1, which reports no totals.
    init(pageSize: Int, reportsTotals: Bool, ahead: Int, queued: Int = 0, maximumPasses: Int = 10) {
        self.init(
            reportsTotals ? Self.v2 : Self.v1,
            pageSize: pageSize,
            ahead: ahead,
            queued: queued,
            maximumPasses: maximumPasses
        )
    }
}

extension LivePage {
    /// A page with these rows, all of one day.
    init(rows: some Sequence<Int64>, day: String? = nil) {
        self.init()
        ids = rows.map { MarketID($0) }
        orderKeys = ids.map { _ in day }
        rowCount = ids.count
    }
}
