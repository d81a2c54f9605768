@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

/// Comments on pull requests: what is risky is there and open, whatever the size.
struct PlanMarkdownTests {
    @Test func `a plan of any size keeps its limit, its deletes and the largest price moves`() throws {
        let page = PlanMarkdownRenderer().render(ReviewedPlan.of(updates: 5000, deletes: 300, replaces: 100))
        #expect(page.utf8.count <= 65_536)
        for number in 0..<300 { #expect(page.contains("`gone-\(number)`"), "\(number)") }
        for number in 0..<100 { #expect(page.contains("`pictured-\(number)`"), "\(number)") }
        let open = try #require(page.firstRange(of: "<details>")).lowerBound
        // Product N moves by N cents of 100.
        for number in 4950..<5000 { #expect(page[..<open].contains("`moved-\(number)`"), "\(number)") }
        #expect(page.contains("Not shown for their length: "))
        #expect(page.components("<details>") == page.components("</details>"))
    }

    @Test func `few far price moves are among the findings`() throws {
        let plan = ReviewedPlan.of(updates: 60, deletes: 2, replaces: 1).plan
        let page = PlanMarkdownRenderer().render(ReviewedPlan(plan, of: .sample, maximumPriceChange: 110))
        let look = try #require(page.firstRange(of: "### Look at these")).upperBound
        let prices = try #require(page.firstRange(of: "### Prices")).lowerBound
        #expect(page[look..<prices].split(separator: "\n").count { $0.hasPrefix("| price moves far | ") } == 4)
    }

    @Test func `a plan that fits is whole`() {
        let page = PlanMarkdownRenderer().render(ReviewedPlan.of(updates: 60, deletes: 2, replaces: 1))
        for number in 1..<60 { #expect(page.contains("`moved-\(number)`"), "\(number)") }
        #expect(!page.contains("Not shown"))
    }

    @Test func `findings are cut to their keys before a product is left out`() {
        let page = PlanMarkdownRenderer(limit: 9000).render(ReviewedPlan.of(updates: 0, deletes: 120, replaces: 0))
        #expect(page.utf8.count <= 9000)
        for number in 0..<120 { #expect(page.contains("`gone-\(number)`"), "\(number)") }
    }

    @Test func `what goes is named whatever else there is to say`() throws {
        // Warnings, price moves and drift that each fill a page.
        var reviewed = ReviewedPlan.of(updates: 3000, deletes: 100, replaces: 20)
        reviewed.review.plan.diagnostics = (0..<4000).map { Diagnostic(.warning, .number, "row \($0) cannot be read") }
        let page = PlanMarkdownRenderer().render(reviewed)
        #expect(page.utf8.count <= 65_536)
        for number in 0..<100 { #expect(page.contains("`gone-\(number)`"), "\(number)") }
        for number in 0..<20 { #expect(page.contains("`pictured-\(number)`"), "\(number)") }
        let last = try #require(page.split(separator: "\n").last)
        // Each kind is counted once.
        #expect(last.matches(of: /price move/).count == 1 && last.contains("warnings"), "\(last)")
    }

    @Test(arguments: PlanFinding.allCases)
    func `every finding is among those to look at, beside a large price move too`(finding: PlanFinding) throws {
        let reviewed = ReviewedPlan.with(finding)
        let findings = reviewed.review.items.map(\.findings)
        try #require(findings.contains { $0.contains(finding) })
        let page = PlanMarkdownRenderer().render(reviewed)
        // The price moves have a table of their own.
        let table = try #require(
            page.firstRange(of: finding == .price ? "### Prices: what buyers pay" : "### Look at these")
        )
        let end = page[table.upperBound...].firstRange(of: "\n### ")?.lowerBound ?? page.endIndex
        let rows = page[table.upperBound..<end]
        #expect(rows.contains("`lamp`"))
        if finding != .price { #expect(rows.contains(finding.phrase)) }
    }

    @Test func `the same move of many products is one line`() throws {
        let operations = (0..<2000).map { number in
            let old = ExactDecimal(Int64(1000 + number * 10))
            let new = ExactDecimal(Int64(900 + number * 9))
            return ReviewedPlan.update(
                "lamp-\(number)",
                [.of(.price, .number(old), .number(new))],
                live: ProductValues(name: "Lamp \(number)", price: old, currency: .krw),
                desired: ProductValues(price: new)
            )
        }
        let page = PlanMarkdownRenderer().render(ReviewedPlan(Plan(operations: operations), of: .sample))
        let rows = page.split(separator: "\n").filter { $0.contains("-10%") && $0.contains("`lamp-") }
        #expect(
            rows == [
                "| 2000 products | `lamp-0`, `lamp-1`, `lamp-2`, … | 1,000–20,990 KRW | 900–18,891 KRW | -10% |  |"
            ]
        )
        #expect(page.contains("| product | key | old | new | % | where |\n| --- | --- | ---: | ---: | ---: | --- |\n"))
        #expect(!page.contains("Not shown"))
    }

    @Test func `the same end of many sales is one line, and a text that changes alike is one`() {
        let operations = (0..<300).map { number in
            let name = "Lamp \(number)"
            let sale = Sale.price(ExactDecimal(Int64(500 + number)))
            let changes: [FieldChange] = [
                .of(.description, .text("\(name) gives warm light."), .text("\(name) gives cold light.")),
                .of(.salePrice, .sale(sale), .sale(.fullPrice)),
            ]
            let live = ProductValues(name: name, price: 1000, sale: sale)
            return ReviewedPlan.update("lamp-\(number)", changes, live: live, desired: ProductValues(sale: .fullPrice))
        }
        let page = PlanMarkdownRenderer().render(ReviewedPlan(Plan(operations: operations), of: .sample))
        #expect(page.matches(of: /sale_price 500–799 → no sale/).count <= 1)
        #expect(page.matches(of: /<del>warm<\/del><ins>cold<\/ins>/).count == 1)
        #expect(page.contains("**300 products: `lamp-0`, `lamp-1`, `lamp-2`, …** description:"))
    }

    @Test(arguments: [
        ("Pad 0", "Pad\u{200B} 0", "written out: Pad 0 → Pad\\\\u{200B} 0"),
        ("Pad", "P\u{AD}ad", "written out: Pad → P\\\\u{AD}ad"), ("Pad 0", "Pad 1", "Pad <del>0</del><ins>1</ins>"),
    ])
    func `a text that only looks the same is written out`(old: String, new: String, edit: String) {
        let change = FieldChange.of(.name, .text(old), .text(new))
        let operation = ReviewedPlan.update(
            "pad",
            [change],
            live: ProductValues(name: old),
            desired: ProductValues(name: new)
        )
        let page = PlanMarkdownRenderer().render(ReviewedPlan(Plan(operations: [operation]), of: .sample))
        #expect(page.contains("** name: \(edit)\n"))
    }

    @Test func `the path of a picture is code`() {
        let digest = ContentDigest.of(1)
        let change = FieldChange.of(.images, kind: .conflict, was: .images([]), .images([]), .images([.digest(digest)]))
        var update = PlannedOperation.Update(
            id: MarketID(7),
            changes: [change],
            desired: ProductValues(),
            live: ProductValues(name: "Lamp")
        )
        update.pictures = [.of("_a*b_[c](d)`e|.png", digest)]
        let operation = PlannedOperation(key: "lamp", reason: "changed", work: .update(update))
        let page = PlanMarkdownRenderer().render(ReviewedPlan(Plan(operations: [operation]), of: .sample))
        #expect(page.contains(#"images `none → _a*b_[c](d)'e\|.png` (was `none`)"#))
        #expect(page.contains(#"| images | `none` | `_a*b_[c](d)'e\|.png` |"#))
    }

    @Test func `a sign is escaped although a mark that joins it follows`() {
        let page = Array(PlanMarkdownRenderer().render(ReviewedPlan.of("<\u{301}b>|\u{301}[", "mug`\u{301}")).utf8)
        for text in ["| &lt;\u{301}b&gt;\\|\u{301}\\[ |", "`mug'\u{301}`"] {
            #expect(page.firstRange(of: Array(text.utf8)) != nil, "\(text)")
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</details></td>", "a | b || c",
        "[click](javascript:alert(1))", "![x](http://evil.example/x.png)", "https://evil.example/", "www.evil.example",
        "@everyone", "#1", "`code` **bold** ~~gone~~", "line\nbreak\r\n| x |", "\u{1B}[31mred\u{1B}[0m",
        "\u{202E}gnp.exe",
        "=cmd|' /C calc'!A0", String(repeating: "x", count: 1000), "&lt;b&gt;",
    ])
    func `text from market or manifest is harmless`(text: String) {
        let operation = PlannedOperation(
            key: text,
            reason: text,
            source: SourceLocation(file: text, position: SourcePosition(line: 3, column: 1)),
            work: .update(
                PlannedOperation.Update(
                    id: MarketID(7),
                    changes: [
                        .of(.description, kind: .drift, .text(text), .text("Another text."))
                    ],
                    desired: ProductValues(description: "Another text."),
                    live: ProductValues(name: text, description: text)
                )
            )
        )
        let page = PlanMarkdownRenderer().render(
            ReviewedPlan(Plan(operations: [operation]), of: .sample)
        )
        // What is escaped, between back-ticks, or the relative target of a link is inert; the rest is for MarkdownTextTests.
        let plain = page.replacing(/\\./, with: "").replacing(/`[^`]*`/, with: "").replacing(/\]\(<[^>]*>\)/, with: "]")
        for tag in ["<script", "<img", "</td", "onerror=alert(1)>"] { #expect(!plain.contains(tag)) }
        for link in ["](javascript", "![x]", "https://", "http://", "www.evil", "@everyone", " #1"] {
            #expect(!plain.contains(link), "\(link)")
        }
        #expect(!page.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
        // A table's row stays one: four cells, and nothing that ends a line.
        for line in page.split(separator: "\n")
        where line.hasPrefix("| ") && line.contains("`") && !line.contains(/^\| (market|manifest|content) \|/) {
            let bars = line.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" }
            #expect(bars == 5 || bars == 6, "\(line)")
        }
    }
}

extension String {
    fileprivate func components(_ separator: String) -> Int { split(separator: separator).count }
}
