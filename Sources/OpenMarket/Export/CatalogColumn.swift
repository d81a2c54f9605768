/// A column of an exported catalog.
///
/// The raw value is its name in the header.
package enum CatalogColumn: String, Sendable, CaseIterable {
    /// What the market calls the product.
    case id
    /// The manifest's key, where the state knows the product.
    case key
    /// The name.
    case name
    /// The long text; unset where the list does not show it.
    case description
    /// The price before any reduction.
    case price
    /// The currency code.
    case currency
    /// The price while a sale lasts; unset without a sale.
    case salePrice = "sale_price"
    /// What a sale takes off; unset without a sale.
    case discount
    /// Units for sale.
    case stock
    /// The vendor's number (v2).
    case vendorID = "vendor_id"
    /// The vendor's name (v2b lists, v2 details).
    case vendor
    /// The URL of the small picture.
    case thumbnail
    /// The URLs of the pictures, separated by spaces in a table; unset where the list does not show them.
    case images
    /// When it was registered, as the market writes it.
    case createdAt = "created_at"
    /// When it was registered or edited, as the market writes it (v2).
    case issuedAt = "issued_at"

    /// What kind of values a column has.
    package enum Kind: Sendable {
        /// Whole numbers.
        case count
        /// Amounts of money.
        case amount
        /// Texts.
        case text
        /// Several texts each.
        case list
    }

    /// What kind of values it has, in a market that calls products so.
    package func kind(ids: MarketID.Kind) -> Kind {
        switch self {
        case .id: ids == .number ? .count : .text
        case .stock, .vendorID: .count
        case .price, .salePrice, .discount: .amount
        case .key, .name, .description, .currency, .vendor, .thumbnail, .createdAt, .issuedAt: .text
        case .images: .list
        }
    }

    /// Whether its values are numbers, in a market that calls products so.
    package func isNumber(ids: MarketID.Kind) -> Bool { [.count, .amount].contains(kind(ids: ids)) }
}

extension CatalogColumn {
    /// What is wrong with a list of columns.
    package enum ListFault: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is no column of this name.
        case unknown(String)
        /// None is named, or one more than once.
        case notEachOnce

        package var description: String {
            switch self {
            case .unknown(let name):
                "there is no column '\(name)'; there are \(CatalogColumn.allCases.map(\.rawValue).joined(separator: ", "))"
            case .notEachOnce: "name at least one column, and each once"
            }
        }
    }

    /// The columns that a text names, separated by commas.
    ///
    /// - Throws: ``ListFault``.
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
