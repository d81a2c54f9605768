@testable import OpenMarket
@testable import OpenMarketDescription
import Testing

/// What is counted of replies: fields where the description has them, and members that it does not name.
struct ResponseFieldStatsTests {
    private static func census(
        of market: String,
        _ parameters: [String: String] = [:],
        _ pages: String...
    ) throws -> ResponseFieldStats {
        var census = ResponseFieldStats(try DescribedMarkets.market(market), parameters: parameters)
        for page in pages { census.add(page: try JSONValue.parse(Array(page.utf8))) }
        return census
    }

    private static func lines(_ sightings: [ResponseFieldStats.Sighting]) -> [String] {
        sightings.map { sighting in
            let kinds = sighting.kinds.map(\.rawValue).joined(separator: "|")
            return
                "\(sighting.name) \(sighting.count)/\(sighting.filled) \(kinds) \(sighting.samples.joined(separator: " "))"
        }
    }

    @Test func `fields are counted where the description has them, and the first that is not null counts`() throws {
        let census = try Self.census(
            of: "json-files",
            [:],
            #"[{"sku": "a", "title": "Cup", "price": {"amount": 5, "currency": "KRW"}, "photos": ["x", "y"], "colour": null}]"#,
            #"{"products": [{"sku": "b", "title": "Fan", "in_stock": "3", "price": {"amount": 5.5}}], "made": "today"}"#
        )
        #expect(census.pages == 2)
        #expect(census.rows == 2)
        #expect(
            Self.lines(census.fields) == [
                #"id 2/2 text "a" "b""#, #"name 2/2 text "Cup" "Fan""#, "description 0/0  ", "price 2/2 number 5 5.5",
                #"currency 1/1 text "KRW""#, #"stock 1/1 text "3""#, #"images 1/1 array ["x","y"]"#,
            ]
        )
        #expect(Self.lines(census.unnamedInRows) == ["/colour 1/0 null "])
        #expect(Self.lines(census.unnamedInPages) == [#"/made 1/1 text "today""#])
    }

    @Test func `of an array the element counts that is meant, and its other members are not named`() throws {
        let census = try Self.census(
            of: "oscar",
            ["partner": "/p/1/", "currency": "KRW"],
            """
            {"count": 1, "next": null, "previous": null, "results": [{"id": 7, "stockrecords": [
              {"partner": "/p/2/", "price": "9.00", "num_allocated": "x"},
              {"partner": "/p/1/", "price": "5.00", "num_allocated": "y"}]}]}
            """
        )
        #expect(Self.lines(census.fields).contains(#"price 1/1 text "5.00""#))
        #expect(Self.lines(census.unnamedInRows) == [#"/stockrecords/*/num_allocated 1/1 text "x" "y""#])
        #expect(Self.lines(census.unnamedInPages) == ["/previous 1/0 null "])
    }

    @Test func `what is not a page is left aside, and values that are long are cut`() throws {
        let long = String(repeating: "가", count: 100)
        let census = try Self.census(
            of: "pretix",
            ["language": "ko"],
            #"{"detail": "no"}"#,
            #"{"results": [{"id": 1, "name": {"ko": "\#(long)", "en": "x"}, "tax": 0}, 5]}"#
        )
        #expect(census.pages == 1)
        #expect(census.rows == 2)
        let name = try #require(census.fields.first { $0.name == "name" })
        #expect(name.count == 1 && name.kinds == [.object])
        #expect(name.samples[0].unicodeScalars.count == 60 && name.samples[0].hasSuffix("…"))
        #expect(Self.lines(census.unnamedInRows) == ["/tax 1/1 number 0", " 1/1 number 5"])
    }

    @Test func `every field of every described market that rows show is counted`() throws {
        for name in DescribedMarkets.names {
            let market = try DescribedMarkets.market(name)
            let counted = Set(ResponseFieldStats(market).fields.map(\.name))
            let shown = market.fields.order.filter { field in
                market.fields.shows(field) && !(field == .currency && market.fields.currency?.fixed != nil)
            }
            #expect(Set(shown.map(\.rawValue)).subtracting(counted) == [], "\(name)")
        }
    }
}
