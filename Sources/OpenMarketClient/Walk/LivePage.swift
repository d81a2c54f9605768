import OpenMarket

/// A page of the list without its rows' contents, which go to the reader of the list.
struct LivePage: Sendable {
    /// The ids of the readable rows, in the market's order.
    var ids: [MarketID] = []
    /// For each row the value that orders it, in the market's spelling, if that is not the id.
    var orderKeys: [String?] = []
    /// If pages begin after a value: the last row's value, in the spelling for the next request.
    var lastKey: String?
    /// The problems of rows that could not be read, or only partly.
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
    /// Whether the market gives the next page's address (true) or null (false); `nil` for a Boolean or a missing one.
    ///
    /// If it is null on every page, it is ignored: see ``NextPageMention``.
    var namesNext: Bool?
    var next = NextPage.unsaid
    /// Whether the page lacks every member that could lead to the next one; null counts as present.
    var omitsNext = false
    /// The rows without a readable number, each by a digest of its bytes.
    var unreadableRows: [UInt64] = []
    /// The positions in ``ids`` of rows that count as deleted: they are evidence like other rows, and are not
    /// delivered.
    var absent: [Int] = []
    /// The columns without a member in any row.
    var missing: Set<CatalogColumn> = []
    var isFromCache = false
    /// Whether the reply was a page: an object with a list of rows, or empty past the end.
    var isPage = true
    /// Whether a page without rows is the API's own reply past the last page, or states that no page follows.
    ///
    /// A reply without a body, `[]`, or a page without its number or count may come from a server in front of the
    /// market. A page with few rows is never the end.
    var provesItsEnd = true

    /// Whether the page is unchanged since an earlier read: the same rows at the same positions, and the same total.
    func matches(_ earlier: LivePage) -> Bool {
        ids == earlier.ids && rowCount == earlier.rowCount && unreadableRows == earlier.unreadableRows
            && total == earlier.total && lastPage == earlier.lastPage && pageSize == earlier.pageSize
    }

    /// The value that orders a row, if that is not the id.
    func orderKey(at place: Int) -> String? { orderKeys.indices.contains(place) ? orderKeys[place] : nil }
}
