@testable import OpenMarket
@testable import OpenMarketClient

/// The reader of pages before markets were described, as an oracle.
struct EarlierPageReader {
    private let rows: EarlierProductReader
    private let paging: Dialect.Paging
    private let page: Int

    /// A reader for one page of a profile.
    init(_ dialect: Dialect, page: Int) {
        rows = EarlierProductReader(discount: dialect.discount, shows: dialect.rowFields)
        paging = dialect.paging
        self.page = page
    }

    private enum Name: Int, CaseIterable {
        case items, pages, products, page, totalCount, lastPage, itemsPerPage, hasNext
    }

    private static let names = JSONNames(Name.allCases.map { "\($0)" })

    /// What the profile calls the list of rows.
    private var ownList: Name {
        switch paging {
        case .fixed: .items
        case .sized: .pages
        }
    }

    /// Reads a page's body, without what its rows show.
    ///
    /// - Throws: ``JSONError`` when the text is broken or cut off.
    func read(_ bytes: Span<UInt8>) throws(JSONError) -> LivePage {
        var none = NoRows()
        return try read(bytes, collecting: &none)
    }

    /// Reads a page's body; no bytes at all are the page past the end.
    ///
    /// - Parameters:
    ///   - bytes: the body.
    ///   - rows: takes the rows that could be read; nothing, so far.
    /// - Returns: the page.
    /// - Throws: ``JSONError`` when the text is broken or cut off.
    func read<Rows: PageRows>(
        _ bytes: Span<UInt8>,
        collecting rows: inout Rows
    ) throws(JSONError) -> LivePage {
        let empty = rows
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
            case .array: try readRows(&reader, &page, &rows)
            case .object:
                var list: Name?
                var number: Int?
                try reader.beginObject()
                while let index = try reader.nextName(of: Self.names) {
                    var ignored: [String] = []
                    let name = Name(rawValue: index)
                    switch name {
                    case .items, .pages, .products:
                        // A page has one list; where it has more, that of the profile's own name counts.
                        guard try reader.peek() == .array, list == nil || name == ownList else {
                            try reader.skipValue()
                            continue
                        }
                        list = name
                        page.clearRows()
                        rows = empty
                        try readRows(&reader, &page, &rows)
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

    private func readRows<Rows: PageRows>(
        _ reader: inout JSONReader,
        _ result: inout LivePage,
        _ collected: inout Rows
    ) throws(JSONError) {
        var order = JSONNameOrder()
        var day = Day()
        var faults: [String] = []
        try reader.beginArray()
        while try reader.nextElement() {
            result.rowCount += 1
            let start = reader.offset
            var row = LiveRow()
            let isNumbered = try rows.read(&reader, in: &order, into: &row, &faults)
            if isNumbered {
                result.ids.append(row.id)
                result.orderKeys.append(day.string(row.createdAt))
                collected.append(row)
            } else {
                result.unreadableRows.append(
                    reader.text(from: start).documentHash.value
                )
            }
            guard !faults.isEmpty else { continue }
            let place = "page \(page), row \(result.rowCount)"
            for fault in faults {
                result.problems.append(
                    RowProblem(
                        id: isNumbered ? row.id : nil,
                        name: isNumbered ? nil : row.name?.string,
                        place: place,
                        message: fault
                    )
                )
            }
            faults.removeAll(keepingCapacity: true)
        }
    }

    /// Makes one string of the days that follow one another and are the same, as most are.
    private struct Day {
        private var last: (text: JSONText, string: String)?

        mutating func string(_ text: JSONText?) -> String? {
            guard let text else { return nil }
            if let last, last.text.isSpelled(like: text) { return last.string }
            let string = text.string
            last = (text, string)
            return string
        }
    }
}

/// Nothing of what the rows of a page show.
private struct NoRows: PageRows {
    private(set) var count = 0

    mutating func append(_ row: LiveRow) { count += 1 }
    mutating func append(_ product: LiveProduct) { count += 1 }
    mutating func keep(_ places: [Int]) { count = places.count }
}

extension JSONReader {
    /// A count of things; `nil` for anything else.
    fileprivate mutating func count(_ faults: inout [String]) throws(JSONError) -> Int? {
        guard let value = try whole(orNote: "", &faults), (0...1_000_000_000_000).contains(value) else { return nil }
        return Int(value)
    }
}
