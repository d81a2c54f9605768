import OpenMarket

/// A page of the list, read.
struct LivePage: Sendable {
    /// The rows that could be read, in the market's order.
    var products: [LiveProduct] = []
    /// The rows that could not, or not in whole.
    var problems: [RowProblem] = []
    /// Those of the rows that show a sale price equal to the price (v1).
    var endedSales: [ProductID] = []
    /// How many rows there were, readable or not.
    var rowCount = 0
    /// How many products the market says it has in all (v2).
    var total: Int?
    /// The number of the last page, as the market says (v2).
    var lastPage: Int?
    /// How many rows the market puts on a page, as it says (v2).
    var pageSize: Int?
    /// Whether it was a page at all: an object with a list of rows, or nothing (past the end).
    var isPage = true
}

/// Reads pages of the list.
struct PageReader {
    private let rows: ProductReader
    private let page: Int

    /// A reader for one page of a deployment.
    init(_ dialect: Dialect, page: Int) {
        rows = ProductReader(discount: dialect.discount)
        self.page = page
    }

    private enum Name: Int, CaseIterable {
        case items, pages, products, totalCount, lastPage, itemsPerPage
    }

    private static let names = JSONNames(Name.allCases.map { "\($0)" })

    /// Reads a page's body; no bytes at all are the page past the end.
    ///
    /// - Throws: ``JSONError`` when the text is broken or cut off.
    func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> LivePage {
        guard !bytes.isEmpty else { return LivePage() }
        return try JSONReader.read(bytes) { reader throws(JSONError) in
            var page = LivePage()
            switch try reader.peek() {
            case .array: try readRows(&reader, &page)
            case .object:
                page.isPage = false
                try reader.beginObject()
                while let index = try reader.nextName(of: Self.names) {
                    var ignored: [String] = []
                    switch Name(rawValue: index) {
                    case .items, .pages, .products:
                        guard try reader.peek() == .array else {
                            try reader.skipValue()
                            continue
                        }
                        page.isPage = true
                        try readRows(&reader, &page)
                    case .totalCount: page.total = try reader.count(&ignored)
                    case .lastPage: page.lastPage = try reader.count(&ignored)
                    case .itemsPerPage: page.pageSize = try reader.count(&ignored)
                    case nil: try reader.skipValue()
                    }
                }
            default:
                page.isPage = false
                try reader.skipValue()
            }
            try reader.finish()
            return page
        }
    }

    private func readRows(_ reader: inout JSONReader, _ result: inout LivePage) throws(JSONError) {
        try reader.beginArray()
        while try reader.nextElement() {
            result.rowCount += 1
            let row = try rows.read(&reader)
            if let product = row.product {
                result.products.append(product)
                if row.showsEndedSale { result.endedSales.append(product.id) }
            }
            for fault in row.faults {
                let place = "page \(page), row \(result.rowCount)"
                result.problems.append(RowProblem(id: row.product?.id, place: place, message: fault))
            }
        }
    }
}

extension JSONReader {
    /// A count of things; `nil` where it is none.
    fileprivate mutating func count(_ faults: inout [String]) throws(JSONError) -> Int? {
        guard let value = try whole(orNote: "", &faults), (0...1_000_000_000_000).contains(value) else { return nil }
        return Int(value)
    }
}
