@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketClient

/// What must hold for the readers of pages and details, whatever the market answers; what they read is exported, too.
enum PageFuzz {
    /// What is wrong with the readers; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        for wire in wires {
            var rows = ProductRows()
            let reply = KeptReply(200, headers: headers(wire, bytes))
            if let page = try? PageReader(wire, page: 1).read(reply, bytes.span, collecting: &rows) {
                if let fault = fault(page, bytes) { return "\(wire.name): \(fault)" }
                if page.ids != rows.products.map(\.id) { return "\(wire.name): products of other rows" }
                if let fault = exportFault(rows.products) { return "\(wire.name): \(fault)" }
                if let fault = exportFault(bytes, wire, as: rows.products) { return "\(wire.name): \(fault)" }
            }
            // A refusal is a page only where it is the end of the list.
            for status in [400, 404, 416, 500] {
                let refusal = KeptReply(status)
                if let page = try? PageReader(wire, page: 2).read(refusal, bytes.span), page.isPage,
                    !wire.pages.endStatuses.contains(status) || page.rowCount > 0
                {
                    return "\(wire.name): a refusal with \(status) is a page"
                }
            }
            if let row = try? wire.details.read(bytes.span), row.product == nil,
                row.faults.isEmpty
            {
                return "\(wire.name): no product, and nothing wrong with it"
            }
        }
        return nil
    }

    private static func fault(_ page: LivePage, _ bytes: [UInt8]) -> String? {
        if page.ids.count > page.rowCount { return "more products than rows" }
        if page.orderKeys.count != page.ids.count { return "keys of other rows" }
        if page.rowCount > bytes.count { return "more rows than bytes" }
        if page.problems.contains(where: \.message.isEmpty) { return "a problem without a message" }
        let bad = page.rowCount - page.ids.count
        if page.unreadableRows.count != bad { return "unreadable rows that are not counted" }
        if page.problems.count(where: { $0.id == nil }) < bad { return "a row is lost silently" }
        if page.absent.contains(where: { !page.ids.indices.contains($0) }) { return "a deleted row that is not there" }
        if case .at(let next) = page.next, next.utf8.count > 4 << 10 {
            return "a next page of \(next.utf8.count) bytes"
        }
        return nil
    }

    /// The first line as each header that the market is read with.
    private static func headers(_ wire: MarketWire, _ bytes: [UInt8]) -> [(name: String, value: String)] {
        let line = String(decoding: bytes.prefix { $0 != 10 }.prefix(8 << 10), as: UTF8.self)
        return wire.pages.headers.map { ($0, line) }
    }

    /// The built-in markets, and one for each other way to list products and to show them.
    static let wires: [MarketWire] =
        MarketProfile.builtIns.map { MarketWire($0) }
        + described.compactMap { text in
            MarketDescriptionLoader.load(Array(text.utf8)).description.map { MarketWire($0) }
        }

    static let described = [
        """
        market: 1
        name: keyset
        identity: {id: {at: /id, as: integer, order: rising}, absent: [{at: /gone, present: true}]}
        fields:
          name: {at: [/title, /name], as: text}
          price: {at: /price, as: number, unset: null}
          currency: {at: /currency, as: code, case: lower}
          stock: {at: /stock, as: integer, with: {/managed: true}}
        list:
          path: /products
          page: {by: keyset, last: /id, query: {id: "gt.{last}"}, size: {param: limit, standard: 500}}
          rows: ""
          total: {header: Content-Range, after: "/"}
          past_end: [empty]
          order: {by: [/id], direction: rising, moves: never}
          complete: keyset
        """,
        """
        market: 1
        name: cursor
        identity: {id: {at: /id, as: text}, ours: [{at: /type, one_of: [ITEM, simple]}]}
        fields:
          name: {at: /data/name}
          price: {at: /data/prices/0/money/amount, as: minor_units}
          currency: {at: /data/prices/0/money/currency}
          stock: {at: /stocks, item: {where: /place, is: main, value: /count}, as: integer}
          updated: {at: /updated_at}
        pictures: {style: none, read: {at: /images, id: /id, url: /src/full, thumbnail: /src/small}}
        list:
          path: /list
          page: {by: cursor, param: cursor, next: {at: [/cursor, /meta/next]}}
          rows: [/objects, /items, ""]
          more: {at: /meta/more}
          complete: twice
        """,
        """
        market: 1
        name: next
        identity: {id: {at: /0, as: integer}}
        fields:
          name: {at: /1}
          price: {at: /2, as: decimal_text}
          sale: {at: /3, as: decimal_text, means: compare_at, none: ""}
          currency: {fixed: EUR}
        pictures: {style: none, read: {at: /4, one: true}}
        list:
          path: /rows
          page: {by: next, next: {at: [/next, /links/next/href], host: ignored}, query: {limit: "50"}}
          rows: [/rows, /_embedded/rows]
          complete: twice
        """,
        """
        market: 1
        name: link
        identity: {id: {at: /id, as: integer}}
        fields: {name: {at: /name}, price: {at: /price, as: whole}, sale: {at: /off, as: number, means: amount_off, none: 0}, currency: {fixed: KRW}}
        list:
          path: /products
          page: {by: next, next: {header: Link, rel: next}}
          rows: /products
          complete: twice
        """,
        """
        market: 1
        name: offset
        identity: {id: {at: /id, as: integer}}
        fields: {name: {at: /name}, price: {at: /price, as: number}}
        list:
          path: /products
          page: {by: offset, param: offset, size: {param: limit, standard: 100}}
          rows: /products
          total: {at: /total}
          past_end: [empty, {answer: 404, at: /detail, present: true}, "416"]
          complete: twice
        """,
        """
        market: 1
        name: whole
        identity: {id: {at: /sku, as: text}}
        fields: {name: {at: /title}}
        list: {path: /products.json, page: {by: none}, rows: [/products, ""], complete: whole}
        """,
    ]

    /// Writes a page's rows straight from its bytes, and compares that with what their products are written as.
    private static func exportFault(_ bytes: [UInt8], _ wire: MarketWire, as products: [LiveProduct]) -> String? {
        for format in [CatalogCSV(), CatalogJSONLines()] as [any CatalogFormat] {
            var format = format
            _ = format.takeBytes()
            var rows = CatalogRows(in: format, keys: ProductKeys())
            _ = try? PageReader(wire, page: 1).read(KeptReply(200), bytes.span, collecting: &rows)
            for product in products { format.append(product, key: nil) }
            if rows.takeBytes() != format.takeBytes() { return "a row is written as another product" }
        }
        return nil
    }

    /// Writes products as CSV and as JSON lines, and reads both again.
    private static func exportFault(_ products: [LiveProduct]) -> String? {
        var table = CatalogCSV()
        var lines = CatalogJSONLines()
        for (number, product) in products.enumerated() {
            table.append(product, key: number % 2 == 0 ? product.name : nil)
            lines.append(product, key: nil)
        }
        do {
            let read = try StrictCSV(table.takeBytes())
            if read.records.count != products.count + 1 { return "the CSV has \(read.records.count) records" }
            for (row, product) in zip(read.rows, products) {
                if row["name"] != product.name ?? "" { return "the CSV has another name" }
            }
        } catch {
            return "the CSV cannot be read: \(error)"
        }
        let texts = lines.takeBytes().split(separator: UInt8(ascii: "\n"))
        if texts.count != products.count { return "there are \(texts.count) JSON lines" }
        for text in texts {
            guard (try? JSONValue.parse(Array(text)))?.members != nil else { return "a JSON line cannot be read" }
        }
        return nil
    }
}

extension KeptReply {
    init(_ status: Int, headers: [(name: String, value: String)] = []) {
        let headers = headers.map { Header(name: $0.name, value: $0.value) }
        self.init(number: 1, request: "", status: status, headers: headers)
    }
}
