import OpenMarket

/// A page of the list without its rows' contents, which the reader of the list gets.
struct LivePage: Sendable {
    /// The ids of the readable rows, in the market's order.
    var ids: [MarketID] = []
    /// For each row the value that orders it, in the market's spelling, if that is not the id.
    var orderKeys: [String?] = []
    /// If pages begin after a value: that value of the last row, as the next request has it.
    var lastKey: String?
    /// The problems of rows that could not be read, or only in part.
    var problems: [RowProblem] = []
    /// The number of rows, readable or not.
    var rowCount = 0
    /// The total number of products that the market states.
    var total: Int?
    /// The number of the last page that the market states.
    var lastPage: Int?
    /// The number of rows per page that the market states.
    var pageSize: Int?
    /// Whether another page follows, if the market states that.
    var hasNext: Bool?
    /// Whether the market names the next page by its address (true) or by null (false); `nil` for a Boolean or nothing.
    ///
    /// If it is null on every page, it means nothing: see ``NextPageMention``.
    var namesNext: Bool?
    var next = NextPage.unsaid
    /// Whether the page has nothing that leads to the next one, not even a statement that there is none.
    var omitsNext = false
    /// The rows without a readable number, each by a digest of its bytes.
    var unreadableRows: [UInt64] = []
    /// The positions in ``ids`` of the rows that count as deleted: they prove as much as other rows, and are not
    /// delivered.
    var absent: [Int] = []
    /// The columns of which no row has a member.
    var missing: Set<CatalogColumn> = []
    /// Whether it shows what a cache had.
    var isFromCache = false
    /// Whether it was a page: an object with a list of rows, or nothing (past the end).
    var isPage = true
    /// Whether a page without rows is the API's own reply past the last page, or states that no page follows.
    ///
    /// A reply without a body, `[]`, or a page without its own number or count may come from a server in front of the
    /// market. Few rows are never the end.
    var provesItsEnd = true

    /// Whether nothing has moved since the page was read earlier: the same rows at the same positions, and the same
    /// total.
    func matches(_ earlier: LivePage) -> Bool {
        ids == earlier.ids && rowCount == earlier.rowCount && unreadableRows == earlier.unreadableRows
            && total == earlier.total && lastPage == earlier.lastPage && pageSize == earlier.pageSize
    }

    /// The value that orders a row, if that is not the id.
    func orderKey(at place: Int) -> String? { orderKeys.indices.contains(place) ? orderKeys[place] : nil }

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
