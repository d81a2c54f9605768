@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import SystemPackage
import Testing
@testable import OpenMarketWorkflow

/// A manifest of another shop's table, from the first check to the file.
final class TableConversionTests {
    private let folder: TemporaryDirectory
    private let table: String
    private let manifest: String

    init() throws {
        folder = try TemporaryDirectory()
        table = try folder.write(
            "shop.csv",
            "Handle,Title,Body (HTML),Variant Price,Image Src\nfan,Fan,Long enough.,5,https://cdn.example/fan.png\n"
        )
        manifest = folder.path + "/shop.yaml"
    }

    /// Hosts that have no pictures.
    private static let hosts = LocalConnection(StandInMarket())

    private func convert(_ conversion: TableConversion, currency: Currency? = .usd) async throws
        -> TableConversion.Converted
    {
        try await conversion.convert(mapping: .shopify, currency: currency, over: Self.hosts)
    }

    private func written(_ head: ManifestHead = ManifestHead(), replacing: Bool = false) async throws -> [UInt8] {
        let conversion = try TableConversion(of: table, to: manifest, replaces: replacing)
        try conversion.write(try await convert(conversion), under: head) { _ in Issue.record("nothing goes there") }
        return try folder.read("shop.yaml")
    }

    @Test func `a manifest that exists is written over where that is asked for, and not otherwise`() async throws {
        let bytes = try await written()
        expectEnd(.refused, "\(manifest) exists; it was not changed") { try TableConversion(of: table, to: manifest) }
        try folder.write("shop.yaml", "products: []\n")
        #expect(try await written(replacing: true) == bytes)
        #expect(String(decoding: bytes, as: UTF8.self).contains("key: fan"))
    }

    @Test func `without a file the manifest goes to standard output, and the addresses of pictures to theirs`()
        async throws
    {
        let conversion = try TableConversion(of: table, to: nil)
        let converted = try await convert(conversion)
        #expect(!converted.isRetryUseful && converted.fetchedCount == 0)
        var output: [UInt8] = []
        let list = folder.path + "/missing.txt"
        try conversion.write(converted, under: ManifestHead(), pictureList: list) { output += $0 }
        #expect(String(decoding: output, as: UTF8.self).contains("key: fan"))
        #expect(try folder.read("missing.txt") == Array("https://cdn.example/fan.png\n".utf8))
        #expect(!FileSystem.exists(manifest))
    }

    @Test func `a table without a product writes nothing, and says what its rows lack`() async throws {
        let conversion = try TableConversion(of: table, to: manifest)
        let converted = try await convert(conversion, currency: nil)
        #expect(converted.report.leftOut.map(\.count) == [1])
        let help = "choose their currency: --currency KRW"
        #expect(converted.report.helps == [help])
        expectEnd(.invalidInput, "no row of \(table) is a product", help) {
            try conversion.write(converted, under: ManifestHead()) { _ in }
        }
        #expect(!FileSystem.exists(manifest))
    }

    @Test func `a picture that another run may get is the only one that a manifest lacks`() async throws {
        let url = "https://cdn.example/fan.png"
        func convert(_ market: StandInMarket, from hosts: [String]) async throws -> TableConversion.Converted {
            let images = folder.path + "/images"
            let conversion = try TableConversion(of: table, to: manifest, images: images, hosts: hosts)
            return try await conversion.convert(mapping: .shopify, currency: .usd, over: LocalConnection(market))
        }
        var silent = StandInMarket()
        silent.pictureError = MarketError(.unreachable, "no answer")
        let missing = try await convert(silent, from: ["cdn.example"])
        #expect(missing.products.count == 1)
        expectEnd(.partialFailure, "not all pictures could be fetched") { try missing.requireWhole() }
        // One that is not asked for, or that is not there, is not missing.
        try await convert(silent, from: []).requireWhole()
        try await convert(StandInMarket(), from: ["cdn.example"]).requireWhole()
        let whole = try await convert(StandInMarket(pictures: [url: SmallPicture.png(1)]), from: ["cdn.example"])
        #expect(whole.fetchedCount == 1)
        try whole.requireWhole()
    }

    @Test func `a placeholder has to be there, because every product without a picture would name it`() async throws {
        let conversion = try TableConversion(of: table, to: manifest)
        func convert(placeholder: String) async throws -> TableConversion.Converted {
            try await conversion.convert(
                mapping: .shopify,
                currency: .usd,
                placeholder: folder.path + placeholder,
                over: Self.hosts
            )
        }
        let missing = FileError(.read, folder.path + "/none.png", .noSuchFileOrDirectory)
        await #expect(throws: missing) { try await convert(placeholder: "/none.png") }
        try folder.write("there.png", SmallPicture.png(1))
        #expect(try await convert(placeholder: "/there.png").products.map(\.added.images) == [["there.png"]])
    }

    @Test func `a market that takes no product without a stock gets none`() async throws {
        let conversion = try TableConversion(of: table, to: manifest)
        for profile in [MarketProfile.v1b, .v2b] {
            let converted = try await conversion.convert(
                mapping: .shopify,
                for: profile,
                currency: .usd,
                over: Self.hosts
            )
            let needsStock = profile.capabilities.fieldsRequiredToCreate.contains(.stock)
            let reasons = converted.report.leftOut.map(\.reason)
            #expect(reasons.contains("no stock, which the market requires") == needsStock)
        }
    }

    @Test func `a market that is known in whole is a section, and one that is not a comment`() {
        func head(_ url: String?, _ profile: MarketProfile?, _ currency: Currency = .krw) -> ManifestHead {
            TableConversion.head(
                url: url,
                profile.map { MarketSettings(profile: $0) },
                currency: currency,
                whereUnnamed: "To be named:"
            )
        }
        let whole = head("https://a.example", .v1b)
        #expect(whole.url == "https://a.example" && whole.profile == .v1b && whole.comments.isEmpty)
        let open = head(nil, .v1b)
        #expect(open.url == nil && open.profile == nil)
        #expect(open.comments == ["To be named:", #"market: {url: "https://market.example.org", api: v1b}"#])
        // With a section for the currency the market's lines belong into that.
        let limited = head("https://a.example", nil, Currency(rawValue: "CHF"))
        #expect(limited.comments == ["To be named:", #"  url: "https://a.example""#, "  api: v2b"])
        #expect(limited.limits != nil && limited.defaultCurrency == Currency(rawValue: "CHF"))
        // The limits take the currencies of the products, too.
        var (won, euro) = (ManifestProduct(key: "a"), ManifestProduct(key: "b"))
        (won.added.values.currency, euro.added.values.currency) = (.krw, Currency(rawValue: "EUR"))
        for (products, isLimited) in [([won], false), ([won, euro], true)] {
            let head = TableConversion.head(url: nil, nil, currency: nil, for: products, whereUnnamed: "")
            #expect((head.limits != nil) == isLimited && head.defaultCurrency == nil)
            #expect(head.limits?.takes(Currency(rawValue: "EUR")) ?? !isLimited)
        }
    }
}
