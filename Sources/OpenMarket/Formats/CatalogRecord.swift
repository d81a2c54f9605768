/// The values of an exported record: a product, or a row that is still in its page.
package protocol CatalogRecord {
    associatedtype Text: CatalogText

    var id: MarketID { get }
    /// The key on the live product.
    var key: Text? { get }
    var vendorID: Int64? { get }
    var vendorName: Text? { get }
    var name: Text? { get }
    var description: Text? { get }
    var price: ExactDecimal? { get }
    var currencyCode: Text? { get }
    var sale: Sale? { get }
    var stock: Int64? { get }
    var thumbnailURL: Text? { get }
    var images: [LiveProduct.Image]? { get }
    var createdAt: Text? { get }
    var issuedAt: Text? { get }
}

package protocol CatalogText {
    func lendUTF8(_ body: (Span<UInt8>) -> Void)
}

package protocol CatalogRecordWriter {
    mutating func put(_ text: some CatalogText)
    mutating func put(_ number: Int64)
    mutating func put(_ number: ExactDecimal)
    mutating func put(_ texts: [String])
    mutating func putUnset()
}

extension CatalogColumn {
    /// Writes the column's exact value; unset if the market did not show it.
    ///
    /// `key` is the manifest's, if the product is in the state; it precedes the live product's.
    package func put(_ record: some CatalogRecord, key: String?, into writer: inout some CatalogRecordWriter) {
        switch self {
        case .id: writer.put(record.id)
        case .key: if let key { writer.put(key) } else { writer.put(record.key) }
        case .name: writer.put(record.name)
        case .description: writer.put(record.description)
        case .price: writer.put(record.price)
        case .currency: writer.put(record.currencyCode)
        case .salePrice: writer.put(record.sale?.salePrice)
        case .discount: writer.put(record.discount)
        case .stock: writer.put(record.stock)
        case .vendorID: writer.put(record.vendorID)
        case .vendor: writer.put(record.vendorName)
        case .thumbnail: writer.put(record.thumbnailURL)
        case .images:
            let addresses = record.images?.map(\.url)
            // An incomplete list would look complete.
            let isReported = addresses?.contains(where: \.isConcealed) == false
            if isReported, let addresses { writer.put(addresses) } else { writer.putUnset() }
        case .createdAt: writer.put(record.createdAt)
        case .issuedAt: writer.put(record.issuedAt)
        }
    }
}

extension CatalogRecordWriter {
    package mutating func put(_ id: MarketID) {
        switch id {
        case .number(let number): put(number)
        case .text(let text): put(text)
        }
    }

    /// Leaves out texts that hold a credential.
    fileprivate mutating func put(_ text: (some CatalogText)?) {
        var isReported = text != nil
        text?.lendUTF8 { if ConcealedText.isOne($0) { isReported = false } }
        if isReported, let text { put(text) } else { putUnset() }
    }
    fileprivate mutating func put(_ number: Int64?) { if let number { put(number) } else { putUnset() } }
    fileprivate mutating func put(_ number: ExactDecimal?) { if let number { put(number) } else { putUnset() } }
}

extension CatalogRecord {
    /// `nil` without a sale.
    fileprivate var discount: ExactDecimal? {
        guard let salePrice = sale?.salePrice, let price else { return nil }
        return price.subtracting(salePrice)
    }
}

extension LiveRow: CatalogRecord {}

extension LiveProduct: CatalogRecord {
    package var currencyCode: String? { currency?.rawValue }
}

extension JSONText: CatalogText {
    package func lendUTF8(_ body: (Span<UInt8>) -> Void) { withUTF8Span(body) }
}

extension String: CatalogText {
    package func lendUTF8(_ body: (Span<UInt8>) -> Void) {
        withUTF8Span(body)
    }
}

extension CatalogValue {
    func put(into writer: inout some CatalogRecordWriter) {
        switch self {
        case .unset: writer.putUnset()
        case .number(let number): writer.put(number)
        case .text(let text): writer.put(text.text)
        case .texts(let texts): writer.put(texts.map(\.text))
        }
    }
}
