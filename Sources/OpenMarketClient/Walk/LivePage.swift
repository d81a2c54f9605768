import OpenMarket

/// A page of the list, read, without what its rows show: that goes to whoever reads the list.
struct LivePage: Sendable {
    /// The rows that could be read, in the market's order.
    var ids: [MarketID] = []
    /// What the rows are ordered by, of each of them, where that is not the id: as the market writes it.
    var orderKeys: [String?] = []
    /// Where pages begin behind a value of the row before: that value of the last row, as the next request has it.
    var lastKey: String?
    /// The rows that could not, or not in whole.
    var problems: [RowProblem] = []
    /// How many rows there were, readable or not.
    var rowCount = 0
    /// How many products the market says it has in all.
    var total: Int?
    /// The number of the last page, as the market says.
    var lastPage: Int?
    /// How many rows the market puts on a page, as it says.
    var pageSize: Int?
    /// Whether the market says that another page follows.
    var hasNext: Bool?
    /// Whether the address of another page is where the market says that one follows, or null in its place; `nil` where that
    /// is a truth, or unsaid.
    ///
    /// What is null on every page says nothing: see ``NextPageMention``.
    var namesNext: Bool?
    /// Where the next page is, where pages lead to one another.
    var next = NextPage.unsaid
    /// Whether nothing is there that leads to one, not even something that says that there is none.
    var omitsNext = false
    /// The rows without a number that can be read, each by a digest of its bytes.
    var unreadableRows: [UInt64] = []
    /// The places in ``ids`` of the rows that count as deleted: they prove what other rows prove, and are not delivered.
    var absent: [Int] = []
    /// Whether it was a page at all: an object with a list of rows, or nothing (past the end).
    var isPage = true
    /// Whether, where there are no rows, the page says so in the words of its API: it is what the market answers behind the
    /// last page, or says that none follows.
    ///
    /// An answer without a body, `[]`, or a page without its own number or count may come from anything that is
    /// before the market. Few rows are never the end.
    var provesItsEnd = true

    /// Whether this page shows that nothing has moved since an earlier look at it: the same rows at the same places, and as
    /// many products as before.
    func matches(_ earlier: LivePage) -> Bool {
        ids == earlier.ids && rowCount == earlier.rowCount && unreadableRows == earlier.unreadableRows
            && total == earlier.total && lastPage == earlier.lastPage && pageSize == earlier.pageSize
    }

    /// What a row is ordered by, where that is not the id.
    func orderKey(at place: Int) -> String? { orderKeys.indices.contains(place) ? orderKeys[place] : nil }

    /// Takes back the rows that were read.
    mutating func clearRows() {
        ids = []
        orderKeys = []
        problems = []
        unreadableRows = []
        absent = []
        rowCount = 0
        lastKey = nil
    }
}
