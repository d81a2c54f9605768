import OpenMarket
import OpenMarketDescription

struct DetailReader: Sendable {
    private let products: ProductReader
    private let tree: MemberTree
    private let isMissing: Bool
    private let place: JSONPointer

    /// `isMissing` is whether a reply without a product means that there is no such product.
    ///
    /// `parameters` come from a manifest.
    init(
        _ products: ProductReader,
        at place: JSONPointer,
        isMissing: Bool,
        _ market: MarketDescription,
        _ parameters: [String: String]
    ) {
        self.products = products
        self.isMissing = isMissing
        self.place = place
        var builder = MemberTree.Builder(isLoose: market.names == .loose)
        builder.handOver(at: place.names(parameters), withObjects: true)
        tree = builder.tree()
    }

    /// Reads a reply; `nil` if it means that there is no such product.
    ///
    /// Throws ``JSONError`` if the text is malformed or truncated.
    func read(_ bytes: Span<UInt8>) throws(JSONError) -> ProductReader.Row? {
        if bytes.isEmpty, isMissing { return nil }
        var taker = ProductTaker(reader: products)
        var values = MemberValues(for: tree)
        let tree = tree
        try JSONReader.read(bytes) { reader throws(JSONError) in
            try tree.read(&reader, into: &values, arrays: &taker)
            try reader.finish()
        }
        if let row = taker.row { return row }
        guard !isMissing else { return nil }
        let fault = place == .whole ? "it is not an object" : "the product at '\(place)' is missing"
        return ProductReader.Row(faults: [fault])
    }
}

private struct ProductTaker: NestedReader {
    let reader: ProductReader
    var row: ProductReader.Row?

    init(reader: ProductReader) { self.reader = reader }

    mutating func take(_ rank: Int, _ json: inout JSONReader) throws(JSONError) { row = try reader.read(&json) }
}
