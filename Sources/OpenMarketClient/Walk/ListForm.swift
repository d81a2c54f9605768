import OpenMarket
import OpenMarketDescription

/// What a walk over a list has to know of it.
struct ListForm: Hashable, Sendable {
    /// What the rows are sorted by.
    struct Order: Hashable, Sendable {
        /// Which way.
        var direction = MarketDescription.List.Order.Direction.falling
        /// Whether that is the id, and nothing else before it.
        var isByID = false
        /// Whether the id is among it and later products have greater ones: no two rows are at the same place, and a new one
        /// is before all others.
        var includesID = false

        /// An order by the falling id.
        init(
            direction: MarketDescription.List.Order.Direction = .falling,
            isByID: Bool = true,
            includesID: Bool = true
        ) {
            self.direction = direction
            self.isByID = isByID
            self.includesID = includesID
        }
    }

    /// How it is cut into pages.
    var style: MarketDescription.Page.Style
    /// The proofs of completeness to try, the strongest first; none where nothing proves it.
    var proofs: [CatalogProof]
    /// The rows a page that are asked for, or that come.
    var pageSize: Int
    /// Whether the market has pages of that size, whatever is asked for: one with fewer rows is the last.
    var hasFixedSize = false
    /// Whether pages of another size can be asked for.
    var canChangeSize = false
    /// Whether pages say how many products there are in all.
    var reportsTotals = false
    /// Whether there is an answer to a page behind the last one, so that it may be asked for.
    var hasPastEnd = true
    /// What the rows are sorted by; `nil` where that is not described.
    var order: Order?
    /// Whether an edit moves a row towards greater keys, so that it may come twice.
    var keysRise = false
    /// What a page behind a row is asked for by: the place in a row.
    var keyPlace = ""
    /// Whether that is the id.
    var isKeyID = false
    /// Whether the rows are sorted by it before anything else.
    var isSortedByKey = false

    /// A list of this form.
    init(style: MarketDescription.Page.Style, proofs: [CatalogProof], pageSize: Int) {
        self.style = style
        self.proofs = proofs
        self.pageSize = pageSize
    }

    /// The form of a described list.
    init(_ market: MarketDescription) {
        let list = market.list
        let size = list.page.size
        // Where nothing says how many rows a page has, page 1 shows it.
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
        if case .keyset(let keyset) = list.page {
            keyPlace = keyset.last.description
            isKeyID = keyset.last == id
            isSortedByKey = list.order?.keys.first == keyset.last
        }
    }

    /// Whether any page can be asked for at any time, because pages have numbers.
    var isNumbered: Bool { style == .number || style == .offset }

    /// Whether a page behind the last one may be refused, because it is not described what is answered there.
    var mayRefuseEnd: Bool { isNumbered && !hasPastEnd }
}
