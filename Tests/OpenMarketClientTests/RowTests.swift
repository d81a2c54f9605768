@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// Rows on their way from a page's bytes to an export's, beside the same way through trees and strings.
struct RowTests {
    /// A row as the slow way has it.
    private struct SlowRow {
        var id: Int64?
        var vendorID: Int64?
        var price: ExactDecimal?
        var salePrice: ExactDecimal?
        var stock: Int64?
        var name, description, currency, vendor, thumbnail, createdAt, issuedAt: String?
        var images: [String]?

        init(_ row: JSONValue, _ profile: MarketProfile) {
            let isOld = profile == .v1a || profile == .v1b
            id = Self.first(["id"], row).flatMap(Self.decimal)?.wholeValue
            name = Self.first(isOld ? ["title", "name"] : ["name"], row).flatMap(Self.text)
            let texts = ["description", "descriptions"]
            description = Self.first(isOld ? texts.reversed() : texts, row).flatMap(Self.text)
            price = Self.first(["price"], row).flatMap(Self.decimal)
            currency = Self.first(["currency"], row).flatMap(Self.text)
            stock = Self.first(["stock"], row).flatMap(Self.decimal)?.wholeValue
            createdAt = Self.first([isOld ? "registrationdate" : "createdat"], row).flatMap(Self.text)
            images = Self.first(["images"], row)?.elements?.compactMap { image in
                image.members == nil ? Self.text(image) : isOld ? nil : Self.url(image)
            }
            let discount = Self.first(["discountedprice"], row)
            if isOld {
                thumbnail = Self.first(["thumbnails"], row)?.elements?.first.flatMap(Self.text)
                salePrice = discount.flatMap(Self.decimal)
            } else {
                thumbnail = Self.first(["thumbnail"], row).flatMap(Self.text)
                issuedAt = Self.first(["issuedat"], row).flatMap(Self.text)
                let vendors = Self.first(["vendors"], row) ?? .null
                vendorID =
                    (Self.first(["vendorid"], row) ?? Self.first(["id"], vendors)).flatMap(Self.decimal)?.wholeValue
                vendor = (Self.first(["vendorname"], row) ?? Self.first(["name"], vendors)).flatMap(Self.text)
                if let discount {
                    salePrice = Self.decimal(discount).flatMap { price?.subtracting($0) }
                } else if price != nil {
                    salePrice = Self.first(["bargainprice"], row).flatMap(Self.decimal)
                }
            }
            if salePrice == price { salePrice = nil }
        }

        /// The first of some members that is there and not null, whatever its spelling; of several of one name the last.
        private static func first(_ names: [String], _ object: JSONValue) -> JSONValue? {
            for name in names {
                let members = object.members?.filter { $0.name.filter { $0 != "_" }.lowercased() == name }
                if let value = members?.last?.value, !value.isNull { return value }
            }
            return nil
        }

        private static func text(_ value: JSONValue) -> String? {
            switch value {
            case .string(let text): text
            case .number(let number): number.description
            case .bool(let truth): truth ? "true" : "false"
            default: nil
            }
        }

        private static func decimal(_ value: JSONValue) -> ExactDecimal? {
            value.decimal ?? value.text.flatMap { ExactDecimal($0.split(separator: " ").joined()) }
        }

        private static func url(_ image: JSONValue) -> String? { image["url"].flatMap(text) }

        /// The values in the order of the columns: texts, or what needs no quotes.
        func values(key: String?) -> [(CatalogColumn, JSONValue)] {
            func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
            func number(_ number: ExactDecimal?) -> JSONValue { number.map(JSONValue.number) ?? .null }
            func whole(_ number: Int64?) -> JSONValue { number.map { .number(ExactDecimal($0)) } ?? .null }
            let discount = salePrice.flatMap { price?.subtracting($0) }
            return [
                (.id, whole(id)), (.key, text(key)), (.name, text(name)), (.description, text(description)),
                (.price, number(price)), (.currency, text(currency)), (.salePrice, number(salePrice)),
                (.discount, number(discount)), (.stock, whole(stock)), (.vendorID, whole(vendorID)),
                (.vendor, text(vendor)), (.thumbnail, text(thumbnail)),
                (.images, images.map { .array($0.map(JSONValue.string)) } ?? .null), (.createdAt, text(createdAt)),
                (.issuedAt, text(issuedAt)),
            ]
        }
    }

    private static func csv(_ values: [(CatalogColumn, JSONValue)]) -> String {
        values.map { _, value in
            let text = value.text ?? value.elements?.compactMap(\.text).joined(separator: " ")
            guard let text else { return value.decimal?.description ?? "" }
            guard text.isEmpty || text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else {
                return text
            }
            return "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        }
        .joined(separator: ",") + "\r\n"
    }

    private static func line(_ values: [(CatalogColumn, JSONValue)]) -> [UInt8] {
        JSONValue.object(values.map { JSONValue.Member($0.rawValue, $1) }).bytes() + [0x0A]
    }

    // MARK: Pages

    private static let numbered = [
        ["price"], ["discounted_price", "discountedPrice"], ["bargain_price"], ["stock", "STOCK"],
        ["vendor_id", "vendorId"],
    ]
    private static let others = [
        ["name", "Name", "title"], ["description", "descriptions", "Description"], ["currency"], ["thumbnail"],
        ["thumbnails"], ["images"], ["created_at", "createdAt", "registration_date"], ["issued_at"],
        ["vendorName", "vendor_name"], ["vendors"], ["other", "nam", "pricee", "name_of_the_shop_and_more", ""],
    ]
    private static let numbers = [
        "1", "0", "-7", "6.0E7", "12000.50", "1200", "199.99", "1e400", "1.5", "true", "null", #""""#, #""1200.50""#,
        #"" 7 ""#, #""Desk""#, "[]", "{}",
    ]
    // Numbers are texts as they are spelled, which trees forget.
    private static let texts = [
        "1", "true", "false", "null", #""""#, #""KRW""#, #""Desk lamp""#, #""책상, 조명""#, #""a \"b\"""#, #""x\ry""#,
        #""a\nb\\\/\u00e9\ud83d\ude00""#, #""2022-11-15T00:00:00""#, #""https://pictures.example/1_thumb.png""#, "[]",
        "{}", #"["u1","u2, u3"]"#, #"[{"id":1,"url":"u\u0031"},{"url":7},{},"u"]"#, #"{"id":29,"name":"ex,ample"}"#,
        "[[1]]",
    ]

    private static func row(_ id: Int, _ random: inout SeededGenerator) -> String {
        var members = [(#""id""#, "\(id)")]
        for (spellings, values) in numbered.map({ ($0, numbers) }) + others.map({ ($0, texts) })
        where Int.random(in: 0..<4, using: &random) > 0 {
            // The first spelling is the one of most rows.
            let isUsual = Int.random(in: 0..<6, using: &random) > 0
            let name = isUsual ? spellings[0] : spellings.randomElement(using: &random)!
            members.append((#""\#(name)""#, values.randomElement(using: &random)!))
        }
        if Int.random(in: 0..<5, using: &random) == 0 { members.shuffle(using: &random) }
        let space = Int.random(in: 0..<5, using: &random) == 0 ? " \n" : ""
        return "{" + members.map { $0.0 + space + ":" + space + $0.1 }.joined(separator: "," + space) + "}"
    }

    @Test(arguments: MarketProfile.builtIns)
    func `rows come out of their page's bytes as through trees and strings`(profile: MarketProfile) throws {
        var keys = ProductKeys()
        for id in 1...400 as ClosedRange<Int64> where id % 2 == 0 { keys.append(MarketID(id), #"lamp-\#(id), "a""#) }
        for seed in TestScope.seeds(400) {
            var random = SeededGenerator(seed: seed)
            let ids = Array((1...400).shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)))
            let rows = ids.map { Self.row($0, &random) }
            let list = profile == .v1a || profile == .v1b ? "items" : "pages"
            let page = Array(#"{"\#(list)":[\#(rows.joined(separator: ","))]}"#.utf8)

            let slow = try #require(JSONValue.parse(page)[list]?.elements).map { SlowRow($0, profile) }
            #expect(slow.map(\.id) == ids.map(Int64.init), "seed \(seed)")
            let expected = slow.map { row in row.values(key: row.id.flatMap { keys[MarketID($0)] }) }
            let kept = expected.indices.filter { _ in Bool.random(using: &random) }
            for places in [Array(expected.indices), kept] {
                let csv = try Self.rows(page, profile, CatalogCSV(), keys, places)
                let wanted = places.map { Self.csv(expected[$0]) }.joined()
                #expect(String(decoding: csv, as: UTF8.self) == wanted, "seed \(seed)")
                let lines = try Self.rows(page, profile, CatalogJSONLines(), keys, places)
                #expect(lines == places.flatMap { Self.line(expected[$0]) }, "seed \(seed)")
            }
        }
    }

    /// The rows at some places of a page, written.
    private static func rows(
        _ page: [UInt8],
        _ profile: MarketProfile,
        _ format: some CatalogFormat,
        _ keys: ProductKeys,
        _ places: [Int]
    ) throws -> [UInt8] {
        var format = format
        _ = format.takeBytes()
        var rows = CatalogRows(in: format, keys: keys)
        _ = try PageReader(MarketWire(profile), page: 1).read(KeptReply(200), page.span, collecting: &rows)
        rows.keep(places)
        #expect(rows.count == places.count)
        return rows.takeBytes()
    }
}
