@testable import OpenMarket
import Testing
@testable import OpenMarketManifest

/// The text of HTML, and texts that are not HTML.
struct PlainTextTests {
    @Test(arguments: [
        // A tag begins with a letter, a slash, an exclamation mark or a question mark.
        ("For <5 kg and widths >20 cm", "For <5 kg and widths >20 cm"), ("I <3 You", "I <3 You"), ("a </3", "a </3"),
        ("Fits < XL and > XS. Made in KOREA.", "Fits < XL and > XS. Made in KOREA."), ("a < b", "a < b"),
        ("a <b", "a <b"),
        ("Write to <Sales@Example.com> soon", "Write to <Sales@Example.com> soon"), ("<\u{301}a>", "<\u{301}a>"),
        ("<B>Good</B> <o:p></o:p><x-y z>lamp</x-y>", "Good lamp"), ("<p title=\"a > b\">Good</p>", "Good"),
        ("<a href='x>y' b = \"'>\" c=d\"e>Good</a>", "Good"), ("<a b='c>Good", "<a b='c>Good"),
        // What is not a text is not shown.
        ("a<!-- b > c -- d -->e<!-->f<!--->g<!doctype html>h", "aefgh"), ("a<!-- b", "a"),
        ("<!DOCTYPE html><?xml version='1.0'?><![CDATA[x]]><title>T</title>Good", "Good"),
        ("<style>p > a { }</style>a<SCRIPT>if (a </b) '</scripts>'</SCRIPT >b", "ab"), ("a<script>b", "a"),
        // Blocks are lines; cells are apart.
        (
            "<table>\n<tr><td>Width</td><td>10 cm</td></tr>\n<tr><th>Height</th><td>20 cm</td></tr></table>",
            "Width 10 cm\nHeight 20 cm"
        ),
        ("<dl><dt>Size</dt><dd>M</dd></dl>", "Size\nM"), ("<ul>\n <li>a</li>\n <li>b</li>\n</ul>", "a\nb"),
        ("<option>A</option><option>B</option>", "A\nB"), ("<p>a</p>\n\n<p>b</p>", "a\nb"),
        ("<p>a</p><p>&nbsp;</p>b", "a\nb"),
        // Of empty lines one stays.
        ("a<br>b<br />\r\nc<br><br><br>d", "a\nb\nc\n\nd"), ("\n a  b\tc \n\n\n d\n", "a b c\n\nd"),
        // Codes of characters, once.
        ("&uuml;&Auml;&ntilde;&frac12;&eacute;&Scaron;&zcaron;&hearts;&nbsp;&amp;lt;", "üÄñ½éŠž♥ &lt;"),
        (
            "&#252;&#xFC;&#XFC;&#146;&#0;&#x110000;&#+5;&Uuml &unknown; AT&T; &;",
            "üüü’ &#x110000;&#+5;&Uuml &unknown; AT&T; &;"
        ),
        ("&lt;b&gt;", "<b>"), ("a&#10;b", "a\nb"),
    ])
    func `HTML is the text that a browser shows`(html: String, text: String) {
        #expect(PlainText.text(ofHTML: html) == text)
    }

    @Test func `another text keeps its lines and blanks`() {
        let text = "First  of all.\r\n\r\n\r\n  - item <b>&amp;\t \r\ta\u{7}b"
        #expect(PlainText.tidied(text) == "First  of all.\n\n\n  - item <b>&amp;\n\ta b")
        #expect(PlainText.oneLine(" a\n b\t\u{7}c ") == "a b c")
    }

    @Test func `every name of a character stands for one`() {
        let text = "&AElig;&yuml;&OElig;&omega;&bsol;&zdot;&apos;&quot;&grave;&rbrace;&rsqb;"
        #expect(HTMLEntities.decoded(text[...]) == "ÆÿŒω\\ż'\"`}]")
    }
}
