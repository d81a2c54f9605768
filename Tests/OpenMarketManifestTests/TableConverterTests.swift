@testable import OpenMarket
import Testing
@testable import OpenMarketManifest

/// Other shops' tables: what becomes a product, and what is said of the rest.
struct TableConverterTests {
    /// The manifest and the report; of pictures those are there that end with `.jpg`.
    private func convert(
        _ table: String,
        _ mapping: ConversionMapping? = nil,
        currency: Currency? = .usd,
        placeholder: String? = nil,
        description: String? = nil
    ) throws -> (manifest: String, report: [String]) {
        var options = TableConverter.Options()
        options.currency = currency
        options.placeholder = placeholder
        options.description = description
        options.today = "2026-11-27"
        options.picture = { address in
            address.hasSuffix(".jpg") ? .file("images/" + (address.split(separator: "/").last ?? "")) : .unknown
        }
        let (products, report) = try TableConverter(
            // As programs write it: with a line end behind the last row.
            Array((table + "\n").utf8),
            mapping: mapping,
            name: "t.csv",
            options: options
        ).converted()
        var writer = ManifestWriter()
        for product in products { writer.append(product) }
        writer.finish()
        return (String(decoding: try writer.takeBytes(), as: UTF8.self), report.lines)
    }

    private func mapping(_ yaml: String) throws -> ConversionMapping {
        try ConversionMapping(yaml: Array(yaml.utf8), named: "m.yaml")
    }

    private func fault(_ table: String, _ mapping: @autoclosure () throws -> ConversionMapping? = nil) -> String? {
        do {
            _ = try convert(table, mapping())
            return nil
        } catch let error as ConversionError {
            return (error.location.map { "\($0): " } ?? "") + error.message + (error.help.map { " (\($0))" } ?? "")
        } catch {
            return "\(error)"
        }
    }

    @Test func `a header below instructions is found where it is named`() throws {
        let table =
            "How to fill this in\n\n\"Two\nlines\"\nArtikel;Preis;Bild\nLamp;12;//x/a.jpg\n ; ; \nDesk;5;http://x/b.jpg"
        let columns = "key: Artikel\nname: Artikel\nprice: Preis\nimages: Bild\n"
        #expect(throws: ConversionError.self) { try convert(table, mapping(columns)) }
        let converted = try convert(table, mapping("header_row: 4\n" + columns), description: "{name}, as shown")
        #expect(converted.manifest.contains("- key: Lamp\n"))
        #expect(converted.manifest.contains("images: [images/a.jpg]"))
        #expect(converted.manifest.contains("- key: Desk\n"))
        #expect(converted.report.count == 1)
        #expect(throws: ConversionError.self) { try mapping("header_row: 0\n" + columns) }
    }

    @Test func `an address without a scheme is one of https`() throws {
        let mapping = try mapping("key: k\nname: n\nprice: p\nimages: i\n")
        let report = try convert("k,n,p,i\na,Lamp,5,//x/a.png\n", mapping, description: "{name}, as shown").report
        #expect(report.contains { $0.contains("https://x/a.png") })
    }

    @Test func `each variant of Shopify is a product, and a row with a picture alone gives it`() throws {
        let converted = try convert(
            """
            Handle,Title,Body (HTML),Vendor,Published,Option1 Value,Variant Inventory Qty,Variant Price,Variant Compare At Price,Image Src
            tee,Tee,"<p>Soft &amp; warm</p><ul><li>Cotton</li></ul>",Acme,true,Blue,3,20,25,https://x/blue.jpg
            tee,,,,,Red,-1,19.99,,https://x/red.jpg
            tee,,,,,,,,,https://x/both.png
            mug,Mug,<b>Holds</b> 300 ml,Acme,true,Default Title,,9.9999,,
            old,Old,An old lamp,Acme,false,Default Title,1,1,,

            """
        )
        #expect(
            converted.manifest == """
                products:
                  - key: tee-blue
                    name: Tee – Blue
                    description: |-
                      Soft & warm
                      Cotton
                    price: 25
                    sale_price: 20
                    stock: 3
                    images: [images/blue.jpg, images/red.jpg]

                  - key: tee-red
                    name: Tee – Red
                    description: |-
                      Soft & warm
                      Cotton
                    price: 19.99
                    stock: 0
                    images: [images/red.jpg, images/blue.jpg]

                """
        )
        #expect(
            converted.report == [
                "left out 1 row: a price with more digits after the point than USD has (row 5 'Mug')",
                "left out 1 row: not published (row 6 'Old')",
                "changed 2 products: its description is written as plain text, without the HTML ('tee-blue', 'tee-red')",
                "changed 1 product: the stock is below 0, and written as 0 ('tee-red')",
                "left out 1 picture: not found as files (https://x/both.png)",
                "left out 1 column: a manifest cannot hold Vendor",
            ]
        )
    }

    @Test func `variations of WooCommerce take from their parents what they leave empty`() throws {
        let converted = try convert(
            """
            ID,Type,SKU,Name,Published,Description,Sale price,Regular price,Stock,Images,Parent
            1,variable,tee,T-Shirt,1,A shirt of cotton.,,,,"https://x/a.jpg, https://x/b.jpg",
            2,variation,tee-red,T-Shirt - Red,1,,18,20,4,,tee
            3,variation,,T-Shirt - Blue,1,,,21,,https://x/c.jpg,id:1
            4,external,donation,Donation,1,Gives to others.,,30,,,

            """
        )
        #expect(
            converted.manifest == """
                products:
                  - key: tee-red
                    name: T-Shirt - Red
                    description: A shirt of cotton.
                    price: 20
                    sale_price: 18
                    stock: 4
                    images: [images/a.jpg, images/b.jpg]

                  - key: product-3
                    name: T-Shirt - Blue
                    description: A shirt of cotton.
                    price: 21
                    images: [images/c.jpg, images/a.jpg, images/b.jpg]

                """
        )
        #expect(
            converted.report == [
                "left out 1 row: its variations are products of their own (row 2 'T-Shirt')",
                "left out 1 row: sold elsewhere (row 5 'Donation')",
            ]
        )
    }

    @Test func `what a manifest cannot say of WooCommerce's products is named, and sold out stays sold out`() throws {
        let columns = ["ID", "Type", "SKU", "Name", "Published", "Visibility in catalog", "In stock?", "Parent"]
        func row(_ cells: [String: String]) throws -> (manifest: String, report: [String]) {
            var all = [
                "ID": "7", "Type": "simple", "SKU": "a", "Name": "Tea", "Published": "1", "In stock?": "1",
                "Visibility in catalog": "visible", "Description": "Green tea leaves", "Regular price": "5",
                "Stock": "3",
                "Images": "a.jpg",
            ]
            all.merge(cells) { $1 }
            let names = columns + ["Short description", "Description", "Regular price", "Stock", "Images"]
            return try convert(
                names.joined(separator: ",") + "\n" + names.map { "\"\(all[$0] ?? "")\"" }.joined(separator: ",") + "\n"
            )
        }
        let stock = "not in stock in the shop, so its stock is 0"
        let html = "its description is written as plain text, without the HTML"
        let virtual = "virtual or for download, which a manifest cannot express"
        let hidden = "hidden in the shop, which a manifest cannot express: it will be seen"
        let cases: [(cells: [String: String], changes: [String], isSold: Bool)] = [
            ([:], [], true),
            (["In stock?": "0"], [stock], false), (["In stock?": "0", "Stock": ""], [stock], false),
            (["In stock?": "0", "Stock": "0"], [], false), (["In stock?": "0", "Stock": "1.234"], [stock], false),
            (["In stock?": "backorder"], [], true),
            (["Type": "simple, virtual"], [virtual], true),
            (["Type": "simple, downloadable, virtual"], [virtual], true),
            (["Visibility in catalog": "hidden"], [hidden], true),
            (["Visibility in catalog": "search"], [hidden], true),
            (["Short description": "Green"], ["the short description is left out"], true),
            // It is all that there is.
            (["Short description": "Green tea leaves", "Description": ""], [], true),
            (["Description": "<p>Green</p>tea<br/>leaves"], [], true),
            (["Description": "<p>Green</p> <a href='/tea'>tea leaves</a>"], [html], true),
            (["Description": "5 < 6 and I <3 tea"], [], true),
        ]
        for (cells, changes, isSold) in cases {
            let converted = try row(cells)
            #expect(converted.report == changes.map { "changed 1 product: \($0) ('a')" }, "\(cells)")
            #expect(converted.manifest.contains("    stock: \(isSold ? 3 : 0)\n"), "\(cells)")
        }
        for (type, reason) in [
            ("external, virtual", "sold elsewhere"), ("grouped", "a group of other products"),
            ("variable", "its variations are products of their own"),
        ] {
            #expect(try row(["Type": type]).report == ["left out 1 row: \(reason) (row 2 'Tea')"])
        }
        // A draft's variations are no more published than it is.
        let draft = try convert(
            "ID,Type,SKU,Name,Published,Description,Regular price,Images,Parent\n"
                + "1,variable,tee,Tee,-1,Cotton,,a.jpg,\n2,variation,tee-red,Tee - Red,1,,20,,tee\n"
        )
        #expect(draft.report.contains("left out 1 row: not published (row 3 'Tee - Red')"))
    }

    @Test func `cells of WooCommerce are read as it writes them, and a sale only while it lasts`() throws {
        let converted = try convert(
            #"""
            ID,Type,SKU,Name,Description,Regular price,Sale price,Date sale price starts,Date sale price ends,Stock,Images
            1,simple,a,'=Tea,First line.\n\nC:\\new,10,4,2026-11-01 00:00:00,2026-11-26 23:59:59,5,a.jpg
            2,simple,b,Mug,'- made of clay,10,4,2026-11-28,,'-3,b.jpg
            3,simple,c,Rug,'=warm for feet,10,4,2026-11-27,2026-11-27,5,c.jpg
            4,simple,d,Cup,Holds 200 ml,10,4,,2000/01/31,5,d.jpg
            """#
        )
        #expect(
            converted.manifest == #"""
                products:
                  - key: a
                    name: "=Tea"
                    description: |-
                      First line.

                      C:\\new
                    price: 10
                    stock: 5
                    images: [images/a.jpg]

                  - key: b
                    name: Mug
                    description: "- made of clay"
                    price: 10
                    stock: 0
                    images: [images/b.jpg]

                  - key: c
                    name: Rug
                    description: "=warm for feet"
                    price: 10
                    sale_price: 4
                    stock: 5
                    images: [images/c.jpg]

                  - key: d
                    name: Cup
                    description: Holds 200 ml
                    price: 10
                    stock: 5
                    images: [images/d.jpg]

                """#
        )
        #expect(
            converted.report == [
                "changed 2 products: the sale price is left out: the sale is over ('a', 'd')",
                "changed 1 product: the end of the sale is not carried over ('c')",
                "changed 1 product: the sale price is left out: the sale has not begun ('b')",
                "changed 1 product: the stock is below 0, and written as 0 ('b')",
            ]
        )
    }

    @Test func `a variant's row may precede that of its product, and long names keep what distinguishes them`() throws {
        let title = String(repeating: "x", count: 99)
        let converted = try convert(
            """
            Handle,Title,Body (HTML),Option1 Value,Variant Price,Image Src
            a,,,M,11,a.jpg
            a,Shirt,A shirt of it,S,10,
            b,,,L,13,b.jpg
            c,\(title),A good lamp,Small,20,c.jpg
            c,,,Smaller,21,
            """
        )
        let names = converted.manifest.split(separator: "\n").filter { $0.hasPrefix("    name: ") }.map {
            $0.dropFirst(10)
        }
        #expect(
            names == ["Shirt – M", "Shirt – S", "\(title.dropLast(8))… – Small", "\(title.dropLast(10))… – Smaller"]
        )
        #expect(
            converted.report == [
                "left out 1 row: no name (row 4)",
                "changed 2 products: the name is cut to 100 characters ('c-small', 'c-smaller')",
            ]
        )
    }

    @Test func `a mapping file reads any other table`() throws {
        let mapping = try mapping(
            """
            header: false
            delimiter: tab
            key: 1
            name: 2
            description: [4, "{2}, number {1}."]
            price: 3
            skip: {5: [gone]}
            """
        )
        let converted = try convert(
            "7\tAdjustable race\t.0000\t\t\n7\tBearing ball\t$5\tA ball for bearings.\t\n9\tGone\t1\t\tGone\n",
            mapping,
            placeholder: "none.png"
        )
        #expect(
            converted.manifest == """
                products:
                  - key: "7"
                    name: Adjustable race
                    description: Adjustable race, number 7.
                    price: 0
                    images: [none.png]

                  - key: "7-2"
                    name: Bearing ball
                    description: A ball for bearings.
                    price: 5
                    images: [none.png]

                """
        )
        #expect(
            converted.report == [
                "left out 1 row: its '5' is 'gone' (row 3 'Gone')",
                "changed 2 products: the placeholder instead of a picture ('7', '7-2')",
                "changed 1 product: a number is read without its separators and units ('7-2': '$5' is 5)",
                "changed 1 product: the key of the row is another product's already ('7-2')",
            ]
        )
    }

    @Test func `what a mapping or a table lacks is reported`() throws {
        func fault(_ yaml: String, _ table: String = "a,b\n1,2\n") -> String? { self.fault(table, try mapping(yaml)) }
        #expect(fault("key: a\nnmae: b\n") == "m.yaml:2:1: unknown key 'nmae' (did you mean 'name'?)")
        #expect(fault("key: a\nname: b\n") == "m.yaml:1:1: the key 'price' is missing")
        #expect(fault("sale_ends: a\n") == "m.yaml:1:1: unknown key 'sale_ends' (did you mean 'sale_end'?)")
        for (line, message) in [
            ("price: a", "the key 'price' appears twice in this mapping"),
            ("skip: {a: x, a: y}", "the key 'a' appears twice in this mapping"),
            ("stock: *stock", "no anchor &stock is above this alias"),
            ("options: [a, *b]", "no anchor &b is above this alias"),
        ] {
            let said = fault("key: a\nname: b\nprice: b\n\(line)\n")
            #expect(said?.hasPrefix("m.yaml:4:") == true && said?.contains(message) == true, "\(said ?? "nothing")")
        }
        #expect(
            fault("key: a\nname: b\nprice: bb\n")
                == "t.csv: the mapping names the column 'bb', which the table lacks (did you mean 'b'?)"
        )
        #expect(
            fault("key: a\nname: b\nprice: b\n", "a,b\n1,x\"\n")
                == "t.csv:2:b: a quote is inside a cell that does not begin with one"
                + " (put the whole cell in quotes, and write each quote in it twice)"
        )
        #expect(throws: ConversionError.self) { try convert("a,b\n1,2\n") }
    }

    // MARK: Headers

    /// A product's row under the columns of a shop, by what the shop's first version calls them.
    private static func table(_ row: [(column: String, cell: String)], named name: (String) -> String) -> String {
        row.map { "\"\(name($0.column))\"" }.joined(separator: ",") + "\n"
            + row.map { "\"\($0.cell)\"" }.joined(separator: ",") + "\n"
    }

    private static let shopifyRow = [
        ("Handle", "tee"), ("Title", "Tee"), ("Body (HTML)", "<p>Soft and warm</p>"), ("Published", "TRUE"),
        ("Option1 Value", "Default Title"), ("Variant Price", "20"), ("Variant Compare At Price", "25"),
        ("Variant Inventory Qty", "3"), ("Image Src", "https://x/a.jpg"), ("Variant Image", "https://x/b.jpg"),
    ]
    private static let wooRow = [
        ("ID", "7"), ("Type", "simple"), ("SKU", "tee"), ("Name", "Tee"), ("Published", "1"),
        ("Short description", "Short and warm"), ("Description", "Soft and warm"), ("Regular price", "25"),
        ("Sale price", "20"), ("Date sale price starts", "2000-01-01"), ("Date sale price ends", ""), ("Stock", "3"),
        ("Images", "https://x/b.jpg, https://x/a.jpg"), ("Parent", ""),
    ]
    private static let tee = """
        products:
          - key: tee
            name: Tee
            description: Soft and warm
            price: 25
            sale_price: 20
            stock: 3
            images: [images/b.jpg, images/a.jpg]

        """

    @Test(arguments: [(ConversionMapping.shopify, shopifyRow), (.wooCommerce, wooRow)])
    func `every name that a shop gives a column means the same`(
        mapping: ConversionMapping,
        row: [(String, String)]
    ) throws {
        let losses = mapping.losses.isEmpty ? [] : ["changed 1 product: the short description is left out ('tee')"]
        #expect(try convert(Self.table(row) { $0 }).manifest == Self.tee)
        #expect(try convert(Self.table(row) { $0.uppercased() }).manifest == Self.tee)
        #expect(try convert(Self.table(row) { " " + $0.replacing(" ", with: "_") }).manifest == Self.tee)
        for (column, names) in mapping.synonyms {
            for name in names {
                let converted = try convert(Self.table(row) { $0 == column ? name : $0 })
                #expect(converted.manifest == Self.tee, "\(name) for \(column)")
                #expect(converted.report == losses, "\(name) for \(column)")
            }
        }
        // All of them at once: a table of another year, or in another language.
        for place in 0..<(mapping.synonyms.values.map(\.count).max() ?? 0) {
            let table = Self.table(row) { column in
                mapping.synonyms[column].map { $0[min(place, $0.count - 1)] } ?? column
            }
            #expect(try convert(table).manifest == Self.tee, "\(table)")
        }
    }

    @Test func `Shopify's present header is read as it is exported`() throws {
        let converted = try convert(
            """
            Title,URL handle,Description,Vendor,Published on online store,Status,SKU,Option1 name,Option1 value,Price,Compare-at price,Inventory quantity,Product image URL,Image position,Variant image URL
            Tee,tee,Soft and warm,Acme,TRUE,Active,t-1,Color,Blue,20,25,3,https://x/both.jpg,1,https://x/blue.jpg
            ,tee,,,,,t-2,Color,Red,20,,5,https://x/blue.jpg,2,https://x/red.jpg
            ,tee,,,,,t-3,Color,Green,20,,5,,,

            """
        )
        #expect(
            converted.manifest == """
                products:
                  - key: tee-blue
                    name: Tee – Blue
                    description: Soft and warm
                    price: 25
                    sale_price: 20
                    stock: 3
                    images: [images/blue.jpg, images/both.jpg]

                  - key: tee-red
                    name: Tee – Red
                    description: Soft and warm
                    price: 20
                    stock: 5
                    images: [images/red.jpg, images/both.jpg]

                  - key: tee-green
                    name: Tee – Green
                    description: Soft and warm
                    price: 20
                    stock: 5
                    images: [images/both.jpg]

                """
        )
        #expect(
            converted.report == [
                "left out 4 columns: a manifest cannot hold Vendor, SKU, Option1 name and Image position"
            ]
        )
    }

    @Test(arguments: [(ConversionMapping.shopify, shopifyRow), (.wooCommerce, wooRow)])
    func `a shop is known without any column but those of names and prices`(
        mapping: ConversionMapping,
        row: [(String, String)]
    ) throws {
        let needed = ["Title", "Name", "Variant Price", "Regular price"]
        for (column, _) in row where !needed.contains(column) && column != "Handle" {
            let table = Self.table(row.filter { $0.0 != column }) { $0 }
            let converted = try convert(table, description: "Of our own make.")
            #expect(converted.manifest.contains("    name: Tee\n"), "without \(column)")
        }
        for (column, _) in row where needed.contains(column) {
            let message = fault(Self.table(row.filter { $0.0 != column }) { $0 }) ?? ""
            if column == "Name" {
                #expect(message.contains("neither Shopify's nor WooCommerce's (name the shop with --from, or "))
            } else {
                #expect(message.contains(mapping.shop == "Shopify" ? "Shopify's, but" : "WooCommerce's, but"))
                #expect(message.contains("'\(column)'"))
            }
            // With the shop named, no mapping is reported that the user did not write.
            let named = fault(Self.table(row.filter { $0.0 != column }) { $0 }, mapping) ?? ""
            #expect(!named.contains("which the table lacks") && named.contains("'\(column)'"), "\(named)")
        }
    }

    // MARK: Rows

    @Test func `a workbook is named as what it is`() {
        #expect(
            fault("PK\u{3}\u{4}\u{14}")
                == "t.csv: this is an Excel workbook (.xlsx) or another ZIP archive, and no table"
                + " (save it in the spreadsheet program as CSV UTF-8, and name that file)"
        )
    }

    @Test func `a row with other cells than the header is refused as in a table of products`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price\n"
        let whole = "mug,Mug,Holds 300 ml.,5\n"
        for (row, count) in [
            ("tee,Tee,Soft, and warm,5\n", "5 cells"), ("tee,Tee,5\n", "3 cells"), ("tee\n", "1 cell"),
        ] {
            #expect(
                fault(header + whole + row)
                    == "t.csv:3: this row has \(count), and the header 4"
                    + " (a cell with a comma, a quote or a line break needs quotes)"
            )
        }
        let mapping = try mapping("header: false\nkey: 1\nname: 2\nprice: 3\n")
        #expect(fault("a,b,1\nc,2\n", mapping)?.contains("t.csv:2: this row has 2 cells, and the header 3") == true)
        // What spreadsheets leave below a table is not part of it.
        #expect(
            try convert(header + whole + ",,,\n").report == [
                "changed 1 product: no picture ('mug')"
            ]
        )
    }

    @Test func `keys that repeat are numbered in one pass`() throws {
        let header = "Handle,Title,Body (HTML),Option1 Value,Variant Price,Image Src,Variant Image\n"
        let count = 4000
        let rows = (0..<count).map { "tee,Tee,Soft and warm,,5,https://x/\($0).jpg,https://x/own-\($0).jpg\n" }
        let converted = try convert(header + rows.joined())
        #expect(converted.manifest.contains("  - key: tee-\(count)\n"))
        #expect(converted.manifest.contains("    images: [images/own-\(count - 1).jpg, images/\(count - 1).jpg,"))
    }

    @Test func `a comma before three digits is not read where a currency has as many`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let rows = ["1,5", "1,234", "1.234", "1,234.500", "1,234,567"].enumerated()
            .map { "k\($0),Tee,Soft and warm,\"\($1)\",a.jpg\n" }
        let converted = try convert(header + rows.joined(), currency: Currency(rawValue: "KWD"))
        #expect(
            converted.manifest.matches(of: /price: ([0-9.]+)/).map { String($0.output.1) } == [
                "1.5", "1.234", "1234.5", "1234567",
            ]
        )
        #expect(
            converted.report == [
                "left out 1 row: a price whose comma may be a decimal comma (row 3 'Tee')",
                "changed 3 products: a number is read without its separators and units "
                    + "('k0': '1,5' is 1.5, 'k3': '1,234.500' is 1234.5, 'k4': '1,234,567' is 1234567)",
            ]
        )
    }

    @Test func `a key has no characters that are not seen`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let converted = try convert(header + "AB\u{200B}C,Tee,Soft and warm,5,a.jpg\n")
        #expect(converted.manifest.contains("key: ABC\n"))
        #expect(converted.report == ["changed 1 product: invisible characters of its key are left out ('ABC')"])
    }

    @Test func `what a sale was before is left out where it is not a number, and the price of a doubtful row with it`()
        throws
    {
        let header = "Handle,Title,Body (HTML),Variant Price,Variant Compare At Price,Image Src\n"
        let converted = try convert(
            header + """
                a,Tee,Soft and warm,25,N/A,a.jpg
                b,Mug,Holds 300 ml,"12,50",,b.jpg
                c,Rug,Warm for feet,12.000,,c.jpg
                d,Cup,Holds 200 ml,0.500,,d.jpg

                """
        )
        #expect(converted.manifest.contains("price: 25\n") && converted.manifest.contains("price: 12.5\n"))
        #expect(converted.manifest.contains("price: 0.5\n"))
        #expect(
            converted.report == [
                "left out 1 row: a price whose point may be a thousands separator (row 4 'Rug')",
                "changed 1 product: a number is read without its separators and units ('b': '12,50' is 12.5)",
                "changed 1 product: the price before the sale is left out: a price that is not a number ('a')",
            ]
        )
    }

    @Test func `what spreadsheets and character sets did to a text makes no product`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let whole = "mug,Mug,Holds 300 ml.,5,b.jpg\n"
        let expected = try convert(header + whole).manifest
        let damages =
            [
                "#DIV/0!", "#WERT!", "#NUL !", "#¡VALOR!", "#ЗНАЧ!", "#VALUE!", "########", "Err:502", "caf\u{FFFD}s",
                "ï¿½", "NAVIDEÃ‘A", "ì²\u{AD}ìž í™”ë³‘", "泥?옄 ?붾퀝", "?? ??? ??",
            ]
        for damage in damages {
            for row in [
                "\(damage),Tea cup,It holds tea.,5,a.jpg", "a,\(damage),It holds tea.,5,a.jpg",
                "a,Tea cup,\(damage),5,a.jpg",
            ] {
                let converted = try convert(header + row + "\n" + whole)
                #expect(converted.manifest == expected, "\(row)")
                #expect(converted.report.first?.hasPrefix("left out 1 row: ") == true, "\(row)")
            }
        }
        for code in ["&#xFFFD;", "&#65533;"] {
            #expect(
                try convert(header + "a,Tea cup,It holds\(code) tea.,5,a.jpg\n" + whole).manifest == expected,
                "\(code)"
            )
        }
        // What a program writes for nothing is nothing.
        let columns = "Handle,Title,Body (HTML),Variant Price,Variant Compare At Price,Image Src\n"
        #expect(try convert(columns + "mug,Mug,Holds 300 ml.,5,nan,b.jpg\n").manifest == expected)
    }

    @Test func `a description is given where the table has none, and counted`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let converted = try convert(
            header + "a,Tee,,5,a.jpg\nb,Mug,Holds 300 ml,5,b.jpg\n",
            description: "{name}, of our own make: {name}!"
        )
        #expect(converted.manifest.contains("description: \"Tee, of our own make: Tee!\"\n"))
        #expect(converted.manifest.contains("description: Holds 300 ml\n"))
        #expect(converted.report == ["changed 1 product: the given description, because the table lacks one ('a')"])
        #expect(try convert(header + "a,Tee,,5,a.jpg\n").report == ["left out 1 row: no description (row 2 'Tee')"])
    }

    @Test(arguments: [
        ("5", nil), ("$5", "USD"), ("£5", "GBP"), ("¥5", "JPY"), ("Rs. 5", "INR"), ("kr 5", "SEK"),
    ])
    func `a currency that is to be named is one that the sign can be`(price: String, code: String?) throws {
        let table = "Handle,Title,Body (HTML),Variant Price,Image Src\na,Tee,Soft and warm,\(price),a.jpg\n"
        let report = try TableConverter(
            Array(table.utf8),
            mapping: nil,
            name: "t.csv",
            options: TableConverter.Options()
        ).converted().report
        let named = code.map { "\($0), or another currency with their sign" } ?? "KRW"
        #expect(report.productCount == 0 && report.helps == ["choose their currency: --currency \(named)"])
    }

    @Test func `a column that only a mapping file knows is named`() throws {
        let mapping = try mapping("key: a\nname: [Nombre, b]\nprice: C\nstock: Lager\nskip: {State: [off]}\n")
        let converted = try convert("a,b,c\n1,Tee,5\n", mapping, placeholder: "p.png", description: "Soft and warm")
        #expect(converted.manifest.contains("name: Tee\n"))
        #expect(
            converted.report.last == "the mapping names 'Nombre', 'Lager' and 'State', which the table lacks"
        )
    }

    // MARK: Numbers

    /// The first product of a table with these columns beside key, name and description, and the report.
    private func converted(
        _ cells: [String: String],
        currency: Currency? = .usd,
        _ settings: String = ""
    ) throws -> (product: [String], report: [String]) {
        let columns = cells.keys.sorted()
        let known = [
            "price", "sale_price", "compare_price", "currency", "stock", "sale_start", "sale_end", "discount",
            "discount_percent",
        ]
        let settings = columns.filter(known.contains).map { "\($0): \($0)\n" }.joined() + settings
        let row = columns.map { "\"\(cells[$0] ?? "")\"" }
        let converted = try convert(
            "key,name,text,\(columns.joined(separator: ","))\nk,Tee,Soft and warm,\(row.joined(separator: ","))\n",
            mapping("key: key\nname: name\ndescription: text\n\(settings)"),
            currency: currency,
            placeholder: "p.png"
        )
        let fields = converted.manifest.split(separator: "\n").map { line in
            String(line.drop { $0 == " " || $0 == "-" })
        }
        let others = ["products:", "key:", "name:", "description:", "images:"]
        return (
            fields.filter { field in !others.contains { field.hasPrefix($0) } },
            converted.report.filter { !$0.contains("placeholder") }
        )
    }

    @Test(
        arguments: [
            ("352 USD", Currency.usd, "price: 352"), ("352 USD", .krw, nil), ("USD 352", .krw, nil),
            ("$352", .krw, nil),
            ("$352", .usd, "price: 352"), ("$352", Currency(rawValue: "CAD"), "price: 352"),
            ("35000원", .krw, "price: 35000"),
            ("35000원", .usd, nil), ("35000원", Currency(rawValue: "EUR"), nil),
            ("352 AED", Currency(rawValue: "AED"), "price: 352"),
            ("352 AED", .usd, nil), ("¥352", Currency(rawValue: "JPY"), "price: 352"), ("¥352", .krw, nil),
            ("352 zł", .usd, nil),
            ("352 kr", Currency(rawValue: "SEK"), "price: 352"), ("352 kr", Currency(rawValue: "EUR"), nil),
            ("352 points", .usd, nil), ("$352 EUR", .usd, nil),
        ] as [(String, Currency, String?)]
    )
    func `a currency in a cell is that of the row, or leaves it out`(text: String, currency: Currency, price: String?)
        throws
    {
        for other in ["sale_price", "compare_price", "discount"] {
            let plain = try converted(["price": text], currency: currency)
            #expect(plain.product == [price].compactMap(\.self))
            #expect(
                plain.report.first?.hasPrefix(price == nil ? "left out 1 row: a price" : "changed 1 product") == true
            )
            #expect(plain.report.first?.contains("row 2 'Tee'") == (price == nil))
            // The same holds for every other amount of the row.
            guard price == nil, WrittenNumber(text) != nil else { continue }
            #expect(try converted(["price": "5000", other: text], currency: currency).product == [])
            // And where a column names the currency.
            let named = try converted(["price": text, "currency": currency.rawValue], currency: nil)
            #expect(named.product == [])
        }
    }

    @Test func `where no currency is named that of the cells is taken, if it is one`() throws {
        #expect(try converted(["price": "352 USD"], currency: nil).product == ["price: 352", "currency: USD"])
        #expect(
            try converted(["price": "3520", "sale_price": "352원"], currency: nil).product.contains("currency: KRW")
        )
        for (price, currency) in [("12,50 €", "EUR"), ("12.5 AED", "AED"), ("CHF 12.50", "CHF")] {
            let found = try converted(["price": price], currency: nil)
            #expect(found.product == ["price: 12.5", "currency: \(currency)"])
            let note = "changed 1 product: \(currency) joins `limits.currencies`, as with --currency \(currency) ('k')"
            #expect(found.report.contains(note))
        }
        #expect(try converted(["price": "12.5", "currency": "EUR"], currency: nil).product.contains("currency: EUR"))
        let sign = try converted(["price": "$352"], currency: nil)
        #expect(sign.product == [] && sign.report == ["left out 1 row: no currency (row 2 'Tee')"])
        #expect(try converted(["price": "352", "currency": "원"], currency: nil).product.contains("currency: KRW"))
    }

    @Test(
        arguments: [
            ("1,200", "1200"), ("12개", "12"), ("１２", "12"), ("12 pcs", "12"), ("1 200", "1200"), ("12.0", "12"),
            ("1,200개", "1200"),
            ("1'200", "1200"), ("1.234.567", "1234567"), ("6.0E2", "600"), ("٣", "3"), ("(2)", "0"), ("-2", "0"),
            ("12.5", nil),
            ("12원", nil), ("1.2E+05", nil), ("many", nil), ("12,5", nil),
        ] as [(String, String?)]
    )
    func `a stock is read with what is said of it`(text: String, units: String?) throws {
        let found = try converted(["price": "5", "stock": text])
        #expect(found.product == (units.map { ["price: 5", "stock: \($0)"] } ?? []))
        // Only what programs write of themselves is not worth a word.
        #expect(found.report.isEmpty == (text == "12.0"), "\(found.report)")
    }

    @Test func `a stock whose point may separate thousands makes no product`() throws {
        let found = try converted(["price": "5", "stock": "1.200"])
        #expect(found.product == [])
        #expect(found.report == ["left out 1 row: a stock whose point may be a thousands separator (row 2 'Tee')"])
    }

    // MARK: Sales

    @Test(arguments: [("sale_price", "0"), ("discount", "20"), ("discount_percent", "100%"), ("sale_price", "0.00")])
    func `a sale of 0 is none, and is reported`(column: String, text: String) throws {
        let found = try converted(["price": "20", column: text])
        #expect(found.product == ["price: 20"])
        #expect(found.report == ["changed 1 product: the sale price is left out: 0 does not mean a sale ('k')"])
    }

    @Test func `what cost more and is free now has no sale, and that is reported`() throws {
        let found = try converted(["price": "0.00", "compare_price": "50"])
        #expect(found.product == ["price: 0"])
        #expect(found.report == ["changed 1 product: its price is 0, and the price before the sale is left out ('k')"])
    }

    @Test(
        arguments: [
            (["sale_price": "15"], "15"), (["compare_price": "30"], "20"), (["discount": "5"], "15"),
            (["discount": "$5"], "15"),
            (["discount_percent": "25%"], "15"), (["discount_percent": "25"], "15"),
            (["discount_percent": "12.5 %"], "17.5"),
            (["discount_percent": "12,5%"], "17.5"), (["discount_percent": "0.5%"], "19.9"),
            (["discount_percent": "33.333%"], "13.33"),
            (["discount": "0"], nil), (["discount_percent": "0"], nil), (["sale_price": "20"], nil),
            (["sale_price": ""], nil),
            (["sale_price": "25"], nil),
        ] as [([String: String], String?)]
    )
    func `a sale is a price, an amount off or a share off`(cells: [String: String], sale: String?) throws {
        let found = try converted(cells.merging(["price": "20"]) { $1 })
        let price = cells["compare_price"] ?? "20"
        #expect(found.product == ["price: \(price)"] + (sale.map { ["sale_price: \($0)"] } ?? []))
    }

    @Test(arguments: [
        ("discount", "21"), ("discount_percent", "101"), ("discount_percent", "0.25"), ("discount_percent", "-20%"),
        ("discount_percent", "$5"), ("discount", "20%"), ("sale_price", "-1"), ("sale_price", "1.500.00"),
    ])
    func `what is off is not guessed`(column: String, text: String) throws {
        let found = try converted(["price": "20", column: text])
        #expect(found.product == [])
        #expect(found.report.first?.hasPrefix("left out 1 row: a") == true)
    }

    /// Days before, on and after 2026-11-27, as exports write them.
    private static func spellings(_ year: Int, _ month: Int, _ day: Int) -> [String] {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let iso = "\(year)-\(two(month))-\(two(day))"
        return [
            iso, iso + " 12:30:00", iso + "T00:00:00Z", iso + "T00:00:00+09:00", "\(year)/\(month)/\(day)",
            "\(year). \(month). \(day).", "\(year)년 \(month)월 \(day)일", "\(year)年\(month)月\(day)日",
            "\(year)\(two(month))\(two(day))",
        ]
    }

    @Test(arguments: [(2020, 12, 31), (2026, 10, 26), (2026, 11, 27), (2026, 11, 28), (2030, 1, 15)])
    func `a sale counts while it lasts, however its days are written`(year: Int, month: Int, day: Int) throws {
        let order = (year * 10_000 + month * 100 + day, 20_261_127)
        for text in Self.spellings(year, month, day) {
            for sale in [["sale_price": "15"], ["discount": "5"], ["discount_percent": "25"], ["compare_price": "30"]] {
                let cells = sale.merging(["price": sale["compare_price"] == nil ? "20" : "15"]) { $1 }
                let start = try converted(cells.merging(["sale_start": text]) { $1 })
                let end = try converted(cells.merging(["sale_end": text, "sale_start": "0000-00-00"]) { $1 })
                #expect(start.product.contains("sale_price: 15") == (order.0 <= order.1), "\(text)")
                #expect(end.product.contains("sale_price: 15") == (order.0 >= order.1), "\(text)")
                let left = "changed 1 product: the sale price is left out: the sale"
                #expect(start.report.contains("\(left) has not begun ('k')") == (order.0 > order.1), "\(text)")
                #expect(end.report.contains("\(left) is over ('k')") == (order.0 < order.1), "\(text)")
            }
        }
    }

    @Test(arguments: ["11/12/2026", "12/11/26", "27.11.2026", "soon", "46353", "2026-13-40"])
    func `a day that cannot be told begins and ends no sale`(text: String) throws {
        for column in ["sale_start", "sale_end"] {
            let found = try converted(["price": "20", "sale_price": "15", column: text])
            #expect(found.product == ["price: 20"])
            #expect(found.report == ["changed 1 product: the sale price is left out: its dates cannot be read ('k')"])
        }
    }
}
