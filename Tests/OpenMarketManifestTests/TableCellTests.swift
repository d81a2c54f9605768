import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// What programs do to cells: every column that is read, times everything that is done to one.
struct TableCellTests {
    /// What no column may take.
    ///
    /// Of control and invisible characters texts have some.
    private static let damages: [String] =
        [
            "#DIV/0!", "#WERT!", "#NUL !", "#¡VALOR!", "#ЗНАЧ!", "#값!", "##", "########", " #REF! ", "\u{A0}#NV",
            "#n/a", "Err:502", "Err:999", "오류:508", "Ошибка:504",
            "ab\u{FFFD}cdefghijk",
        ]
        + [
            "ï¿½", "Lamp number ï¿½ of a few", "점占쏙옙점점점점점점점점점점", "Lamp ÔøΩ lamp lamp", "Lamp\u{7}lamp lamp",
            "Lamp\u{1F}lamp lamp",
        ]
        // What programs write where there is no value.
        + [
            "nan", "NaN", "NaT", "<NA>", "None", "null", "NULL", "(null)", "<null>", "\\N", "undefined",
            "[object Object]",
        ]

    /// A row with a value in every column, and what one of them has in its place.
    private func table(_ column: TableColumn, _ cell: String, id: String) -> [UInt8] {
        let values: [String: String] = [
            "id": id, "key": "lamp", "name": "A good lamp", "description": "It shines all night.", "price": "1000",
            "currency": "KRW", "sale_price": "900", "discount": "100", "stock": "5", "vendor_id": "29",
            "vendor": "example",
            "thumbnail": "https://m.example/t.png", "images": "https://m.example/1.png",
            "created_at": "2022-11-15T00:00:00", "issued_at": "2022-11-15T00:00:00", "_action": "MERGE",
        ]
        let columns = TableColumn.read
        var writer = CSVWriter()
        for name in columns.map(\.name) { writer.append(name) }
        writer.endRecord()
        for other in columns {
            writer.append(other == column ? cell : values[other.name] ?? "")
        }
        writer.endRecord()
        return writer.bytes
    }

    @Test(arguments: CatalogColumn.allCases.map(TableColumn.catalog) + [.action])
    func `damage is refused in every column, at its cell`(column: TableColumn) throws {
        let index = try #require(TableColumn.read.firstIndex(of: column))
        let large = String(repeating: "a", count: 1 << 20 | 1)
        for (id, damage) in ["", "7"].flatMap({ id in (Self.damages + [large]).map { (id, $0) } }) {
            let loaded = ManifestLoader().decode(table: table(column, damage, id: id), name: "t.csv")
            let shown = damage.unicodeScalars.count > 40 ? "large" : damage
            let found = loaded.diagnostics.filter { $0.path == TableDecoder.address(2, index) }
            switch column.use {
            case nil,
                .shown where damage != large:
                // What only the market changes is never taken.
                #expect(found.isEmpty, "\(column.name): '\(shown)'")
                #expect(loaded.manifest?.listings.count == 1)
            case .text where id == "7" && damage != large:
                // The market may have it already; it is an error where it would be written.
                #expect(found.allSatisfy { $0.severity == .warning } && !found.isEmpty, "\(column.name): '\(shown)'")
                #expect(loaded.manifest?.doubts.isEmpty == false, "\(column.name): '\(shown)'")
            default:
                #expect(found.contains { $0.severity == .error }, "\(column.name): '\(shown)'")
                #expect(loaded.manifest?.listings.isEmpty == true, "\(column.name): '\(shown)'")
            }
        }
    }

    @Test(arguments: CatalogColumn.allCases.map(TableColumn.catalog) + [.action])
    func `blanks around a cell mean nothing, but in a text`(column: TableColumn) throws {
        let clean = ManifestLoader().decode(table: table(column, "", id: "7"), name: "t.csv")
        for blank in [" ", "\u{A0}", "\u{3000}", "\u{202F}", "\t", "\u{2009}", "\u{2003}"] {
            let empty = ManifestLoader().decode(table: table(column, blank, id: "7"), name: "t.csv")
            if column.use?.isTrimmed == true {
                #expect(empty.diagnostics == clean.diagnostics, "\(column.name)")
                #expect(empty.manifest?.listings == clean.manifest?.listings, "\(column.name)")
            }
            for key in ["lamp" + blank, blank + "lamp", blank + "lamp" + blank] {
                let loaded = ManifestLoader().decode(table: table(.catalog(.key), key, id: "7"), name: "t.csv")
                #expect(loaded.diagnostics == [])
                #expect(loaded.manifest?.listings.map(\.key) == ["lamp"])
            }
        }
    }

    @Test(arguments: [
        "\u{200B}", "\u{FEFF}", "\u{AD}", "\u{2060}", "\u{202E}", "\u{3164}", "\u{1}", "\n", "\u{85}", "\u{2028}",
    ])
    func `what is invisible is not part of a key`(hidden: String) {
        for key in ["la\(hidden)mp", "\(hidden)x\(hidden)y"] {
            let loaded = ManifestLoader().decode(table: table(.catalog(.key), key, id: ""), name: "t.csv")
            #expect(loaded.diagnostics.contains { $0.severity == .error && $0.path == "A2" || $0.path == "B2" })
            #expect(loaded.manifest?.listings.isEmpty == true)
        }
    }

    @Test(arguments: [
        "#1 Lamp", "#", "C#", "#best!", "## Lamp", "#SALE", "Err:50", "Err: many", "Erratum:502 pages", "#N/Aa", "👨‍👩‍👧",
        "❤️ lamp",
    ])
    func `a text that only looks like an error is a text`(text: String) {
        let loaded = ManifestLoader().decode(
            table: Array("key,name\n\"\(text)\",\"\(text) lamp\"\n".utf8),
            name: "t.csv"
        )
        #expect(loaded.diagnostics == [])
        #expect(loaded.manifest?.listings.map(\.key) == [text])
        #expect(!SpreadsheetError.isOne(text))
    }

    @Test(arguments: [
        "#NULL!", "#DIV/0!", "#N/A", "#n/a", "####", "#WERT!", "#ÜBERLAUF!", "#NOM ?", "#NOM\u{202F}?", "#¿NOMBRE?",
        "#Н/Д",
        "#GETTING_DATA", "#SAKNAS", "#不可用", "#参照!", "＃値！", "Err:502", "erreur :502",
    ])
    func `an error of a spreadsheet in any language is one`(text: String) {
        #expect(SpreadsheetError.isOne(text))
        #expect(!SpreadsheetError.isOne(text + " lamp"))
    }

    // MARK: Numbers

    private func faults(_ table: String) -> [String] {
        ManifestLoader().decode(table: Array(table.utf8), name: "t.csv").diagnostics
            .map { "\($0.path): \($0.message)" + ($0.help.map { " (\($0))" } ?? "") }
    }

    @Test func `points between thousands are refused, with what to write`() {
        for separator in [",", ";", "\t"] {
            func cells(_ cells: String...) -> String { cells.joined(separator: separator) + "\n" }
            let header = cells("key", "price", "currency", "stock")
            #expect(
                faults(header + cells("a", "12.000", "KRW", "1")) == [
                    "B2: '12.000' can be read as 12000 and as 12 (write 12000 or 12)"
                ]
            )
            #expect(
                faults(header + cells("a", "12.500", "USD", "1")) == [
                    "B2: '12.500' can be read as 12500 and as 12.5 (write 12500 or 12.5)"
                ]
            )
            #expect(
                faults(header + cells("a", "1.234.567", "USD", "1")) == [
                    "B2: '1.234.567' is not a plain number (write 1234567)"
                ]
            )
            #expect(
                faults(header + cells("a", "5", "USD", "1.000")) == [
                    "D2: '1.000' can be read as 1000 and as 1 (write 1000 or 1)"
                ]
            )
            // Programs write whole numbers so.
            for number in ["12.0", "12.00", "21001.0", "1234.000", "12.0000"] {
                #expect(faults(header + cells("a", number, "KRW", number)) == [], "\(number)")
            }
            #expect(faults(header + cells("a", "12.50", "USD", "1")) == [])
            #expect(faults(header + cells("a", "12.00", "USD", "1")) == [])
            #expect(
                faults(header + cells("a", "0.125", "USD", "1") + cells("b", "15.719", "USD", "1")) == [
                    "B2: the price 0.125 has 3 digits after the point, and USD has 2 (rounded it is 0.13)",
                    "B3: the price 15.719 has 3 digits after the point, and USD has 2 "
                        + "(rounded it is 15.72; 15719 if its point separates thousands)",
                ]
            )
            #expect(
                faults(header + cells("a", "\"12,50\"", "USD", "1")) == [
                    "B2: '12,50' is not a plain number (write 12.50)"
                ]
            )
            // The currency may follow the price, or nowhere.
            #expect(faults(cells("key", "price") + cells("a", "12.000")).count == 1)
        }
        // Where the currency has three digits after the point, a comma may be a decimal one.
        #expect(
            faults("key,price,currency\na,\"1,234\",KWD\nb,\"1,234,567\",KWD\n").filter { $0.hasPrefix("B") } == [
                "B2: '1,234' can be read as 1234 and as 1.234 (write 1234 or 1.234)",
                "B3: '1,234,567' is not a plain number (write 1234567)",
            ]
        )
        #expect(
            faults("id,price\n1.000,5\n") == ["A2: 'id' must be a whole number of at least 1, and not '1.000'"]
        )
        #expect(
            faults("key,price,sale_price\na,20000,12.000\n") == [
                "C2: '12.000' can be read as 12000 and as 12 (write 12000 or 12)"
            ]
        )
        #expect(
            faults("key,price,discount\na,20000,1.000\n") == [
                "C2: '1.000' can be read as 1000 and as 1 (write 1000 or 1)"
            ]
        )
    }

    @Test func `points between thousands are refused in YAML, too`() {
        func faults(_ text: String) -> [String] {
            ManifestLoader().decode(Array(text.utf8)).diagnostics.filter { $0.code == .number }
                .map { $0.message + ($0.help.map { " (\($0))" } ?? "") }
        }
        let product = "products: [{key: a, "
        #expect(faults(product + "price: 12.000}]") == ["'12.000' can be read as 12000 and as 12 (write 12000 or 12)"])
        #expect(faults(product + "stock: 1.000}]") == ["'1.000' can be read as 1000 and as 1 (write 1000 or 1)"])
        for id in ["1.000", "007", "1,5", "0", "-7", "7e0"] {
            let message = "'id' must be a whole number of at least 1, and not '\(id)'"
            #expect(faults(product + "id: '\(id)'}]") == [message])
        }
        #expect(faults(product + "price: 1.234.567}]") == ["'1.234.567' is not a plain number (write 1234567)"])
        #expect(faults(product + "price: 12.50}]") == [])
        #expect(faults(product + "price: 59900.00}]") == [])
    }

    // MARK: The file

    @Test func `one fault is one fault in a table of any size`() throws {
        let folder = try TemporaryDirectory()
        var bytes = Array("key,name\n".utf8)
        for number in 2...8000 {
            bytes += Array("k\(number),\(number == 700 ? "A \"lamp" : "A lamp that is number \(number)")\n".utf8)
        }
        #expect(bytes.count > 3 << 16)
        try folder.write("t.csv", bytes)
        let loaded = ManifestLoader().load([folder.path + "/t.csv"])
        #expect(loaded.diagnostics.map { $0.location?.position?.line } == [700])
    }

    @Test func `a table that ends without a line end`() throws {
        #expect(faults("key,price\na,20\nb,30\n") == [])
        #expect(
            faults("key,price\na,20\nb,3") == [
                "B3: the file ends without a line end, so its last cell may be cut: '3' (if this is all of the file, end its last line)"
            ]
        )
        let loaded = ManifestLoader().decode(table: Array("key,price\na,20\nb,3".utf8), name: "t.csv")
        #expect(!loaded.hasErrors)
        #expect(loaded.manifest?.openCells.map(\.text) == ["3"])
        #expect(loaded.manifest?.openCells.map(\.field) == [.price])
        // Half a key is another key.
        for header in ["price,key", "key,id"] {
            #expect(ManifestLoader().decode(table: Array("\(header)\n1,2\n3,4".utf8), name: "t.csv").hasErrors)
        }
    }

    /// A table with its certificate, and `link.csv` to it; `certificate` are the further members.
    private func certified(_ table: String, _ digest: String, _ certificate: String = "") throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.write("t.csv", Array(table.utf8))
        let members = #""rows": 2, "sha256": "\#(digest)"\#(certificate)"#
        try folder.write("t.csv.certificate.json", Array("{\(members)}".utf8))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link.csv", withDestinationPath: "t.csv")
        return folder
    }

    @Test(arguments: ["t.csv", "link.csv"]) func `a certificate shows a table that was cut`(name: String) throws {
        let table = "key,price\r\na,20\r\nb,3000\r\n"
        let whole = Array(table.utf8)
        let digest = "d22a2c748ef7fa86aacd21fd15ef3178e82b79bd9cbffe72cab4b18d7a6bca3b"
        let folder = try certified(table, digest)
        func load(_ bytes: some Sequence<UInt8>) throws -> [Diagnostic.Severity] {
            try folder.write("t.csv", Array(bytes))
            return ManifestLoader().load([folder.path + "/" + name]).diagnostics.map(\.severity)
        }
        #expect(try load(whole) == [])
        #expect(try load(whole.dropLast(2)) == [])
        #expect(try load(whole.dropLast(3)) == [.error])
        #expect(try load(whole.dropLast(5)) == [.error])
        // What was edited and ended is an edited table.
        #expect(try load(Array("key,price\na,25\n".utf8)) == [])
    }

    @Test(arguments: ["t.csv", "link.csv"]) func `a certificate names the exported market`(name: String) throws {
        let digest = String(repeating: "0", count: 64)
        let market = #", "market": {"url": "http://a", "profile": "tickets", "parameters": {"event": "tour"}}"#
        let folder = try certified("key,price\na,20\n", digest, market)
        let exports = ManifestLoader().load([folder.path + "/" + name]).manifest?.exports
        #expect(exports?.map(\.file) == [folder.path + "/" + name])
        #expect(exports?.map(\.market.url) == ["http://a"])
        #expect(exports?.map(\.market.market) == ["tickets, event=tour"])
    }

    // MARK: The header

    @Test(.timeLimit(.minutes(1))) func `a header of many columns is read in one go`() {
        let header = (0..<200_000).map { "x-\($0)" }.joined(separator: ",")
        #expect(faults("key,\(header)\na\(String(repeating: ",", count: 200_000))\n") == [])
        let unknown = faults("key,\((0..<100_000).map { "c\($0)" }.joined(separator: ","))\n")
        #expect(unknown.count == 21)
        #expect(unknown.contains(": 99980 more columns cannot be used"))
    }
}

extension TableColumn {
    /// The columns that are read.
    fileprivate static let read = CatalogColumn.allCases.map(TableColumn.catalog) + [.action]

    fileprivate var name: String { if case .catalog(let column) = self { column.rawValue } else { Self.actionName } }
}
