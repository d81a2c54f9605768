import OpenMarket

/// How v2a and v2b differ on the wire: keys, dates, and where pictures lie.
struct V2Dialect: Sendable {
    var pageNumber: String
    var itemsPerPage: String
    var totalCount: String
    var lastPage: String
    var hasNext: String
    var hasPrevious: String
    /// The long text in requests; in replies it is `description` on both.
    var requestDescription: String
    /// What follows a day: always midnight.
    var midnight: String
    /// v2b lists show the description and `vendorName`, and can be searched.
    var isB: Bool
    var order: Shop.Order

    static let a = V2Dialect(
        pageNumber: "page_no",
        itemsPerPage: "items_per_page",
        totalCount: "total_count",
        lastPage: "last_page",
        hasNext: "has_next",
        hasPrevious: "has_prev",
        requestDescription: "descriptions",
        midnight: "T00:00:00.00",
        isB: false,
        order: .newestFirst
    )

    static let b = V2Dialect(
        pageNumber: "pageNo",
        itemsPerPage: "itemsPerPage",
        totalCount: "totalCount",
        lastPage: "lastPage",
        hasNext: "hasNext",
        hasPrevious: "hasPrev",
        requestDescription: "description",
        midnight: "T00:00:00",
        isB: true,
        order: .newestDayFirst
    )

    func date(_ epochSeconds: Double) -> String {
        CalendarDay(epochSeconds: epochSeconds).spelled() + midnight
    }

    func imageURL(_ picture: StoredPicture, of product: StoredProduct, base: String) -> String {
        let folder = folder(picture, of: product, base: base)
        return isB
            ? "\(folder)/\(picture.name)_origin\(picture.fileExtension)"
            : "\(folder)/origin/\(picture.name)\(picture.fileExtension)"
    }

    /// v2a gives thumbnail and original the same digits, v2b different ones.
    func thumbnailURL(_ picture: StoredPicture, of product: StoredProduct, base: String) -> String {
        let folder = folder(picture, of: product, base: base)
        return isB
            ? "\(folder)/\(picture.thumbnailName)_thumb\(picture.fileExtension)"
            : "\(folder)/thumb/\(picture.name)\(picture.fileExtension)"
    }

    private func folder(_ picture: StoredPicture, of product: StoredProduct, base: String) -> String {
        let vendor = "\(base)/training-resources/\(product.vendor?.id ?? 0)"
        return isB ? "\(vendor)/\(CalendarDay(epochSeconds: picture.createdAt).spelled(separator: ""))" : vendor
    }
}
