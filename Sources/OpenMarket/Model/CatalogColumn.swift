/// A column of an exported catalog.
///
/// The raw value is its name in the header.
package enum CatalogColumn: String, Sendable, CaseIterable {
    /// The market's ID of the product.
    case id
    /// The manifest's key, if the product is in the state.
    case key
    case name
    /// The long text; unset if the list omits it.
    case description
    /// The price before any reduction.
    case price
    case currency
    /// Unset without a sale.
    case salePrice = "sale_price"
    /// The reduction by the sale; unset without a sale.
    case discount
    case stock
    /// The vendor's number (v2).
    case vendorID = "vendor_id"
    /// The vendor's name (v2b lists, v2 details).
    case vendor
    /// The URL of the small picture.
    case thumbnail
    /// The URLs of the pictures, separated by spaces in a table; unset if the list does not show them.
    case images
    /// The time of registration, as the market writes it.
    case createdAt = "created_at"
    /// The time of registration or the last edit, as the market writes it (v2).
    case issuedAt = "issued_at"

    package enum Kind: Sendable {
        case count
        case amount
        case text
        case list
    }

    /// The kind of the column's values, given the market's kind of IDs.
    package func kind(ids: MarketID.Kind) -> Kind {
        switch self {
        case .id: ids == .number ? .count : .text
        case .stock, .vendorID: .count
        case .price, .salePrice, .discount: .amount
        case .key, .name, .description, .currency, .vendor, .thumbnail, .createdAt, .issuedAt: .text
        case .images: .list
        }
    }

    package func isNumber(ids: MarketID.Kind) -> Bool { [.count, .amount].contains(kind(ids: ids)) }
}

extension CatalogColumn {
    package enum ListFault: Error, Hashable, Sendable, CustomStringConvertible {
        case unknown(String)
        /// No column is named, or one is repeated.
        case notEachOnce

        package var description: String {
            switch self {
            case .unknown(let name):
                "unknown column '\(name)'; the columns are \(CatalogColumn.allCases.map(\.rawValue).joined(separator: ", "))"
            case .notEachOnce: "name at least one column, and each once"
            }
        }
    }

    package static func list(_ text: String) throws(ListFault) -> [CatalogColumn] {
        var columns: [CatalogColumn] = []
        for name in text.split(separator: ",") {
            guard let column = CatalogColumn(rawValue: name.filter { $0 != " " }) else { throw .unknown(String(name)) }
            columns.append(column)
        }
        guard !columns.isEmpty, Set(columns).count == columns.count else { throw .notEachOnce }
        return columns
    }
}
