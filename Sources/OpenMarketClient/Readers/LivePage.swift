import OpenMarket

/// A page of the list, read.
struct LivePage: Sendable {
    /// The rows that could be read, in the market's order.
    var products: [LiveProduct] = []
    /// The rows that could not, or not in whole.
    var problems: [RowProblem] = []
    /// How many rows there were, readable or not.
    var rowCount = 0
    /// How many products the market says it has in all (v2).
    var total: Int?
    /// The number of the last page, as the market says (v2).
    var lastPage: Int?
    /// How many rows the market puts on a page, as it says (v2).
    var pageSize: Int?
    /// Whether the market says that another page follows (v2).
    var hasNext: Bool?
    /// The rows without a number that can be read, each by a digest of its bytes.
    var unreadableRows: [UInt64] = []
    /// Whether it was a page at all: an object with a list of rows, or nothing (past the end).
    var isPage = true
    /// Whether, where there are no rows, the page says so in the words of its API.
    ///
    /// An answer without a body, `[]`, or a page without its own number or count may come from anything that stands
    /// before the market.
    var provesItsEnd = true

    fileprivate mutating func clearRows() {
        products = []
        problems = []
        unreadableRows = []
        rowCount = 0
    }
}

/// Reads pages of the list.
struct PageReader {
    private let rows: ProductReader
    private let paging: Dialect.Paging
    private let page: Int

    /// A reader for one page of a deployment.
    init(_ dialect: Dialect, page: Int) {
        rows = ProductReader(discount: dialect.discount, shows: dialect.rowFields)
        paging = dialect.paging
        self.page = page
    }

    private enum Name: Int, CaseIterable {
        case items, pages, products, page, totalCount, lastPage, itemsPerPage, hasNext
    }

    private static let names = JSONNames(Name.allCases.map { "\($0)" })

    /// What the deployment calls the list of rows.
    private var ownList: Name {
        switch paging {
        case .fixed: .items
        case .sized: .pages
        }
    }

    /// Reads a page's body; no bytes at all are the page past the end.
    ///
    /// - Throws: ``JSONError`` when the text is broken or cut off.
    func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> LivePage {
        var page = LivePage()
        guard !bytes.isEmpty else {
            // Past its last page v2 answers nothing (docs/profiles.md); v1 always answers a page.
            if case .fixed = paging { page.provesItsEnd = false }
            page.provesItsEnd = page.provesItsEnd && self.page > 1
            return page
        }
        return try JSONReader.read(bytes) { reader throws(JSONError) in
            page.provesItsEnd = false
            switch try reader.peek() {
            case .array: try readRows(&reader, &page, of: bytes)
            case .object:
                var list: Name?
                var number: Int?
                try reader.beginObject()
                while let index = try reader.nextName(of: Self.names) {
                    var ignored: [String] = []
                    let name = Name(rawValue: index)
                    switch name {
                    case .items, .pages, .products:
                        // A page has one list; where it has more, that of the deployment's own name counts.
                        guard try reader.peek() == .array, list == nil || name == ownList else {
                            try reader.skipValue()
                            continue
                        }
                        list = name
                        page.clearRows()
                        try readRows(&reader, &page, of: bytes)
                    case .page: number = try reader.count(&ignored)
                    case .totalCount: page.total = try reader.count(&ignored)
                    case .lastPage: page.lastPage = try reader.count(&ignored)
                    case .itemsPerPage: page.pageSize = try reader.count(&ignored)
                    case .hasNext:
                        if try reader.peek() == .bool {
                            page.hasNext = try reader.readBool()
                        } else {
                            try reader.skipValue()
                        }
                    case nil: try reader.skipValue()
                    }
                }
                page.isPage = list != nil
                page.provesItsEnd =
                    switch paging {
                    case .fixed: list == ownList && number != nil
                    case .sized: list == ownList && (self.page > 1 || page.total == 0 && page.hasNext != true)
                    }
            default:
                page.isPage = false
                try reader.skipValue()
            }
            try reader.finish()
            return page
        }
    }

    private func readRows(
        _ reader: inout JSONReader,
        _ result: inout LivePage,
        of bytes: UnsafeRawBufferPointer
    ) throws(JSONError) {
        try reader.beginArray()
        while try reader.nextElement() {
            result.rowCount += 1
            let start = reader.offset
            let row = try rows.read(&reader)
            if let product = row.product {
                result.products.append(product)
            } else {
                result.unreadableRows.append(
                    Self.digest(UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset]))
                )
            }
            for fault in row.faults {
                let place = "page \(page), row \(result.rowCount)"
                result.problems.append(
                    RowProblem(id: row.product?.id, name: row.unnumberedName, place: place, message: fault)
                )
            }
        }
    }

    /// FNV-1a: distinguishes rows; not a cryptographic hash.
    private static func digest(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}

extension JSONReader {
    /// A count of things; `nil` where it is none.
    fileprivate mutating func count(_ faults: inout [String]) throws(JSONError) -> Int? {
        guard let value = try whole(orNote: "", &faults), (0...1_000_000_000_000).contains(value) else { return nil }
        return Int(value)
    }
}
