@testable import OpenMarket
import Testing

/// Values as people write them in options and manifests.
struct ValueTextTests {
    @Test(arguments: [
        ("30%", 3000), ("2.5%", 250), ("0%", 0), ("0.001%", nil), ("30", nil), ("-1%", nil), ("%", nil), ("none%", nil),
    ])
    func `a share is read in hundredths of a percent`(text: String, points: Int64?) {
        #expect(ExactDecimal.basisPoints(text) == points)
    }

    @Test(
        arguments: [
            ("5", .count(5)), ("0", .count(0)), ("30%", .basisPoints(3000)), ("-5", nil), ("1.5", nil), ("none", nil),
        ] as [(String, Policies.Bound?)]
    )
    func `a bound is a number or a share`(text: String, bound: Policies.Bound?) {
        #expect(Policies.Bound(text) == bound)
    }

    @Test(
        arguments: [
            ("30", .seconds(30)), ("1.5", .milliseconds(1500)), ("500ms", .milliseconds(500)), ("30s", .seconds(30)),
            ("5m", .seconds(300)), ("1h", .seconds(3600)), ("0", .zero), ("8784h", .seconds(366 * 24 * 3600)),
            ("8785h", nil), ("9223372036854775807h", nil), ("-1s", nil), ("1.0005", nil), ("s", nil), ("", nil),
            ("1d", nil),
        ] as [(String, Duration?)]
    )
    func `a time has a unit or is seconds, and is at most a year`(text: String, duration: Duration?) {
        #expect(Duration(text) == duration)
    }

    @Test func `a digest names its algorithm`() {
        let digits = String(repeating: "0a", count: 32)
        #expect(ContentDigest(named: "sha256:" + digits)?.hexadecimal == digits)
        for text in [digits, "sha256:", "sha256:" + digits.dropLast(), "sha512:" + digits] {
            #expect(ContentDigest(named: text) == nil)
        }
    }

    @Test func `columns are named once each`() throws {
        #expect(try CatalogColumn.list("id, name,sale_price") == [.id, .name, .salePrice])
        #expect(throws: CatalogColumn.ListFault.unknown("nam")) { try CatalogColumn.list("id,nam") }
        for text in ["", ",", "id,id"] {
            #expect(throws: CatalogColumn.ListFault.notEachOnce) { try CatalogColumn.list(text) }
        }
    }
}
