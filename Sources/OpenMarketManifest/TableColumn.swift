import OpenMarket

enum TableColumn: Equatable {
    case catalog(CatalogColumn)
    case action
    /// A user's own column: `x-…`.
    case own
    /// A column without a name, which must be empty.
    case nameless
    /// A column with a refused name.
    case unknown

    static let actionName = "_action"

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

    /// The place of its cell in the reading of a row: some cells depend on those before them.
    var rank: Int {
        let first = [Self.action, .catalog(.id), .catalog(.currency), .catalog(.price), .catalog(.images)]
        return first.firstIndex(of: self) ?? first.count
    }

    /// Whether it states the action or the product.
    var identifiesRow: Bool { self == .action || self == .catalog(.id) || self == .catalog(.key) }

    /// The use of its cells; `nil` for columns that are not read.
    var use: CellUse? {
        switch self {
        case .catalog(let column):
            switch column {
            case .id, .key: .identity
            case .currency: .word
            case .thumbnail, .images: .path
            case .vendor: .shown
            case .createdAt, .issuedAt: nil
            default: column.isNumber(ids: .number) ? .number : .text
            }
        case .action: .word
        case .own, .nameless, .unknown: nil
        }
    }
}

/// How a column's cells are read: which characters they may contain, and which are ignored.
enum CellUse: CaseIterable {
    /// A name that identifies products: every character counts and must be visible.
    case identity
    case number
    /// One of a few words.
    case word
    /// A text of the product, including trailing blanks.
    case text
    /// Names of files, or URLs.
    case path
    /// A value that only the market changes: it is compared, also if it is damaged, and never applied.
    case shown

    var isTrimmed: Bool { self != .text }
}
