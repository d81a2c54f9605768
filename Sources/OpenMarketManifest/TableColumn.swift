import OpenMarket

/// What a column of a table is.
enum TableColumn: Equatable {
    case catalog(CatalogColumn)
    case action
    /// The user's own: `x-…`.
    case own
    /// Without a name: it has to be empty.
    case nameless
    /// With a name that was refused.
    case unknown

    /// What the column of actions is called.
    static let actionName = "_action"

    /// The columns that are read.
    static let read: [TableColumn] = CatalogColumn.allCases.map(TableColumn.catalog) + [.action]

    /// The column of a name.
    init(named name: String) {
        if let column = CatalogColumn(rawValue: name) {
            self = .catalog(column)
        } else if name == Self.actionName {
            self = .action
        } else if name.isEmpty {
            self = .nameless
        } else {
            self = name.hasPrefix("x-") ? .own : .unknown
        }
    }

    /// Its name; empty for columns that are not read.
    var name: String {
        switch self {
        case .catalog(let column): column.rawValue
        case .action: Self.actionName
        case .own, .nameless, .unknown: ""
        }
    }

    /// Whether it says what is done, and to which product.
    var saysWhich: Bool { self == .action || self == .catalog(.id) || self == .catalog(.key) }

    /// What its cells are for; `nil` for columns that are not read.
    var use: CellUse? {
        switch self {
        case .catalog(let column):
            switch column {
            case .id, .key: .identity
            case .currency: .word
            case .thumbnail, .images: .path
            case .vendor, .createdAt, .issuedAt: .shown
            default: column.isNumber(ids: .number) ? .number : .text
            }
        case .action: .word
        case .own, .nameless, .unknown: nil
        }
    }
}

/// What the cells of a column are for: what they may hold, and what of it means nothing.
enum CellUse: CaseIterable {
    /// The name of a product among others: every character counts, and each has to be seen.
    case identity
    case number
    /// One of a few words.
    case word
    /// A text of the product, to the last blank.
    case text
    /// Names of files, or URLs.
    case path
    /// What only the market changes: it is compared, and never taken.
    case shown

    /// Whether blanks around it mean nothing.
    var isTrimmed: Bool { self != .text && self != .shown }
}
