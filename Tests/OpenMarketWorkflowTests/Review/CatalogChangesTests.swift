@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

/// What changed since an earlier export, as people read it.
struct CatalogChangesTests {
    private static let columns: [CatalogColumn] = [.name, .price, .salePrice, .stock, .images]

    private static func row(_ id: Int64, _ name: String, _ price: ExactDecimal?, stock: ExactDecimal?) -> CatalogRow {
        CatalogRow(
            id: MarketID(id),
            columns: columns,
            values: [
                .text(ExactText(name)), price.map { .number($0) } ?? .unset, .unset,
                stock.map { .number($0) } ?? .unset,
                .texts(["a", "b"].prefix(stock == 3 ? 1 : 2).map { ExactText($0) }),
            ]
        )
    }

    /// A product of each kind, and one whose name only looks the same.
    private static var week: CatalogChanges {
        let lamp = row(193, "Desk lamp", ExactDecimal("16.99"), stock: 5)
        let dearer = row(193, "Desk lamp", ExactDecimal("18.99"), stock: 3)
        let composed = row(7, "caf\u{E9}", 4, stock: 1)
        let decomposed = row(7, "cafe\u{301}", 4, stock: 1)
        let same = [row(5, "Vase", 4, stock: 1), row(4, "Bowl", 4, stock: 1)]
        let tea = row(201, "Tea | set", 12000, stock: nil)
        let gone = row(3, "Old\u{1B}[31m <b>vase</b>", nil, stock: 0)
        return .between([lamp, composed] + same + [gone], and: [tea, dearer, decomposed] + same)
    }

    @Test func `as text`() {
        #expect(
            ExactText(Self.week.text()) == """
                + 201 "Tea | set"  price 12000
                ~ 193 "Desk lamp"
                    price   16.99 → 18.99
                    stock   5 → 3
                    images  2 pictures → 1 picture
                ~ 7 "cafe\u{301}"
                    name  "caf\u{E9}" → "cafe\u{301}" (the same characters in other bytes)
                - 3 "Old\\u{1b}[31m <b>vase</b>"  stock 0

                1 new, 2 changed, 1 gone, 2 unchanged.

                """
        )
    }

    @Test(arguments: [
        ("La\u{200B}mp", "Lamp", "La\\u{200B}mp → Lamp"),
        ("Desk lamp", "Desk\u{A0}lamp", "Desk lamp → Desk\\u{A0}lamp"),
        ("Lamp", "Lamp\u{FEFF}", "Lamp → Lamp\\u{FEFF}"), ("La\u{AD}mp", "La\u{200D}mp", "La\\u{AD}mp → La\\u{200D}mp"),
    ])
    func `texts that look alike are written out`(old: String, new: String, words: String) {
        #expect(FieldValueText.likeness(old, new) == "written out: \(words)")
        #expect(FieldValueText.likeness(old, old + "s") == nil)
    }

    @Test func `as Markdown, in which texts of the market say nothing`() {
        #expect(
            ExactText(Self.week.markdown(since: "last_week.csv")) == """
                ## What changed since last\\_week.csv

                1 new, 2 changed, 1 gone, 2 unchanged.

                ### Changed

                | product | field | before | now |
                | --- | --- | --- | --- |
                | 193 "Desk lamp" | price | 16.99 | 18.99 |
                |  | stock | 5 | 3 |
                |  | images | 2 pictures | 1 picture |
                | 7 "cafe\u{301}" | name | "caf\u{E9}" | "cafe\u{301}" |

                ### New

                | product | price | stock |
                | --- | ---: | ---: |
                | 201 "Tea \\| set" | 12000 | – |

                ### Gone

                | product | price | stock |
                | --- | ---: | ---: |
                | 3 "Old\\\\u{1b}\\[31m &lt;b&gt;vase&lt;/b&gt;" | – | 0 |

                """
        )
    }

    @Test func `in every format, in those for people without credentials`() {
        let changes = Self.week
        var summary = CatalogSummary()
        summary.catalogMoved = true
        let start = Timestamp(milliseconds: 0)
        let reading = CatalogReading(summary: summary, problems: 0, lostRows: 0, startedAt: start, endedAt: start)
        let difference = CatalogDifference(changes: changes, uncompared: [], reading: reading)
        let mask = SecretMask([Secret("Desk lamp")])
        func bytes(_ format: ExportFormat) -> [UInt8] {
            KnownSecrets.$current.withValue(KnownSecrets([Secret("Desk lamp")])) {
                difference.bytes(since: "last_week.csv", as: format)
            }
        }
        func isText(_ format: ExportFormat, _ text: String) -> Bool { bytes(format) == Array(mask.masked(text).utf8) }
        #expect(isText(.text, changes.text()))
        #expect(isText(.markdown, changes.markdown(since: "last_week.csv")))
        let json = changes.document(since: "last_week.csv", catalogMoved: true).bytes(pretty: true)
        #expect(bytes(.json) == mask.masked(json: json + Array("\n".utf8)))
        let tables: [(ExportFormat, CatalogChangeTable.Form)] = [
            (.csv, .table(delimiter: UInt8(ascii: ","))), (.tsv, .table(delimiter: UInt8(ascii: "\t"))),
            (.jsonl, .lines),
        ]
        for (format, form) in tables {
            #expect(bytes(format) == CatalogChangeTable.bytes(changes, as: form))
        }
    }

    @Test func `no changes`() {
        let rows = [Self.row(5, "Vase", 4, stock: 1)]
        let none = CatalogChanges.between(rows, and: rows)
        #expect(none.text() == "No changes.\n")
        #expect(
            none.markdown(since: "a.csv")
                == "## What changed since a.csv\n\nNo changes.\n"
        )
    }

    @Test func `a page that is too long says what it leaves out`() {
        let rows = (1...5000).map { Self.row($0, "Product \($0)", 4, stock: 1) }
        let page = CatalogChanges.between(rows, and: []).markdown(since: "a.csv")
        let shown = page.split(separator: "\n").count { $0.hasPrefix("| ") } - 2
        #expect(page.utf8.count <= 65_536)
        #expect(shown > 1000)
        #expect(
            page.hasSuffix(
                "Not shown for their length: \(5000 - shown) gone products. As text, JSON or CSV the changes are whole.\n"
            )
        )
    }
}
