@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Which texts a market may show in the place of those that it was sent, and what becomes of others.
struct EchoFormTests {
    private static func isForm(_ shown: String, of sent: String, html: Bool) -> Bool {
        var capabilities = MarketCapabilities()
        capabilities.normalisedFields = [.description]
        if html { capabilities.htmlFields = [.description] }
        return capabilities.isForm(.text(shown), of: .text(sent), in: .description)
    }

    @Test(arguments: [
        // Entities, by name, number and hexadecimal number.
        ("Tom & Jerry", "Tom &amp; Jerry"), ("a < b", "a &lt; b"), ("5 < 6 > 4", "5 &lt; 6 &gt; 4"),
        ("\"é\" ’", "&quot;&eacute;&#34; &#8217;"), ("é", "&#xE9;"), ("é", "&#233;"),
        ("a b", "a&nbsp;b"),
        // Tags and their attributes.
        ("a<br>b", "a<br />b"), ("a<br/>b", "a<BR>b"), ("<P CLASS='x'>a</P>", "<p class=\"x\">a</p>"),
        ("<a href=x title=y>a</a>", "<a title='y' href='x'>a</a>"), ("<input disabled>", "<input disabled=\"\" />"),
        ("<a href='?a&b'>a</a>", "<a href=\"?a&amp;b\">a</a>"), ("<img src=a.png >", "<img src=\"a.png\" />"),
        // Blanks.
        ("a  b", "a b"), (" a\n", "a"), ("a\r\nb", "a b"), ("<p>a</p><p>b</p>", "<p>a</p>\n<p>b</p>\n"),
        ("<ul><li>a</li></ul>", "<ul>\n\t<li> a </li>\n</ul>"), ("a<br>b", "a <br />\nb"),
        ("<p> <b>a</b></p>", "<p><b>a</b></p>"), ("", "  "),
    ])
    func `the same HTML is written in several ways`(sent: String, shown: String) {
        #expect(Self.isForm(shown, of: sent, html: true), "\(HTMLMarkup.form(of: sent).debugDescription)")
        #expect(Self.isForm(sent, of: shown, html: true))
    }

    @Test(arguments: [
        ("a<script>alert(1)</script>", "aalert(1)"), ("a<script>alert(1)</script>", "a"),
        ("<iframe src='x'></iframe>a", "a"), ("5 < 6 > 4", "5  4"), ("5 < 6 > 4", "5 "), ("<b>a</b>", "a"),
        ("<b>a</b>", "&lt;b&gt;a&lt;/b&gt;"), ("a<br>b", "a b"), ("a<br>b", "ab"), ("<p>a</p>", "a"),
        ("<a href='x'>a</a>", "<a>a</a>"), ("<a href='x'>a</a>", "<a href='X'>a</a>"), ("a<!-- b -->", "a"),
        ("a", "A"), ("a b", "ab"), ("<b>a</b> b", "<b>a</b>b"), ("<pre>a  b</pre>", "<pre>a b</pre>"), ("a", ""),
        ("a &unknown; b", "a b"), ("🐈 a", "a"), ("<p>a</p><p>b</p>", "<p>a b</p>"), ("it's", "it’s"),
    ])
    func `other HTML is another text`(sent: String, shown: String) {
        #expect(!Self.isForm(shown, of: sent, html: true), "\(HTMLMarkup.form(of: sent).debugDescription)")
        #expect(!Self.isForm(sent, of: shown, html: true))
    }

    @Test(arguments: [
        ("Fan", "FAN", true), ("a  b", "a b", true), (" a\n", "a", true), ("e\u{301}", "é", true),
        ("Fan", "Fans", false), ("a b", "ab", false), ("a & b", "a &amp; b", false), ("<b>a</b>", "a", false),
        ("a", "", false),
    ])
    func `a normalised text differs in letter case, blanks and composition`(sent: String, shown: String, isForm: Bool) {
        #expect(Self.isForm(shown, of: sent, html: false) == isForm)
        #expect(Self.isForm(sent, of: shown, html: false) == isForm)
    }

    // MARK: Plans

    /// A market that shows a description as HTML, where the state knows what it made of one.
    private static func shop(sent: String, shown: String) throws -> PlanFixture {
        var market = DescribedShop()
        market.fields["description"] = "{at: /description, echo: html}"
        var shop = PlanFixture(try market.profile())
        shop.has("lamp", 7) { $0.values.description = sent }
        shop.input.state.entries["lamp"]?.applied.description = sent
        shop.input.state.entries["lamp"]?.shown = ProductValues(description: shown)
        shop.input.live.products[MarketID(7)]?.description = shown
        return shop
    }

    private static func warnings(_ shop: PlanFixture) -> [String] {
        shop.plan().diagnostics.filter { $0.code == .alteredText }.map(\.message)
    }

    @Test func `a plan says what the market shows otherwise, and changes nothing`() throws {
        var shop = try Self.shop(sent: "A <script>b</script>", shown: "A b")
        #expect(
            Self.warnings(shop) == [
                "the market altered the values sent for 1 product, such as 'lamp': "
                    + "description: sent “A <script>b</script>”, the market shows “A b”"
            ]
        )
        #expect(shop.plan().operations.isEmpty)
        // Where it shows something else by now, that is drift.
        shop.input.live.products[MarketID(7)]?.description = "B"
        #expect(Self.warnings(shop) == [])
        #expect(shop.plan().operations.map(\.action) == [.update])
        #expect(Self.warnings(try Self.shop(sent: "A & b", shown: "<!-- -->A &amp; b")).count == 1)
        #expect(Self.warnings(try Self.shop(sent: "A & b", shown: "A &amp; b")) == [])
    }

    @Test func `another form of the same HTML is no change, whoever wrote it`() throws {
        var shop = try Self.shop(sent: "Tom & Jerry", shown: "Tom &amp; Jerry")
        for shown in ["Tom &amp; Jerry", "Tom &#38; Jerry", "Tom & Jerry"] {
            shop.input.live.products[MarketID(7)]?.description = shown
            #expect(shop.plan().operations.isEmpty, "\(shown)")
        }
        shop.input.live.products[MarketID(7)]?.description = "Tom Jerry"
        #expect(shop.plan().operations.map(\.action) == [.update])
    }

    @Test(arguments: [
        ("A <script>b</script>", "script"), ("<p>A</p>\n<IFRAME src='x'></IFRAME>", "iframe"), ("A < script", nil),
        ("<p>A</p>", nil), ("A &lt;script&gt;", nil),
    ])
    func `before a change, what a shop takes out of the text there is named`(live: String, element: String?) throws {
        var shop = try Self.shop(sent: live, shown: live)
        #expect(shop.plan().diagnostics.filter { $0.code == .markupAtRisk } == [])
        shop.input.manifest.listings[0].values.description = "B"
        #expect(
            shop.plan().diagnostics.filter { $0.code == .markupAtRisk }.map(\.message)
                == (element.map {
                    [
                        "1 text on the market has elements that a shop may take out when it is written, such as <\($0)> of 'lamp'"
                    ]
                } ?? [])
        )
    }

    // MARK: The machine

    @Test func `a create that the market alters is done, with a note, and the state has what it shows`() throws {
        var market = DescribedShop()
        market.fields["description"] = "{at: /description, echo: html}"
        var run = MachineTrace(.create(Lamp.new), profile: try market.profile())
        let shown = Lamp.product(101) { $0.description = "Warm light, two &amp; arms." }
        guard case .record(let fact, let mutations)? = run.after(.start, .recorded, .replied(shown)),
            case .put(let entry)? = mutations.first
        else {
            Issue.record("the create is not over")
            return
        }
        #expect(
            fact
                == .succeeded(
                    101,
                    note: "description: sent “Warm light, two arms.”, the market shows “Warm light, two &amp; arms.”"
                )
        )
        #expect(entry.applied.description == "Warm light, two arms.")
        #expect(entry.shown == ProductValues(description: "Warm light, two &amp; arms."))
    }
}
