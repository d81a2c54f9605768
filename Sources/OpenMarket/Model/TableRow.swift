/// The part of a listing that only a row of a table has.
///
/// A row covers only its filled cells: everything else stays as in the manifest.
package struct TableRow: Hashable, Sendable {
    /// The operation that a row requests, in merchants' words.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Creates the product; never changes an existing one.
        case new = "NEW"
        /// Changes the product, or creates it if there is none.
        case merge = "MERGE"
        /// Changes the product; never creates one.
        case update = "UPDATE"
        case delete = "DELETE"
        case ignore = "IGNORE"

        /// Whether a row may change an existing product.
        package var changes: Bool { self == .merge || self == .update }
    }

    package var action = Action.merge
    /// The names of the columns, which all rows of the table share.
    package var header: [String] = []
    /// Whether the key was derived from the id; the state's key of the product replaces it.
    package var hasMadeKey = false
    /// The key as a spreadsheet shortened it, if the row also has an id.
    package var shortenedKey: String?
    /// Values in columns that only the market can change.
    package var shown = ShownCells()
    /// The discount from the present price, in a row without a price.
    package var amountOff: ExactDecimal?

    package static let blank = TableRow()

    /// The key of a product with an id but no key.
    ///
    /// It is valid for any id: in a text id, all but ASCII letters, digits, dots, dashes and underscores are
    /// percent-encoded.
    package static func key(madeOf id: MarketID) -> String {
        guard case .text(let text) = id else { return "product-\(id)" }
        return "product-" + text.percentEncoded { $0.isUnreserved && $0 != UInt8(ascii: "~") }
    }

    /// Columns count from 1.
    func name(ofColumn column: UInt32) -> String? {
        let index = Int(column) - 1
        return header.indices.contains(index) ? header[index] : nil
    }

    /// Counted from 1; 1 if the table lacks the column.
    func number(of column: CatalogColumn) -> UInt32 {
        UInt32((header.firstIndex(of: column.rawValue) ?? 0) + 1)
    }
}

/// A row's values in columns that only the market can change, kept to detect edits.
///
/// Texts are kept as hashes, because they are only compared with the market's.
package struct ShownCells: Hashable, Sendable {
    package var vendorID: Int64?
    /// The discount of a sale, if `sale_price` is filled too.
    package var discount: ExactDecimal?
    private var vendor: UInt64 = 0
    private var thumbnail: UInt64 = 0
    private var images: UInt64 = 0

    init() {}

    package mutating func note(_ text: String, in column: CatalogColumn) {
        let hash = Self.hash(text)
        switch column {
        case .vendor: vendor = hash
        case .thumbnail: thumbnail = hash
        case .images: images = hash
        default: preconditionFailure("\(column) is not a text that only the market can change")
        }
    }

    /// The columns with different texts in both.
    func columns(otherThan other: ShownCells) -> [CatalogColumn] {
        let columns: [(CatalogColumn, Bool)] = [
            (.vendorID, vendorID != nil && vendorID != other.vendorID),
            (.vendor, vendor != 0 && vendor != other.vendor),
            (.thumbnail, thumbnail != 0 && thumbnail != other.thumbnail),
            (.images, images != 0 && images != other.images),
        ]
        return columns.filter(\.1).map(\.0)
    }

    /// Never 0, which means a missing text.
    private static func hash(_ text: String) -> UInt64 {
        max(1, FNVHash(text.utf8).value)
    }
}
