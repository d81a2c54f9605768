@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// What a name means where a market's description is asked for: a built-in market, or a file.
struct MarketCheckTests {
    @Test func `a built-in market is checked by its name, in any case of letters`() throws {
        let check = try MarketCheck(named: "V2B")
        #expect(check.file == "v2b.market.yaml" && check.document == BuiltInMarket.v2b.document)
        #expect(check.market?.name == "v2b" && check.diagnostics.isEmpty)
        #expect(try check.profile([:]) == .v2b)
    }

    @Test func `a file is checked at its path, and filled by parameters`() throws {
        let folder = try TemporaryDirectory()
        let text = String(decoding: BuiltInMarket.v2b.document, as: UTF8.self)
        let path = try folder.write("shop.yaml", text.replacing("name: v2b", with: "name: shop"))
        let check = try MarketCheck(named: path)
        #expect(check.file == path && check.market?.name == "shop")
        #expect(try check.profile([:]).isBuiltIn == false)
        let error = #expect(throws: MarketProfileError.self) { try check.profile(["event": "tour"]) }
        #expect(error?.parameterFaults.map(\.kind) == [.unknown])
    }

    @Test func `only texts for people are HTML`() throws {
        let folder = try TemporaryDirectory()
        let text = String(decoding: BuiltInMarket.v2b.document, as: UTF8.self).replacing(
            "name: v2b",
            with: "name: shop"
        )
        for (field, isText) in [("name", true), ("description", true), ("price", false), ("stock", false)] {
            let html = text.replacing("  \(field): {at: /\(field)", with: "  \(field): {echo: html, at: /\(field)")
            try #require(html != text, "\(field)")
            let check = try MarketCheck(named: try folder.write("shop.yaml", html))
            let faults = isText ? [] : ["only 'name' and 'description' are HTML"]
            #expect(check.diagnostics.map(\.message) == faults, "\(field)")
            guard isText else { continue }
            #expect(try check.profile([:]).capabilities.htmlFields.map(\.rawValue) == [field])
        }
    }

    @Test func `a name that is like none says which there are`() {
        let near = #expect(throws: CommandFailure.self) { try MarketCheck(named: "v2c") }
        #expect(near?.description == "v2c does not exist")
        #expect(near?.help == "did you mean 'v2a'?")
        let far = #expect(throws: CommandFailure.self) { try MarketCheck(named: "woocommerce") }
        #expect(far?.help == "the built-in markets are v1a, v1b, v2a and v2b")
    }

    @Test func `a path without a file is a file's fault`() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: FileError.self) { try MarketCheck(named: folder.path + "/v2c") }
    }
}
