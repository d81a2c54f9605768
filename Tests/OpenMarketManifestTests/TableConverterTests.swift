import OpenMarket
import OpenMarketManifest
import Testing

/// Other shops' tables: what becomes a product, and what is said of the rest.
struct TableConverterTests {
    /// The manifest and the report; of pictures those are there that end with `.jpg`.
    private func convert(
        _ table: String,
        _ mapping: ConversionMapping? = nil,
        placeholder: String? = nil
    ) throws -> (manifest: String, report: [String]) {
        let options = TableConverter.Options(currency: .usd, placeholder: placeholder) { address in
            address.hasSuffix(".jpg") ? .file("images/" + (address.split(separator: "/").last ?? "")) : .unknown
        }
        let (products, report) = try TableConverter.convert(
            Array(table.utf8),
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
            mug,Mug,<b>Holds</b> 300 ml,Acme,true,Default Title,,9.999,,
            old,Old,Nobody wants it,Acme,false,Default Title,1,1,,

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
                "changed 2 products: the placeholder in the place of a picture ('7', '7-2')",
                "changed 1 product: the key of the row is another product's already ('7-2')",
            ]
        )
    }

    @Test func `what a mapping or a table lacks is told`() throws {
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
        #expect(
            fault("key: a\nname: b\nprice: bb\n")
                == "t.csv: the table has no column 'bb', which the mapping names (did you mean 'b'?)"
        )
        #expect(
            fault("key: a\nname: b\nprice: b\n", "a,b\n1,x\"\n")
                == "t.csv:2:b: a quote stands inside a cell that does not begin with one"
                + " (put the whole cell in quotes, and write each quote in it twice)"
        )
        #expect(throws: ConversionError.self) { try convert("a,b\n1,2\n") }
    }
}
