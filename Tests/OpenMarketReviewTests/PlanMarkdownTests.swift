import OpenMarket
import OpenMarketReview
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
                    id: ProductID(7),
                    changes: [
                        FieldChange(
                            field: .description,
                            kind: .drift,
                            base: nil,
                            live: .text(text),
                            manifest: .text("Another text.")
                        )
                    ],
                    desired: ProductValues(description: "Another text."),
                    live: ProductValues(name: text, description: text)
                )
            )
        )
        let page = PlanMarkdownRenderer().render(
            ReviewedPlan(Plan(operations: [operation]), MarketProfile.v2b.capabilities)
        )
        // What is escaped, between back-ticks, or the relative target of a link is inert.
        let plain = page.replacing(/\\./, with: "").replacing(/`[^`]*`/, with: "").replacing(/\]\(<[^>]*>\)/, with: "]")
        for tag in ["<script", "<img", "</td", "onerror=alert(1)>"] { #expect(!plain.contains(tag)) }
        for link in ["](javascript", "![x]", "https://", "http://", "www.evil", "@everyone", " #1"] {
            #expect(!plain.contains(link), "\(link)")
        }
        #expect(!page.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
        // A table's row stays one: four cells, and nothing that ends a line.
        for line in page.split(separator: "\n") where line.hasPrefix("| ") && line.contains("`") {
            let bars = line.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" }
            #expect(bars == 5 || bars == 6, "\(line)")
        }
    }
}

extension String {
    fileprivate func components(_ separator: String) -> Int { split(separator: separator).count }
}
