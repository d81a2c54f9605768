@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// Tables as manifests: what is read of them, and what is refused, at its cell.
struct TableTests {
    private func load(_ table: String, beside sections: String = "") -> LoadedManifest {
        ManifestLoader().decode(table: Array(table.utf8), beside: Array(sections.utf8), name: "t.csv")
    }

    /// The faults as people read them.
    private func faults(_ table: String, beside sections: String = "") -> [String] {
        load(table, beside: sections).diagnostics.map { diagnostic in
            let place = diagnostic.location.map { "\($0): " } ?? ""
            let cell = diagnostic.path.isEmpty ? "" : " [\(diagnostic.path)]"
            return place + "\(diagnostic.severity): \(diagnostic.message)\(cell)"
                + (diagnostic.help.map { " (\($0))" } ?? "")
        }
    }

    @Test func `a table without a header is refused`() {
        #expect(faults("").map { $0.contains("the table is empty") } == [true])
        #expect(faults("key,name\n") == [])
        // What cannot be read is not empty.
        let wide = ManifestLoader().decode(table: [0xFF, 0xFE, 0x6B, 0], beside: [], name: "t.csv")
        #expect(wide.diagnostics.map(\.message) == ["the file is UTF-16"])
    }

    @Test func `a row says what its cells say, and nothing else`() throws {
        let loaded = load(
            """
            id,key,name,description,price,currency,sale_price,discount,stock,x-note
            193,desk-lamp,"Desk ""Lamp"" 2",,60000,KRW,59999,1,12,mine
            ,mug,,,,,,,,
            7,,,,9.50,,,,,

            """
        )
        #expect(loaded.diagnostics == [])
        let manifest = try #require(loaded.manifest)
        #expect(!manifest.isComplete)
        #expect(manifest.listings.map(\.key) == ["desk-lamp", "mug", "product-7"])
        #expect(
            manifest.listings.map(\.values) == [
                ProductValues(
                    name: "Desk \"Lamp\" 2",
                    price: 60000,
                    currency: .krw,
                    sale: .price(59999),
                    stock: 12
                ),
                ProductValues(),
                // Beside a price an empty cell says that there is no sale.
                ProductValues(price: ExactDecimal("9.5"), sale: .fullPrice),
            ]
        )
        #expect(manifest.listings.map(\.pinnedID) == [MarketID(193), nil, MarketID(7)])
        #expect(manifest.listings.map { $0.row?.action } == [.merge, .merge, .merge])
        #expect(manifest.listings.map { $0.row?.hasMadeKey } == [false, false, true])
        #expect(manifest.listings[0].location(of: .price).description == "t.csv:2:price")
        #expect(manifest.listings[0].location().description == "t.csv:2")
    }

    @Test func `rows of blanks are skipped, and a row that is there twice has one fault`() {
        #expect(faults("id,name\n7,Lamp\n ,\n\u{3000},\u{A0}\n") == [])
        #expect(faults("id,name\n7,Lamp\n7,Lamp\n") == ["t.csv:3:id: error: the id 7 is in another row"])
        #expect(
            faults("id,key,name\n7,lamp,Lamp\n7,lamp,Lamp\n") == [
                "t.csv:3:key: error: the key 'lamp' is used by another row [B3]"
            ]
        )
    }

    @Test func `a shortened key beside an id is left to the plan`() throws {
        let row = try #require(load("id,key,price\n7,9.78E+12,5\n").manifest?.listings[0])
        #expect(row.key == "product-7" && row.row?.hasMadeKey == true && row.row?.shortenedKey == "9.78E+12")
        // Saved again without exponents, the keys of several rows are one.
        #expect(
            faults("id,key,price\n7,9780061000000,5\n8,9780061000000,5\n").contains {
                $0.contains("is used by another row")
            }
        )
        for table in [
            "key,price\n9.78E+12,5\n", "id,key,_action\n7,9.78E+12,DELETE\n", "id,key,_action\n7,9.78E+12,NEW\n",
        ] {
            #expect(faults(table).contains { $0.contains("'9.78E+12' is a number that a spreadsheet shortened") })
        }
    }

    @Test func `line ends in a cell that a program doubled are one each`() {
        let loaded = load("key,description\r\r\nlamp,\"A pad of\r\r\ntwo lines.\r\r\n\r\r\nEnd\"\r\r\n")
        #expect(loaded.manifest?.listings.first?.values.description == "A pad of\r\ntwo lines.\r\n\r\nEnd")
    }

    @Test func `a table without a column for sales leaves them alone`() {
        let loaded = load("key,price\nlamp,100\n")
        #expect(loaded.manifest?.listings.map(\.values) == [ProductValues(price: 100)])
        let discount = load("key,price,discount\nlamp,100,10\nmug,50,\n")
        #expect(discount.manifest?.listings.map(\.values.sale) == [.price(90), .fullPrice])
        // Beside an empty sale price, a discount of a product without a number could be meant or left over.
        let header = "key,price,sale_price,discount\n"
        #expect(
            faults("\(header)lamp,100,,10\nmug,100,,-1\nrug,100,90,10\nfan,100,,0\n") == [
                "t.csv:2:sale_price: error: 'discount' is 10, and 'sale_price' beside it is empty [C2]"
                    + " (write the buyers' price into 'sale_price', or empty 'discount')",
                "t.csv:3:discount: error: 'discount' is -1, and cannot be negative [D3]",
            ]
        )
        #expect(load("id,\(header)7,lamp,100,,10\n").manifest?.listings.map(\.values.sale) == [.fullPrice])
        // Where the price is left out, so is the sale.
        #expect(load("key,price,sale_price\nlamp,,\n").manifest?.listings.map(\.values) == [ProductValues()])
    }

    @Test func `the actions that merchants know`() {
        let loaded = load(
            """
            _action,id,key,name
            NEW,,mug,Mug
            update,7,,Lamp
            DELETE,8,,
            MERGE,,rug,Rug
            ,,desk,Desk
            IGNORE,9,,broken
            IGNORE,,,

            """
        )
        // What a new product lacks the plan says: its key may be a damaged one.
        #expect(loaded.diagnostics == [])
        let listings = loaded.manifest?.listings ?? []
        #expect(listings.map { $0.row?.action } == [.new, .update, .delete, .merge, .merge, .ignore])
        #expect(listings.map(\.isAbsent) == [false, false, true, false, false, false])
        #expect(listings.last?.values == ProductValues())
        #expect(
            faults("_action,id,key\nREPLACE,7,\nNEW,7,\n") == [
                "t.csv:2:_action: error: '_action' must be NEW, MERGE, UPDATE, DELETE or IGNORE, and not 'REPLACE' [A2]"
                    + " (an empty cell is MERGE)",
                "t.csv:3:id: error: a row that creates a product cannot have its number [B3]"
                    + " (empty this cell, or write MERGE to change product 7)",
            ]
        )
    }

    @Test func `what a spreadsheet does to numbers is refused at its cell`() {
        #expect(
            faults(
                """
                key,price,stock
                a,1.2E+05,1
                b,"12,5",1
                c,"1,234",1
                9.78006E+12,5,1
                e,#NAME?,########
                f,₩12000,1.5

                """
            ) == [
                "t.csv:2:price: error: '1.2E+05' is a number that a spreadsheet shortened: its digits may be lost [B2]"
                    + " (write it out, in a column that is formatted as text, or as a number without exponent)",
                "t.csv:3:price: error: '12,5' is not a plain number [B3] (write 12.5)",
                "t.csv:4:price: error: '1,234' is not a plain number [B4] (write 1234)",
                "t.csv:5:key: error: '9.78006E+12' is a number that a spreadsheet shortened [A5]"
                    + " (write the key out, in a column that is formatted as text)",
                "t.csv:6:price: error: '#NAME?' is an error of the spreadsheet, not a value [B6]"
                    + " (repair the formula, or take the value from the export)",
                "t.csv:6:stock: error: '########' is an error of the spreadsheet, not a value [C6]"
                    + " (repair the formula, or take the value from the export)",
                "t.csv:7:price: error: '₩12000' is not a plain number [B7] (write 12000, and KRW in 'currency')",
                "t.csv:7:stock: error: 'stock' is 1.5, and must be a whole number [C7]",
            ]
        )
    }

    @Test(arguments: ["price", "sale_price", "discount"])
    func `a currency beside an amount of a row is never dropped`(column: String) {
        func message(_ amount: String, _ currency: String) -> String {
            let row = column == "price" ? amount : "5000,\(amount)"
            let header = column == "price" ? "price" : "price,\(column)"
            return faults("key,\(header),currency\nlamp,\(row),\(currency)\n").joined(separator: "; ")
        }
        for amount in ["352 USD", "$352", "usd 352", "US$ 352", "352€", "¥352"] {
            #expect(
                message(amount, "KRW").hasSuffix(
                    "'\(amount)' is not in KRW, the currency of this product [\(column == "price" ? "B2" : "C2")]"
                        + " (give the amount in KRW)"
                )
            )
        }
        #expect(message("352 USD", "USD").hasSuffix(" (write 352)"))
        #expect(message("352 USD", "").hasSuffix(" (write 352, and USD in 'currency')"))
        #expect(message("$352", "").hasSuffix(" (write 352, and its currency in 'currency')"))
        for (amount, plain) in [
            ("1 150,00", "1150.00"), ("1.150,00", "1150.00"), ("1'150.00", "1150.00"), ("12,5", "12.5"),
        ] {
            #expect(message("\"\(amount)\"", "USD").hasSuffix(" (write \(plain))"), "\(amount)")
        }
    }

    @Test func `what the market has below 0 is read as exported, and not to be sent`() throws {
        let loaded = load("id,price,stock\n7,-5,-2\n8,5,-1\n")
        let manifest = try #require(loaded.manifest)
        #expect(manifest.listings.map(\.values.stock) == [-2, -1] && manifest.listings.map(\.values.price) == [-5, 5])
        // Each is an error where it would be written.
        #expect(manifest.doubts.map(\.field) == [.price, .stock, .stock])
        #expect(manifest.doubts.allSatisfy { $0.fault.severity == .error })
        #expect(loaded.diagnostics.allSatisfy { $0.severity == .warning })
        // What is made has none.
        for row in ["price\nlamp,-5", "stock\nlamp,-2"] { #expect(load("key,\(row)\n").hasErrors) }
    }

    @Test func `a sale without a price is one of the live price`() {
        let loaded = load("key,price,sale_price\nlamp,,90\nmug,,\n")
        #expect(loaded.diagnostics == [])
        #expect(loaded.manifest?.listings.map(\.values) == [ProductValues(sale: .price(90)), ProductValues()])
        let narrow = load("id,discount\n7,10\n")
        #expect(narrow.diagnostics == [])
        #expect(narrow.manifest?.listings.map(\.row?.amountOff) == [10])
        // Beside a faulty price it is not.
        #expect(load("key,price,sale_price\nlamp,x,90\n").diagnostics.map(\.message) == ["'x' is not a number"])
    }

    @Test func `columns that are unknown, repeated or missing`() {
        #expect(
            faults("Key,Sale Price,price,price,Quantity,\nlamp,1,2,3,4,5\n") == [
                "t.csv:1:Key: error: unknown column 'Key' [A1] (did you mean 'key'?)",
                "t.csv:1:Key: error: a table needs a column 'id' or 'key', which identify a row's product [A1]"
                    + " (the first row names the columns, as `openmarket export` does)",
                "t.csv:1:Sale Price: error: unknown column 'Sale Price' [B1] (did you mean 'sale_price'?)",
                "t.csv:1:price: error: the column 'price' appears twice [D1] (the other one is column C)",
                "t.csv:1:Quantity: error: unknown column 'Quantity' [E1] (did you mean 'stock'?)",
            ]
        )
        #expect(
            faults("key,price,\nlamp,1,5\n") == [
                "t.csv:2: error: the column of this cell lacks a name [C2]"
                    + " (name it in the first row; columns of your own begin with 'x-')"
            ]
        )
        #expect(
            faults("key,price\nlamp\n,\n,5\n") == [
                "t.csv:2: error: this row has 1 cell, and the header 2 (a cell with a comma, a quote or a line break needs quotes)",
                "t.csv:4: error: this row has neither 'key' nor 'id', so it identifies no product"
                    + " (give a new product a key of your own)",
            ]
        )
        #expect(
            faults("key,price\nlamp,1\nlamp,2\n") == ["t.csv:3:key: error: the key 'lamp' is used by another row [A3]"]
        )
    }

    /// More pictures than a product can count.
    @Test func `a column that appears twice is not read, however often and however much it has`() {
        let paths = (0..<1000).map { "p\($0).png" }.joined(separator: " ")
        for (column, cell) in [("images", paths), ("price", "5"), ("id", "7"), ("key", "lamp"), ("_action", "DELETE")] {
            let header = ["key"] + Array(repeating: column, count: 66)
            let cells = ["lamp"] + Array(repeating: cell, count: 66)
            let found = faults(header.joined(separator: ",") + "\n" + cells.joined(separator: ",") + "\n")
            #expect(found.count(where: { $0.contains("the column '\(column)' appears twice") }) == 20, "\(column)")
            #expect(found.contains { $0.contains("more columns cannot be used") }, "\(column)")
        }
    }

    @Test func `a table that is not CSV is refused where it stops being one`() {
        #expect(
            faults("key,name\na,bell\nc,\"d\n") == [
                "t.csv:3:name: error: a quote that opens here or in an earlier cell is not closed [B3]"
                    + " (put the whole cell in quotes, and write each quote in it twice)"
            ]
        )
    }

    @Test func `the guard against formulas is undone where the file says that there is one`() {
        let table = "key,name\n'-lamp,'=1+1 lamp\nmug,''=x\nrug,'n' roll\n"
        let guarded = load("\u{FEFF}" + table)
        #expect(guarded.manifest?.listings.map(\.key) == ["-lamp", "mug", "rug"])
        #expect(guarded.manifest?.listings.map(\.values.name) == ["=1+1 lamp", "'=x", "'n' roll"])
        let plain = load(table)
        #expect(plain.manifest?.listings.map(\.values.name) == ["'=1+1 lamp", "''=x", "'n' roll"])
    }

    @Test func `what the market may have already is doubtful, and wrong where it is new`() {
        let table = "id,key,name,price,currency,sale_price\n7,,La,10.5,KRW,20\n,mug,Mu,,EUR,\n"
        #expect(
            faults(table).map { $0.prefix { $0 != "(" } } == [
                "t.csv:2:name: warning: the name has 2 characters, and 3 to 100 are allowed [C2] ",
                "t.csv:2:price: warning: the price 10.5 has a fraction; amounts in won are whole numbers [D2] ",
                "t.csv:2:sale_price: warning: 'sale_price' is 20, and the price only 10.5 [F2] ",
                "t.csv:3:name: error: the name has 2 characters, and 3 to 100 are allowed [C3] ",
                "t.csv:3:currency: error: 'currency' must be KRW or USD, and not 'EUR' [E3] ",
            ]
        )
        let manifest = load(table).manifest
        #expect(manifest?.doubts.map(\.field) == [.salePrice, .name, .price])
        #expect(manifest?.doubts.allSatisfy { $0.fault.severity == .error && $0.id == MarketID(7) } == true)
    }

    @Test func `defaults are for what is made, and products of YAML are not part of the run`() throws {
        let sections = """
            defaults: {currency: USD, stock: {initial: 3}, ignore_changes: [description], protected: true}
            products:
              - key: other
            """
        let loaded = load("key,price\nlamp,1\n", beside: sections)
        #expect(loaded.diagnostics == [])
        let listing = try #require(loaded.manifest?.listings.first)
        #expect(loaded.manifest?.listings.count == 1)
        #expect(listing.values == ProductValues(price: 1))
        #expect(listing.ignoreChanges == [])
        #expect(!listing.isProtected)
        #expect(loaded.manifest?.rowDefaults.currency == .usd && loaded.manifest?.rowDefaults.stock == 3)
    }

    @Test func `pictures are files, and the URLs of an export change nothing`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("a b.png", SmallPicture.png(1))
        try folder.write("c.png", SmallPicture.png(2))
        try folder.write(
            "t.csv",
            Array(
                """
                key,images,thumbnail
                lamp,https://m.example/1.png https://m.example/2.png,https://m.example/t.png
                mug,a b.png|c.png,c.png
                rug,c.png,
                fan,c.png a b.png,

                """.utf8
            )
        )
        let loaded = ManifestLoader().load([folder.path + "/t.csv"])
        #expect(loaded.diagnostics == [])
        let listings = try #require(loaded.manifest?.listings)
        let paths = [[], ["a b.png", "c.png"], ["c.png"], ["c.png", "a b.png"]]
        #expect(listings.map { $0.pictures.map(\.path) } == paths)
        #expect(listings.map { $0.values.images == nil } == [true, false, false, false])
        #expect(listings[1].values.thumbnail == listings[1].values.images?.last)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what an export writes is read back as the products are`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters: [Unicode.Scalar] = [
            "a", "b", " ", "\"", ",", "\n", "\t", ";", "|", "\u{301}", "램", "🛋", "\u{1112}", "\u{1161}",
        ]
        let starts = ["", "'", "''", "=", "'=1+1", "''=", "'-", "'+", "'@", "+", "-", "@", "\t", "\n", "＝", "'＠"]
        func text(_ length: ClosedRange<Int>) -> String {
            var text = ((starts.randomElement(using: &random) ?? "") + "Lamp").unicodeScalars
            for _ in 0..<Int.random(in: length, using: &random) {
                if let letter = letters.randomElement(using: &random) { text.append(letter) }
            }
            return String(text)
        }
        let products = (1...200).map { number in
            let price = ExactDecimal(significand: .random(in: 0...10_000_000, using: &random), scale: 2) ?? .zero
            let half = ExactDecimal(significand: price.significand / 2, scale: Int(price.scale)) ?? .zero
            return LiveProduct(
                id: MarketID(Int64(number)),
                vendorID: 29,
                vendorName: "example",
                name: text(0...20),
                description: Bool.random(using: &random) ? nil : text(10...400),
                price: price,
                currency: .usd,
                sale: Bool.random(using: &random) || price == .zero ? Sale.fullPrice : .price(half),
                stock: .random(in: 0...Int64.max, using: &random),
                thumbnailURL: "https://m.example/\(number).png",
                createdAt: "2022-11-15T00:00:00"
            )
        }
        let forms = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].flatMap { [($0, false), ($0, true)] }
        for (delimiter, isForSpreadsheets) in forms {
            var csv = CatalogCSV(delimiter: delimiter, isForSpreadsheets: isForSpreadsheets)
            for product in products { csv.append(product, key: "key-\(product.id)") }
            let loaded = ManifestLoader().decode(table: csv.takeBytes())
            #expect(!loaded.hasErrors, "seed \(seed): \(loaded.diagnostics.first?.message ?? "")")
            let listings = try #require(loaded.manifest?.listings)
            #expect(listings.map(\.key) == products.map { "key-\($0.id)" })
            #expect(listings.map(\.pinnedID) == products.map(\.id))
            #expect(listings.map(\.values) == products.map(\.values), "seed \(seed)")
        }
    }
}
