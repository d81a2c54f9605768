import OpenMarket
import OpenMarketDescription

struct ListTraits: Hashable, Sendable {
    struct Order: Hashable, Sendable {
        var direction: MarketDescription.List.Order.Direction
        /// Whether the rows are sorted by the id first.
        var isByID: Bool
        /// Whether the order includes the id, and later products have greater ids.
        ///
        /// Then no two rows share a position, and a new row comes first.
        var includesID: Bool
    }

    var style: MarketDescription.Page.Style
    /// The completeness proofs to try, the strongest first; empty if completeness cannot be proved.
    var proofs: [CatalogProof]
    /// The requested or expected number of rows per page.
    var pageSize: Int
    /// Whether the market ignores the requested size: then a page with fewer rows is the last.
    var hasFixedSize = false
    var canChangeSize = false
    var reportsTotals = false
    /// Whether the description defines a reply for a page after the last one, so that it may be requested.
    var hasPastEnd = true
    /// `nil` if the order is not described.
    var order: Order?
    /// Whether an edit moves a row towards greater keys, so that it may appear twice.
    var keysRise = false
    /// The position in a row of the value after which the next page begins.
    var keyPlace = ""
    var isKeyID = false
    /// Whether the rows are sorted by the value at ``keyPlace`` first.
    var isSortedByKey = false
}

extension ListTraits {
    init(_ market: MarketDescription) {
        let list = market.list
        let size = list.page.size
        // If the description states no page size, page 1 shows it.
        self.init(style: list.page.style, proofs: market.proofs.attempts, pageSize: size.standard ?? size.most ?? 100)
        canChangeSize = list.page.canChangeSize
        hasFixedSize = style == .number && !canChangeSize && size.standard != nil
        reportsTotals = list.total?.isOfPage == true
        hasPastEnd = !list.pastEnd.isEmpty
        let id = market.identity.id.place
        order = list.order.map { order in
            Order(
                direction: order.direction,
                isByID: order.keys.first == id,
                includesID: order.keys.contains(id) && market.identity.id.order == .rising
            )
        }
        keysRise = list.order?.moves == .up
        if style == .keyset {
            keyPlace = list.page.last.description
            isKeyID = list.page.last == id
            isSortedByKey = list.order?.keys.first == list.page.last
        }
    }

    /// Whether any page can be requested at any time, because pages have numbers.
    var isNumbered: Bool { style == .number || style == .offset }

    /// Whether a page after the last one may be refused, because its reply is not described.
    var mayRefuseEnd: Bool { isNumbered && !hasPastEnd }
}
