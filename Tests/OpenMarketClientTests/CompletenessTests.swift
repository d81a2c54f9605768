@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Rule 4: a catalog counts as complete only when it is.
struct CompletenessTests {
    private let walks = WalkTests()

    private func page(_ ids: some Sequence<Int64>, total: Int? = nil, size: Int? = nil, hasNext: Bool? = nil)
        -> LivePage
    {
        var page = LivePage(rows: ids, day: "2022-11-15T00:00:00")
        page.total = total
        page.pageSize = size
        page.hasNext = hasNext
        return page
    }

    /// A market that leaves the order of a day's products open, and answers each page from another order.
    private func shuffled(_ count: Int64, size: Int, _ generator: inout SeededGenerator, _ number: Int) -> LivePage {
        let order = (1...count).shuffled(using: &generator)
        return page(order.dropFirst((number - 1) * size).prefix(size), total: Int(count), size: size)
    }

    @Test func `ties in another order on every page come whole in the end, and without an alarm`() {
        var generator = SeededGenerator(seed: 4)
        let result = walks.run(CatalogWalk(pageSize: 100, reportsTotals: true, ahead: 4)) {
            shuffled(500, size: 100, &generator, $0)
        }
        #expect(Set(result.rows) == Set(1...500))
        #expect(result.rows.count == 500)
        #expect(result.summary?.isComplete == true)
        #expect(result.summary?.catalogMoved == false)
        #expect((result.summary?.passes ?? 0) > 1)
    }

    @Test func `a page that repeats another is never complete`() {
        for repeated in [2, 3] {
            let result = walks.run(CatalogWalk(pageSize: 100, reportsTotals: true, ahead: 4)) { number in
                let ids = (1...250).reversed() as [Int64]
                let shown = number == repeated ? number - 1 : number
                return page(ids.dropFirst((shown - 1) * 100).prefix(100), total: 250, size: 100, hasNext: number < 3)
            }
            #expect(result.summary == nil)
            #expect(result.error?.code == .unreadable)
            #expect(result.error?.message.hasPrefix("the market counts 250 products and shows ") == true)
        }
    }

    @Test func `the first page again, called the last one, is not the end`() {
        var form = ListTraits(style: .number, proofs: [.numbers, .twice], pageSize: 50)
        form.order = ListTraits.Order(direction: .rising, isByID: true, includesID: true)
        let result = walks.run(CatalogWalk(form, ahead: 1)) { page(1...50, hasNext: $0 < 2) }
        #expect(result.summary == nil)
        #expect(result.error?.code == .unreadable)
    }

    @Test(arguments: [(0, 250), (150, 250), (200, 350)])
    func `a total that ends before the pages is not believed`(total: Int, count: Int64) {
        let ids = Array((1...count).reversed())
        let result = walks.run(CatalogWalk(pageSize: 100, reportsTotals: true, ahead: 4)) { number in
            let rows = ids.dropFirst((number - 1) * 100).prefix(100)
            return rows.isEmpty ? LivePage() : page(rows, total: total, size: 100, hasNext: number * 100 < count)
        }
        #expect(Set(result.rows) == Set(ids))
        #expect(result.summary?.isComplete == true)
        if total == 0 { #expect(result.rows == ids && result.summary?.passes == 2) }
    }

    @Test func `a page with fewer rows than asked for hides none`() {
        // A market that gives fifty rows a page, whatever is asked for.
        let ids = (1...250).reversed() as [Int64]
        let result = walks.run(CatalogWalk(pageSize: 100, reportsTotals: true, ahead: 4)) { number in
            let rows = ids.dropFirst((number - 1) * 50).prefix(50)
            return rows.isEmpty ? LivePage() : page(rows, total: 250, size: 100)
        }
        #expect(result.rows == ids)
        #expect(result.summary?.isComplete == true)
        // The same list, cut off after its first page.
        let cut = walks.run(CatalogWalk(pageSize: 100, reportsTotals: true, ahead: 4)) { number in
            number > 1 ? LivePage() : page(ids.prefix(50), total: 250, size: 100)
        }
        #expect(
            cut.error
                == MarketError(
                    .unreadable,
                    "the market counts 250 products and shows 50, however often its list is read"
                )
        )
    }

    @Test(arguments: [true, false])
    func `an empty list is believed only in the words of its API`(reportsTotals: Bool) {
        var odd = LivePage()
        odd.provesItsEnd = false
        let walk = CatalogWalk(pageSize: 20, reportsTotals: reportsTotals, ahead: 4)
        let result = walks.run(walk) { _ in odd }
        #expect(result.error?.code == .unreadable)
        #expect(result.error?.message.contains("this does not prove that the catalog is empty") == true)
        // The end of a list without totals is proved by nothing else.
        let early = walks.run(walk) { $0 == 1 ? page(1...20) : odd }
        #expect(early.error?.message.contains("page 2 of the market's list is empty") == true)
        let empty = walks.run(walk) { _ in LivePage() }
        #expect(empty.summary?.isComplete == true)
        #expect(empty.rows == [])
    }

    @Test(arguments: [true, false])
    func `pages whose rows have no number bring nothing new, and end`(reportsTotals: Bool) {
        var number: UInt64 = 0
        let result = walks.run(CatalogWalk(pageSize: 20, reportsTotals: reportsTotals, ahead: 4)) { _ in
            number += 1
            return LivePage(rowCount: 1, unreadableRows: [number])
        }
        #expect(result.error == MarketError(.unreadable, "the market's list repeats itself at page 5"))
        #expect(number < 20)
    }

    @Test func `a row without a number is counted, and does not stand for one that is missing`() {
        let ids = (1...5).reversed() as [Int64]
        func answer(_ number: Int, hiding: Bool) -> LivePage {
            var first = page(ids.prefix(2), total: 6, size: 3)
            first.rowCount = 3
            first.unreadableRows = [7]
            var second = page(hiding ? ids[2..<4] : ids[2..<5], total: 6, size: 3)
            if hiding {
                second.rowCount = 3
                second.unreadableRows = [7]
            }
            return number == 1 ? first : second
        }
        let whole = walks.run(CatalogWalk(pageSize: 3, reportsTotals: true, ahead: 2)) { answer($0, hiding: false) }
        #expect(whole.rows == ids)
        #expect(whole.summary?.isComplete == true)
    }

    /// Histories of a market that shows a day's products in any order, repeats pages, counts too few, and is written to.
    @Test func `what is called complete is complete, whatever the market does`() async {
        var complete = 0
        for seed in TestScope.seeds(1_500) {
            await Task.yield()
            var generator = SeededGenerator(seed: seed)
            let size = Int.random(in: 3...12, using: &generator)
            var ids = Set((0..<Int64.random(in: 0...90, using: &generator)).map { $0 + 1 })
            var nextID = Int64(ids.count) + 1
            var throughout = ids
            var changes = Bool.random(using: &generator) ? Int.random(in: 0...8, using: &generator) : 0
            let ordered = Bool.random(using: &generator) ? .max : Int.random(in: 0...2 * size, using: &generator)
            let repeats = Int.random(in: 0...3, using: &generator) == 0
            let lies = Int.random(in: 0...5, using: &generator) == 0
            let result = walks.run(
                CatalogWalk(
                    pageSize: size,
                    reportsTotals: true,
                    ahead: .random(in: 1...6, using: &generator),
                    maximumPasses: 12
                ),
                answer: { number in
                    while changes > 0, Int.random(in: 0..<4, using: &generator) == 0 {
                        changes -= 1
                        if Bool.random(using: &generator), let gone = ids.randomElement(using: &generator) {
                            ids.remove(gone)
                        } else {
                            ids.insert(nextID)
                            nextID += 1
                        }
                    }
                    throughout.formIntersection(ids)
                    // Newest first; from some row on, as the market likes.
                    let newestFirst = ids.sorted(by: >)
                    let order =
                        Array(newestFirst.prefix(ordered)) + newestFirst.dropFirst(ordered).shuffled(using: &generator)
                    var shown = number
                    if repeats, number > 1, Int.random(in: 0..<6, using: &generator) == 0 { shown -= 1 }
                    let rows = order.dropFirst((shown - 1) * size).prefix(size)
                    guard !rows.isEmpty || number == 1 else { return LivePage() }
                    var page = page(rows, total: ids.count, size: size, hasNext: shown * size < ids.count)
                    if lies { page.total = Int.random(in: 0...ids.count, using: &generator) }
                    page.provesItsEnd = page.total == 0
                    return page
                },
                pick: { Int.random(in: 0..<$0.count, using: &generator) }
            )
            #expect(Set(result.rows).count == result.rows.count, "seed \(seed): a row came twice")
            guard result.summary?.isComplete == true else { continue }
            complete += 1
            let missing = throughout.subtracting(result.rows)
            #expect(missing.isEmpty, "seed \(seed): missing \(missing.sorted())")
        }
        // It is not refused for nothing.
        #expect(complete > 1_000)
    }
}
