import OpenMarket
import OpenMarketTestSupport

@testable import OpenMarketClient

/// What must hold for the readers of pages and details, whatever the market answers; what they read is exported, too.
enum PageFuzz {
    /// What is wrong with the readers; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        for profile in MarketProfile.allCases {
            let dialect = Dialect(profile)
            var rows = ProductRows()
            if let page = bytes.withUnsafeBytes({ try? PageReader(dialect, page: 1).read($0, collecting: &rows) }) {
                if page.ids.count > page.rowCount { return "\(profile): more products than rows" }
                if page.ids != rows.products.map(\.id) { return "\(profile): products of other rows" }
                if page.rowCount > bytes.count { return "\(profile): more rows than bytes" }
                if page.problems.contains(where: \.message.isEmpty) { return "\(profile): a problem without a message" }
                let bad = page.rowCount - page.ids.count
                if page.problems.count(where: { $0.id == nil }) < bad { return "\(profile): a row is lost silently" }
                if let fault = exportFault(rows.products) { return "\(profile): \(fault)" }
                if let fault = exportFault(bytes, dialect, as: rows.products) { return "\(profile): \(fault)" }
            }
            if let row = try? detail(bytes, dialect), row.product == nil, row.faults.isEmpty {
                return "\(profile): no product, and nothing wrong with it"
            }
        }
        return nil
    }

    private static func detail(_ bytes: [UInt8], _ dialect: Dialect) throws(JSONError) -> ProductReader.Row {
        try JSONReader.read(bytes) { reader throws(JSONError) in
            let row = try ProductReader(discount: dialect.discount).read(&reader)
            try reader.finish()
            return row
        }
    }

    /// Writes a page's rows straight from its bytes, and compares that with what their products are written as.
    private static func exportFault(_ bytes: [UInt8], _ dialect: Dialect, as products: [LiveProduct]) -> String? {
        for format in [CatalogCSV(), CatalogJSONLines()] as [any CatalogFormat] {
            var format = format
            _ = format.takeBytes()
            var rows = CatalogRows(in: format, keys: ProductKeys())
            _ = bytes.withUnsafeBytes { try? PageReader(dialect, page: 1).read($0, collecting: &rows) }
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
