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
        let options = TableConverter.Options(
            currency: currency,
            placeholder: placeholder,
            description: description,
            today: "2026-11-27"
        ) { address in
            address.hasSuffix(".jpg") ? .file("images/" + (address.split(separator: "/").last ?? "")) : .unknown
        }
        let (products, report) = try TableConverter.convert(
            // As programs write it: with a line end behind the last row.
            Array((table + "\n").utf8),
            mapping: mapping,
            name: "t.csv",
            options: options
        )
        var writer = ManifestWriter()
        for product in products { writer.append(product) }
        writer.finish()
        return (String(decoding: try writer.takeBytes(), as: UTF8.self), report.lines)
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
                "changed 1 product: the stock is below 0, and written as 0 ('tee-red')",
                "left out 1 picture: not there as files (https://x/both.png)",
                "left out 1 column: a manifest has no place for Vendor",
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

    @Test func `cells of WooCommerce are read as it writes them, and a sale only while it lasts`() throws {
        let converted = try convert(
            #"""
            ID,Type,SKU,Name,Description,Regular price,Sale price,Date sale price starts,Date sale price ends,Stock,Images
            1,simple,a,'=Tea,First line.\n\nC:\\new,10,4,2026-11-01 00:00:00,2026-11-26 23:59:59,5,a.jpg
            2,simple,b,Mug,'- made of clay,10,4,2026-11-28,,'-3,b.jpg
            3,simple,c,Rug,''+ warm for feet,10,4,2026-11-27,2026-11-27,5,c.jpg
            4,simple,d,Cup,Holds 200 ml,10,4,,31/01/2000,5,d.jpg
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
                    description: "''+ warm for feet"
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
                "changed 1 product: the end of the sale is not carried over ('c')",
                "changed 1 product: the sale price is left out: its dates cannot be read ('d')",
                "changed 1 product: the sale price is left out: the sale has not begun ('b')",
                "changed 1 product: the sale price is left out: the sale is over ('a')",
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
        let mapping = try ConversionMapping(
            yaml: Array(
                """
                header: false
                delimiter: tab
                key: 1
                name: 2
                description: [4, "{2}, number {1}."]
                price: 3
                skip: {5: [gone]}
                """.utf8
            ),
            named: "m.yaml"
        )
        let converted = try convert(
            "7\tAdjustable race\t.0000\t\t\n7\tBearing ball\t₩5\tA ball for bearings.\t\n9\tGone\t1\t\tGone\n",
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
                "changed 1 product: the key of the row is another product's already ('7-2')",
            ]
        )
    }

    @Test func `what a mapping or a table lacks is reported`() throws {
        func fault(_ yaml: String, _ table: String = "a,b\n1,2\n") -> String? {
            do {
                _ = try convert(table, ConversionMapping(yaml: Array(yaml.utf8), named: "m.yaml"))
                return nil
            } catch let error as ConversionError {
                return (error.location.map { "\($0): " } ?? "") + error.message + (error.help.map { " (\($0))" } ?? "")
            } catch {
                return "\(error)"
            }
        }
        #expect(fault("key: a\nnmae: b\n") == "m.yaml:2:1: unknown key 'nmae' (did you mean 'name'?)")
        #expect(fault("key: a\nname: b\n") == "m.yaml: the mapping has no 'price'")
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
                == "t.csv: the table has no column 'bb', which the mapping names (did you mean 'b'?)"
        )
        #expect(
            fault("key: a\nname: b\nprice: b\n", "a,b\n1,x\"\n")
                == "t.csv:2:b: a quote is inside a cell that does not begin with one"
                + " (put the whole cell in quotes, and write each quote in it twice)"
        )
        #expect(throws: ConversionError.self) { try convert("a,b\n1,2\n") }
    }

    private func fault(_ table: String, _ mapping: ConversionMapping? = nil) -> String? {
        do {
            _ = try convert(table, mapping)
            return nil
        } catch let error as ConversionError {
            return (error.location.map { "\($0): " } ?? "") + error.message + (error.help.map { " (\($0))" } ?? "")
        } catch {
            return "\(error)"
        }
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
        #expect(try convert(Self.table(row) { $0 }).manifest == Self.tee)
        #expect(try convert(Self.table(row) { $0.uppercased() }).manifest == Self.tee)
        #expect(try convert(Self.table(row) { " " + $0.replacing(" ", with: "_") }).manifest == Self.tee)
        for (column, names) in mapping.synonyms {
            for name in names {
                let converted = try convert(Self.table(row) { $0 == column ? name : $0 })
                #expect(converted.manifest == Self.tee, "\(name) for \(column)")
                #expect(converted.report == [], "\(name) for \(column)")
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
                "left out 4 columns: a manifest has no place for Vendor, SKU, Option1 name and Image position"
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
                #expect(message.contains("neither Shopify's nor WooCommerce's"))
            } else {
                #expect(message.contains(mapping.shop == "Shopify" ? "Shopify's, but" : "WooCommerce's, but"))
                #expect(message.contains("'\(column)'"))
            }
            // With the shop named, no mapping is reported that the user did not write.
            let named = fault(Self.table(row.filter { $0.0 != column }) { $0 }, mapping) ?? ""
            #expect(!named.contains("which the mapping names") && named.contains("'\(column)'"), "\(named)")
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
        let mapping = try ConversionMapping(yaml: Array("header: false\nkey: 1\nname: 2\nprice: 3\n".utf8), named: "m")
        #expect(fault("a,b,1\nc,2\n", mapping)?.contains("t.csv:2: this row has 2 cells, and the header 3") == true)
        // What spreadsheets leave below a table is not part of it.
        #expect(
            try convert(header + whole + ",,,\n").report == [
                "changed 1 product: no picture: the market takes no product without one ('mug')"
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
        #expect(converted.report == ["left out 1 row: a price whose comma may be a decimal comma (row 3 'Tee')"])
    }

    @Test func `a key has no characters that are not seen`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let converted = try convert(header + "AB\u{200B}C,Tee,Soft and warm,5,a.jpg\n")
        #expect(converted.manifest.contains("key: ABC\n"))
        #expect(converted.report == ["changed 1 product: its key has no characters that are not seen ('ABC')"])
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
                "changed 1 product: the price before the sale is left out: a price that is not a number ('a')",
            ]
        )
    }

    @Test func `what spreadsheets and character sets did to a text makes no product`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let whole = "mug,Mug,Holds 300 ml.,5,b.jpg\n"
        let expected = try convert(header + whole).manifest
        let damages =
            SpreadsheetError.byLanguage.values.compactMap(\.first) + [
                "########", "Err:502", "caf\u{FFFD}s", "ï¿½", "NAVIDEÃ‘A", "ì²\u{AD}ìž í™”ë³‘", "泥?옄 ?붾퀝", "?? ??? ??",
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
        #expect(converted.report == ["changed 1 product: the given description, because the table has none ('a')"])
        #expect(try convert(header + "a,Tee,,5,a.jpg\n").report == ["left out 1 row: no description (row 2 'Tee')"])
    }

    @Test func `rows without a currency are counted`() throws {
        let header = "Handle,Title,Body (HTML),Variant Price,Image Src\n"
        let table = Array((header + "a,Tee,Soft and warm,5,a.jpg\n").utf8)
        let report = try TableConverter.convert(table, mapping: nil, name: "t.csv", options: TableConverter.Options())
            .report
        #expect(report.productCount == 0 && report.rowsWithoutCurrency == 1)
    }

    @Test func `a column that only a mapping file knows is named`() throws {
        let mapping = try ConversionMapping(
            yaml: Array("key: a\nname: [Nombre, b]\nprice: C\nstock: Lager\nskip: {State: [off]}\n".utf8),
            named: "m.yaml"
        )
        let converted = try convert("a,b,c\n1,Tee,5\n", mapping, placeholder: "p.png", description: "Soft and warm")
        #expect(converted.manifest.contains("name: Tee\n"))
        #expect(
            converted.report.last == "the table has no column 'Nombre', 'Lager' and 'State', which the mapping names"
        )
    }
}
