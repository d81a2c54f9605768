import OpenMarket

/// The requests and results of one pass over the list.
///
/// The next pass begins with a new value.
struct WalkPass {
    enum Phase {
        case pages
        case repair
        case closing
        /// Page 2 of a list with one page by its count.
        case behind
        case ended
    }

    /// The number of the pass, from 1; 0 before the first.
    let number: Int
    var phase = Phase.pages
    var nextFetch = 1
    var nextPage = 1
    var outstanding: Set<Int> = []
    /// The pages that arrived before the next one in order.
    var arrived: [Int: LivePage] = [:]
    /// The last page that has rows, as far as read.
    var lastPage: Int?
    var chain: PageChain
    /// The address of the next page, for a list whose pages lead to one another.
    var nextAddress: PageAddress?

    var firstPage = LivePage()
    /// The number of latest pages without anything new.
    var stalePages = 0
    /// The ranks read, the oldest row's being 1; `nil` after a page with more rows than the page size, because positions
    /// are then no proof.
    var ranks: RangeSet<Int>? = RangeSet()
    var repairRounds = 0
    var order: ListOrder
    /// The rows of the pass, in order; passes with the same rows are equal.
    var trace = ReadingTrace()
    var unreadableRows = 0
    /// The number of problems of rows without a number.
    var problemsWithoutID = 0
    var duplicates = 0
    /// A product that one page shows twice, which no change of the list explains.
    var repeatedID: MarketID?
    /// Whether a later page has another total than page 1.
    var totalVaried = false

    init(_ number: Int, of form: ListTraits, pageSize: Int) {
        self.number = number
        chain = PageChain(form)
        nextAddress = .first(form.style, size: pageSize)
        order = ListOrder(form.order)
    }

    /// Whether page 1 stated that another follows.
    var firstGoesOn: Bool { firstPage.hasNext == true || firstPage.lastPage ?? 1 > 1 || firstPage.next.goesOn }

    /// A clause for messages about pages that repeat rows; rows without a readable id show no repetition.
    var repetition: String {
        stalePages > 0 && duplicates > 0 ? ": the market may ignore the page parameter" : ""
    }
}
