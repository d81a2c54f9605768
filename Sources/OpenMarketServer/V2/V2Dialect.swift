import FoundationEssentials
import HTTPTypes
import OpenMarket

/// The differences between v2a and v2b on the wire: keys, dates, and picture URLs.
struct V2Dialect: Sendable {
    var pageNumber: String
    var itemsPerPage: String
    var totalCount: String
    var lastPage: String
    var hasNext: String
    var hasPrevious: String
    /// The key of the description in requests; in replies it is `description` on both.
    var requestDescription: V2Values.Key
    /// The suffix of a day, whose time is always midnight.
    var midnight: String
    /// Whether lists show the description and `vendorName`.
    var showsDescriptionInLists: Bool
    /// Whether lists support `search_value`.
    var searches: Bool
    /// Whether details show that each picture succeeded, and when the vendor registered.
    var showsVendorDates: Bool
    var createStatus: HTTPResponse.Status
    var deleteFlow: DeleteFlow
    var pictureLayout: PictureLayout
    var order: Shop.Order

    enum DeleteFlow {
        /// `secret` returns a key, which ends the path of the delete; the secret may be sent as a bare JSON text.
        case key
        /// `archived` returns the path of the delete.
        case path
    }

    enum PictureLayout {
        /// A folder per vendor with `origin` and `thumb`; original and thumbnail have the same digits.
        case foldersBySize
        /// A folder per vendor and day; the size ends the name, and original and thumbnail have different digits.
        case foldersByDay
    }

    static let a = V2Dialect(
        pageNumber: "page_no",
        itemsPerPage: "items_per_page",
        totalCount: "total_count",
        lastPage: "last_page",
        hasNext: "has_next",
        hasPrevious: "has_prev",
        requestDescription: .descriptions,
        midnight: "T00:00:00.00",
        showsDescriptionInLists: false,
        searches: false,
        showsVendorDates: true,
        createStatus: .ok,
        deleteFlow: .key,
        pictureLayout: .foldersBySize,
        order: .newestFirst
    )

    static let b = V2Dialect(
        pageNumber: "pageNo",
        itemsPerPage: "itemsPerPage",
        totalCount: "totalCount",
        lastPage: "lastPage",
        hasNext: "hasNext",
        hasPrevious: "hasPrev",
        requestDescription: .description,
        midnight: "T00:00:00",
        showsDescriptionInLists: true,
        searches: true,
        showsVendorDates: false,
        createStatus: .created,
        deleteFlow: .path,
        pictureLayout: .foldersByDay,
        order: .newestDayFirst
    )

    func date(_ epochSeconds: Double) -> String {
        CalendarDay.spelled(epochSeconds) + midnight
    }

    func imageURL(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let folder = folder(picture, vendor: vendor, base: base)
        return switch pictureLayout {
        case .foldersBySize: "\(folder)/origin/\(picture.name)\(picture.fileExtension)"
        case .foldersByDay: "\(folder)/\(picture.name)_origin\(picture.fileExtension)"
        }
    }

    func thumbnailURL(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let folder = folder(picture, vendor: vendor, base: base)
        return switch pictureLayout {
        case .foldersBySize: "\(folder)/thumb/\(picture.name)\(picture.fileExtension)"
        case .foldersByDay: "\(folder)/\(picture.thumbnailName)_thumb\(picture.fileExtension)"
        }
    }

    private func folder(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let vendor = "\(base)/training-resources/\(vendor ?? 0)"
        return switch pictureLayout {
        case .foldersBySize: vendor
        case .foldersByDay: "\(vendor)/\(CalendarDay.spelled(picture.createdAt, separator: .omitted))"
        }
    }
}
