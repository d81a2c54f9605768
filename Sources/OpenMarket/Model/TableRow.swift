/// What a listing has that is a row of a table: a spreadsheet says less of a product than a manifest does.
///
/// A row speaks of the cells that it fills, and of nothing else: what it leaves out stays as the market and the state have
/// it.
package struct TableRow: Hashable, Sendable {
    /// What a row asks for, in the words that merchants know.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// Make the product; never change one.
        case new = "NEW"
        /// Change the product, or make it where there is none.
        case merge = "MERGE"
        /// Change the product; never make one.
        case update = "UPDATE"
        /// Delete the product.
        case delete = "DELETE"
        /// Do nothing about the product.
        case ignore = "IGNORE"
    }

    /// What it asks for.
    package var action: Action
    /// The names of the table's columns, which all its rows share.
    package var header: [String]
    /// Whether its key was made of its id, and gives way to the one that the state knows the product by.
    package var hasMadeKey: Bool
    /// What it says in columns that only the market can change.
    package var shown: ShownCells
    /// Where the password of the product is found that the state knows; a row has none.
    var knownSecret: SecretReference?

    /// What a row has.
    package init(
        action: Action = .merge,
        header: [String] = [],
        hasMadeKey: Bool = false,
        shown: ShownCells = ShownCells()
    ) {
        self.action = action
        self.header = header
        self.hasMadeKey = hasMadeKey
        self.shown = shown
    }

    /// The key of a product that has no key but a number.
    ///
    /// It is a key whatever the id is: of a text all but letters of ASCII, digits, dots, dashes and underscores is written
    /// as `%` and the number of each byte.
    package static func key(madeOf id: MarketID) -> String {
        guard case .text(let text) = id else { return "product-\(id)" }
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
        return text.utf8.reduce(into: "product-") { key, byte in
            if plain.contains(byte) {
                key.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                key += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }

    /// The name of a column, from 1.
    func name(ofColumn column: UInt32) -> String? {
        let index = Int(column) - 1
        return header.indices.contains(index) ? header[index] : nil
    }

    /// The place of a column, from 1; 1 where the table has no such column.
    func number(of column: CatalogColumn) -> UInt32 {
        UInt32((header.firstIndex(of: column.rawValue) ?? 0) + 1)
    }
}

/// What a row says in columns that only the market can change, kept to notice where they were edited.
///
/// Of texts it keeps a hash: they are compared with what the market shows, and never shown themselves.
package struct ShownCells: Hashable, Sendable {
    /// The vendor's number.
    package var vendorID: Int64?
    /// What a sale takes off, where `sale_price` is beside it.
    package var discount: ExactDecimal?
    /// When the product was registered, where the cell is understood.
    private(set) var createdAt: CellTime?
    /// When it was registered or edited, where the cell is understood.
    private(set) var issuedAt: CellTime?
    private var vendor: UInt64 = 0
    private var thumbnail: UInt64 = 0
    private var images: UInt64 = 0

    /// Nothing said.
    init() {}

    /// Notes the text of a column.
    package mutating func note(_ text: String, in column: CatalogColumn) {
        let hash = Self.hash(text)
        switch column {
        case .vendor: vendor = hash
        case .thumbnail: thumbnail = hash
        case .images: images = hash
        case .createdAt: createdAt = CellTime(text)
        case .issuedAt: issuedAt = CellTime(text)
        default: preconditionFailure("\(column) is not a text that only the market can change")
        }
    }

    /// Whether a column has another text than the market shows; false where either says nothing.
    func differs(_ text: String?, in column: CatalogColumn) -> Bool {
        guard let text else { return false }
        let noted =
            switch column {
            case .vendor: vendor
            case .thumbnail: thumbnail
            case .images: images
            default: UInt64(0)
            }
        return noted != 0 && noted != Self.hash(text)
    }

    /// Never 0, which stands for nothing said.
    private static func hash(_ text: String) -> UInt64 {
        max(1, FNVHash(text.utf8).value)
    }
}
