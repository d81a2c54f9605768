import FoundationEssentials

/// The differences between v2a and v2b on the wire: keys, dates, and picture URLs.
enum V2Dialect {
    case a, b

    /// The key of the description in requests; in replies it is `description` on both.
    var requestDescription: V2Values.Key { self == .a ? .descriptions : .description }

    /// A day, whose time is always midnight.
    func date(_ epochSeconds: Double) -> String {
        CalendarDay.spelled(epochSeconds) + (self == .a ? "T00:00:00.00" : "T00:00:00")
    }

    /// v2a has a folder per vendor with `origin` and `thumb`, and one name for both.
    ///
    /// v2b has a folder per vendor and day; the size ends the name, and original and thumbnail have different digits.
    func imageURL(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let folder = folder(picture, vendor: vendor, base: base)
        return switch self {
        case .a: "\(folder)/origin/\(picture.name)\(picture.fileExtension)"
        case .b: "\(folder)/\(picture.name)_origin\(picture.fileExtension)"
        }
    }

    func thumbnailURL(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let folder = folder(picture, vendor: vendor, base: base)
        return switch self {
        case .a: "\(folder)/thumb/\(picture.name)\(picture.fileExtension)"
        case .b: "\(folder)/\(picture.thumbnailName)_thumb\(picture.fileExtension)"
        }
    }

    private func folder(_ picture: StoredPicture, vendor: Int64?, base: String) -> String {
        let vendor = "\(base)/training-resources/\(vendor ?? 0)"
        return switch self {
        case .a: vendor
        case .b: "\(vendor)/\(CalendarDay.spelled(picture.createdAt, separator: .omitted))"
        }
    }
}
