@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct CSVTests {
    private func text(_ csv: inout CatalogCSV) -> String {
        String(decoding: csv.takeBytes(), as: UTF8.self)
    }

    @Test func `a product is one record with every column`() throws {
        var csv = CatalogCSV()
        let product = LiveProduct(
            id: MarketID(193),
            vendorID: 29,
            vendorName: "example",
            name: "Desk \"Lamp\", warm",
            description: "Two arms.\r\nOne bulb.",
            price: ExactDecimal("6.0E7"),
            currency: .krw,
            sale: .price(try #require(ExactDecimal("59999999.50"))),
            stock: 1_000_000_000_000,
            thumbnailURL: "https://m.example/t.png",
            images: [.init(id: 1, url: "https://m.example/1.png"), .init(id: 2, url: "https://m.example/2.png")],
            createdAt: "2022-11-15T00:00:00",
            issuedAt: "2022-11-16T00:00:00"
        )
        csv.append(product, key: "desk-lamp")
        csv.append(LiveProduct(id: MarketID(7), name: "", images: []), key: nil)
        #expect(
            text(&csv) == """
                id,key,name,description,price,currency,sale_price,discount,stock,vendor_id,vendor,thumbnail,images,created_at,issued_at\r
                193,desk-lamp,"Desk ""Lamp"", warm","Two arms.\r
                One bulb.",60000000,KRW,59999999.5,0.5,1000000000000,29,example,https://m.example/t.png,https://m.example/1.png https://m.example/2.png,2022-11-15T00:00:00,2022-11-16T00:00:00\r
                7,,"",,,,,,,,,,"",,\r

                """
        )
    }

    @Test func `bytes are given out once`() {
        var csv = CatalogCSV(columns: [.id])
        #expect(csv.pendingByteCount == 4)
        #expect(text(&csv) == "id\r\n")
        #expect(csv.pendingByteCount == 0)
        csv.append(LiveProduct(id: MarketID(1)), key: nil)
        #expect(text(&csv) == "1\r\n")
        #expect(text(&csv) == "")
    }

    @Test func `an unset value alone still makes a record`() {
        var csv = CatalogCSV(columns: [.stock])
        csv.append(LiveProduct(id: MarketID(1)), key: nil)
        csv.append(LiveProduct(id: MarketID(2), stock: 0), key: nil)
        #expect(text(&csv) == "stock\r\n\"\"\r\n0\r\n")
    }

    @Test func `a tab separates where it is asked to, and only then needs quotes`() {
        var csv = CatalogCSV(columns: [.id, .name], delimiter: UInt8(ascii: "\t"))
        csv.append(LiveProduct(id: MarketID(1), name: "a,b"), key: nil)
        csv.append(LiveProduct(id: MarketID(2), name: "a\tb"), key: nil)
        #expect(text(&csv) == "id\tname\r\n1\ta,b\r\n2\t\"a\tb\"\r\n")
    }

    @Test func `for spreadsheets it is marked as UTF-8, and guards texts but not numbers`() {
        var csv = CatalogCSV(
            columns: [.id, .name, .description, .price, .discount],
            delimiter: UInt8(ascii: ";"),
            isForSpreadsheets: true
        )
        csv.append(
            LiveProduct(id: MarketID(1), name: "=1+1", description: "-a;b", price: 5, sale: .price(7)),
            key: nil
        )
        csv.append(LiveProduct(id: MarketID(2), name: "'=\"x\"", description: "a,b"), key: nil)
        csv.append(LiveProduct(id: MarketID(3), name: "", description: "\rx"), key: nil)
        #expect(
            text(&csv)
                == "\u{FEFF}id;name;description;price;discount\r\n1;'=1+1;\"'-a;b\";5;-2\r\n"
                + "2;\"''=\"\"x\"\"\";a,b;;\r\n3;\"\";\"'\rx\";;\r\n"
        )
    }

    @Test func `a sale that ended leaves both columns unset`() {
        var csv = CatalogCSV(columns: [.price, .salePrice, .discount])
        csv.append(LiveProduct(id: MarketID(1), price: 100, sale: Sale.fullPrice), key: nil)
        csv.append(LiveProduct(id: MarketID(2), price: 100, sale: .price(300)), key: nil)
        csv.append(LiveProduct(id: MarketID(3), sale: .price(30)), key: nil)
        #expect(text(&csv) == "price,sale_price,discount\r\n100,,\r\n100,300,-200\r\n,30,\r\n")
    }
}
