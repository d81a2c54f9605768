import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing

/// The page for a browser, as bytes; what a browser makes of it is tested where Chromium is.
struct PlanHTMLTests {
    @Test func `every word that the page takes from the plan's model has a Korean one`() throws {
        let korean = try #require(try JSONValue.parse(Array(PageTemplates.korean.utf8)).members)
        let words =
            PlanFinding.allCases.map(\.phrase) + ProductField.allCases.map(\.rawValue)
            + PlannedOperation.Action.allCases.map(\.rawValue)
        for word in Set(words) {
            #expect(korean.contains { $0.name == word }, "\(word)")
        }
    }

    @Test func `every action and field`() throws {
        // Style, words and script are there as they are in their files.
        let page = try PlanHTMLRenderer().render(ReviewedPlan.ofEverything)
            .replacing(PageTemplates.style, with: "(page.css)")
            .replacing(PageTemplates.korean, with: "(korean.json)")
            .replacing(PageTemplates.script, with: "(page.js)")
        expectGolden(page.utf8, "plan.html")
    }

    @Test func `what can be decided about has its digest and its product`() throws {
        let plan = ReviewedPlan.ofEverything
        let page = try PlanHTMLRenderer().render(plan, deciding: plan.items)
        #expect(page.contains("<fieldset class=\"deciding\" data-plan=\"sha256:\(plan.subject.content)\">"))
        for item in plan.items {
            let decided = "data-operation=\"sha256:\(item.digest)\" data-product=\"\(item.key)\">"
            #expect(
                page.matches(of: /<article class="([a-z]+)"[^>]*>/).filter { $0.output.0.hasSuffix(decided) }.map {
                    String($0.output.1)
                } == [item.action]
            )
        }
        #expect(try !PlanHTMLRenderer().render(plan).contains("data-operation"))
    }

    @Test func `nothing to do`() throws {
        let plan = ReviewedPlan(Plan(unchanged: 3, unselected: 2), of: .sample)
        let page = try PlanHTMLRenderer().render(plan)
        #expect(page.contains("<p data-t>No changes.</p>"))
        #expect(page.contains("<p data-t>2 products not selected</p>"))
        #expect(!page.contains("<form") && !page.contains("<article"))
    }

    @Test func `a plan of any size is there whole`() throws {
        let page = try PlanHTMLRenderer().render(
            ReviewedPlan.of(updates: 300, deletes: 30, replaces: 10)
        )
        for number in 0..<300 { #expect(page.contains("<article class=\"update\" id=\"moved-\(number)\"")) }
        for number in 0..<30 { #expect(page.contains("<article class=\"delete\" id=\"gone-\(number)\"")) }
    }

    @Test func `pictures are in the page, side by side, or say why they do not`() throws {
        let (reviewed, sides) = ReviewedPlan.pictured
        var pictures = ReviewPictures()
        pictures.add(sides[0], SmallPicture.png(1))
        pictures.add(sides[1], SmallPicture.jpeg(2), remark: "not the picture that was sent")
        pictures.leaveOut(sides[2], because: "not fetched: <b>")
        pictures.add(sides[3], SmallPicture.png(3))
        let page = try PlanHTMLRenderer().render(reviewed, pictures)
        let (png, jpeg) = (
            Data(SmallPicture.png(1)).base64EncodedString(), Data(SmallPicture.jpeg(2)).base64EncodedString()
        )
        let start = try #require(page.firstRange(of: "<div class=\"pictures\">")).lowerBound
        let end = try #require(page[start...].firstRange(of: "</article>")).lowerBound
        #expect(
            page[start..<end] == """
                <div class="pictures">
                <div class="pair" data-swipe>
                <figure class="before"><figcaption><span data-t>before</span> <span class="dim" data-t>72 bytes</span></figcaption>\
                <img src="data:image/png;base64,\(png)" alt="picture 1 before" loading="lazy" decoding="async"></figure>
                <figure class="after"><figcaption><span data-t>after</span> <span class="dim">a.jpg</span> \
                <span class="dim" data-t>\(SmallPicture.jpeg(2).count) bytes</span> <b class="why" data-t>not the picture that was sent</b>\
                </figcaption><img src="data:image/jpeg;base64,\(jpeg)" alt="picture 1 after: a.jpg" loading="lazy" \
                decoding="async"></figure>
                </div>
                <div class="pair">
                <figure class="before"><figcaption><span data-t>picture 2</span> <span data-t>before</span></figcaption>\
                <p class="missing" data-t>Not fetched: &lt;b&gt; (sha256 020202020202)</p></figure>
                <figure class="after"><figcaption><span data-t>picture 2</span> <span data-t>after</span> <span class="dim">b.png</span> \
                <span class="dim" data-t>72 bytes</span></figcaption>\
                <img src="data:image/png;base64,\(Data(SmallPicture.png(3)).base64EncodedString())" \
                alt="picture 2 after: b.png" loading="lazy" decoding="async"></figure>
                </div>
                </div>
                </div>

                """
        )
    }

    @Test func `a picture of many products is in the page once`() throws {
        let (reviewed, sides) = ReviewedPlan.pictured
        var pictures = ReviewPictures()
        for (number, side) in sides.enumerated() { pictures.add(side, SmallPicture.png(number)) }
        var twice = reviewed.plan
        twice.operations += twice.operations
        twice.operations[1].key = "other lamp"
        let plan = ReviewedPlan(twice, of: .sample)
        let page = try PlanHTMLRenderer().render(plan, pictures)
        #expect(page.matches(of: /data:image/).count == 4)
        let other = try #require(page.firstRange(of: "id=\"other lamp\"")).upperBound
        #expect(!page[other...].contains("<img"))
        #expect(
            page[other...].matches(of: /<span data-t>The same picture as of<\/span> <a href="#lamp">Lamp<\/a>/).count
                == 4
        )
    }

    @Test func `a picture beside one name and among another product's is in the page once`() throws {
        func create(_ key: String, _ pictures: [UInt8]) -> PlannedOperation {
            let files = pictures.map { Picture.of("\($0).png", .of($0)) }
            let values = ProductValues(name: key, images: files.map { .digest($0.digest) })
            let product = NewProduct(values: values, pictures: files)
            return PlannedOperation(key: key, reason: "new", work: .create(product))
        }
        // The second picture of each is the first one of the other.
        let review = PlanReview(Plan(operations: [create("lamp", [1, 2]), create("vase", [2, 1])]))
        var pictures = ReviewPictures()
        for side in review.pictures {
            pictures.add(side, SmallPicture.png(side.digest == .of(1) ? 1 : 2))
        }
        let page = try PlanHTMLRenderer().render(ReviewedPlan(review.plan, of: .sample), pictures)
        #expect(page.ranges(of: "data:image").count == 2)
        for (number, file) in [(0, "1.png"), (1, "2.png")] {
            #expect(page.ranges(of: "<image id=\"?\(number)\" ").count == 1)
            #expect(page.contains("<img data-copied=\"?\(number)\" alt=\"picture 2 after: \(file)\" loading=\"lazy\" "))
        }
    }

    @Test func `a picture beside many names is in the page once, and an empty box says why`() throws {
        func update(_ number: Int, _ thumbnail: String?) -> PlannedOperation {
            let change = FieldChange.of(.salePrice, .sale(.fullPrice), .sale(.price(40)))
            var update = PlannedOperation.Update(
                id: MarketID(Int64(number)),
                changes: [change],
                desired: ProductValues(price: 80, sale: .price(40)),
                live: ProductValues(name: "Product \(number)", price: 80, currency: .usd, sale: .fullPrice)
            )
            update.livePictures.thumbnailURL = thumbnail
            return PlannedOperation(key: "key-\(number)", reason: "changed in the manifest", work: .update(update))
        }
        // Each product has its own address of one of three pictures.
        let operations = (0..<40).map { update($0, "/\($0).png") } + [update(40, nil)]
        let plan = ReviewedPlan(Plan(operations: operations), of: .sample)
        var pictures = ReviewPictures(budget: ReviewPictures.Budget(each: 1000, total: 1000))
        for number in 0..<39 {
            pictures.add(PictureMove.Side(url: "/\(number).png"), SmallPicture.png(number % 3))
        }
        pictures.leaveOut(PictureMove.Side(url: "/39.png"), because: "not fetched: <b>")
        let page = try PlanHTMLRenderer().render(plan, pictures)
        for number in 0..<3 {
            let data = Data(SmallPicture.png(number)).base64EncodedString()
            #expect(page.ranges(of: "href=\"data:image/png;base64,\(data)\"").count == 1)
            #expect(page.ranges(of: "<image id=\"?\(number)\" ").count == 1)
            #expect(page.ranges(of: "<use href=\"#?\(number)\"/>").count == 12)
        }
        #expect(page.ranges(of: "data:image").count == 3)
        #expect(page.contains("<span class=\"main-picture\" data-t>Not fetched: &lt;b&gt;</span>"))
        #expect(page.contains("<span class=\"main-picture\" data-t>No picture</span>"))
        #expect(!page.contains("<span class=\"main-picture\"></span>"))
        // A new sale beside what buyers pay without it.
        #expect(page.ranges(of: "<del data-t>80 USD</del> → <ins data-t>40 USD</ins>").count == 41)
        #expect(!page.contains("<del data-t>no sale</del>"))
    }

    /// A quote or a bracket with an accent is one character to Swift and two to a browser.
    @Test func `every character that a browser or a terminal obeys is escaped, with accents too`() throws {
        let text = "<b>\"'&\u{301}<\u{301}\"\u{301}'\u{301}>\u{301}\u{202E}\u{1B}[31m\u{7}\u{2028}"
        let page = try PlanHTMLRenderer().render(ReviewedPlan.of(text))
        let escaped =
            "&lt;b&gt;&quot;&#39;&amp;\u{301}&lt;\u{301}&quot;\u{301}&#39;\u{301}&gt;\u{301}"
            + #"\u{202e}\u{1b}[31m\u{7}\u{2028}"#
        #expect(page.contains("id=\"\(escaped)\""))
        #expect(page.contains("<span data-t>\(escaped)</span>"))
        #expect(page.contains("<del>\(escaped)</del>"))
        #expect(!page.unicodeScalars.contains { [0x202E, 0x1B, 7, 0x2028].contains($0.value) })
    }

    @Test(arguments: HostileText.all)
    func `a text adds nothing to the page but text`(text: String) throws {
        let renderer = try PlanHTMLRenderer()
        let page = renderer.render(ReviewedPlan.of(text))
        let own = Self.tags(renderer.render(ReviewedPlan.of("harmless")))
            .union(Self.tags(renderer.render(ReviewedPlan.ofEverything)))
        #expect(Self.tags(page).subtracting(own).isEmpty)
    }

    /// The tags with the names of their attributes, without the attributes' values.
    private static func tags(_ page: String) -> Set<String> {
        Set(page.matches(of: /<[!\/a-zA-Z][^>]*>/).map { String($0.output).replacing(/"[^"]*"/, with: "") })
    }
}

/// Texts that could be put into a name to attack whoever looks at it.
enum HostileText {
    static let all = [
        "<script>alert(1)</script>", "</script><script>alert(1)</script>", "</style><img src=x onerror=alert(1)>",
        "</title></head><body onload=alert(1)>", "\" onmouseover=\"alert(1)", "' autofocus onfocus='alert(1)",
        "\"\u{301} onmouseover=alert(1) x=\"", "<\u{301}img src=x onerror=alert(1)>", "<!-- ", "-->", "]]>",
        "javascript:alert(1)", "&lt;script&gt;", "{{page}}{{> page}}{{{script}}}", "{{=<% %>=}}",
        "\u{202E}gnp.exe", "\u{1B}[31mred\u{1B}[0m", "\u{0}null", "line\nbreak\r\nand tab\t",
        "=cmd|' /C calc'!A0", String(repeating: "x", count: 1000), String(repeating: "한", count: 1000),
    ]
}
