@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import SystemPackage
import Testing
@testable import OpenMarketWorkflow

/// A first manifest and its picture are written together, over nothing.
struct StarterShopTests {
    private static let drawing: [UInt8] = [1, 2, 3]

    @Test func `manifest and picture are written, and named in the document`() throws {
        let folder = try TemporaryDirectory()
        let shop = try StarterShop(at: folder.path + "/openmarket.yaml")
        try shop.write(StarterManifest(), picture: Self.drawing)
        #expect(try InputFile.bytes(of: shop.path) == StarterManifest().bytes())
        #expect(try InputFile.bytes(of: shop.picture) == Self.drawing)
        #expect(shop.document["manifest"] == .string(shop.path))
        expectEnd(.refused, "\(shop.path) exists; it was not changed") { try StarterShop(at: shop.path) }
        // So does a link that leads nowhere.
        let link = folder.path + "/link.yaml"
        try FileSystem.makeLink(link, to: "nowhere/openmarket.yaml")
        expectEnd(.refused, "\(link) exists; it was not changed") { try StarterShop(at: link) }
    }

    @Test func `without its picture no manifest is written`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("images", "a file")
        let shop = try StarterShop(at: folder.path + "/openmarket.yaml")
        #expect(throws: (any Error).self) { try shop.write(StarterManifest(), picture: Self.drawing) }
        #expect(FileSystem.names(in: folder.path) == ["images"])
    }

    @Test func `a picture that an interrupted run left is taken, and another one is not written over`() throws {
        for left in [Self.drawing, [9]] {
            let folder = try TemporaryDirectory()
            let shop = try StarterShop(at: folder.path + "/openmarket.yaml")
            try FileSystem.createFolder(folder.path + "/images", permissions: [.ownerReadWriteExecute])
            try AtomicFile.write(left, to: shop.picture)
            if left == Self.drawing {
                try shop.write(StarterManifest(), picture: Self.drawing)
            } else {
                expectEnd(.refused, "\(shop.picture) exists") {
                    try shop.write(StarterManifest(), picture: Self.drawing)
                }
            }
            #expect(FileSystem.exists(shop.path) == (left == Self.drawing))
            #expect(try InputFile.bytes(of: shop.picture) == left)
        }
    }

    @Test func `what is not given is asked for until an answer is taken, and an empty one is the default`() throws {
        var answers = ["shop", "https://shop.example/", "v3", "", "euro", "eur"]
        var questions: [String] = []
        var refusals: [String] = []
        let asking = StarterQuestions {
            questions.append($0)
            return answers.isEmpty ? nil : answers.removeFirst()
        } refuse: {
            refusals.append($0)
        }
        let manifest = try StarterManifest(url: nil, market: nil, currency: nil, asking: asking)
        #expect(manifest.url == "https://shop.example")
        #expect(manifest.profile.name == "v2b")
        #expect(manifest.currency == Currency(rawValue: "EUR"))
        #expect(
            questions == [
                "The market's URL [http://127.0.0.1:8080]: ", "The market's URL [http://127.0.0.1:8080]: ",
                "Its API: v1a, v1b, v2a or v2b [v2b]: ", "Its API: v1a, v1b, v2a or v2b [v2b]: ",
                "The currency of prices [KRW]: ", "The currency of prices [KRW]: ",
            ]
        )
        #expect(refusals.count == 3)
        #expect(refusals.first?.hasPrefix("the URL ") == true)
        #expect(throws: StarterQuestions.NoAnswer.self) {
            try StarterManifest(url: "https://shop.example", market: nil, currency: .usd, asking: asking)
        }
        let given = try StarterManifest(
            url: "https://shop.example",
            market: MarketSettings(profile: .v1b),
            currency: .usd,
            asking: nil
        )
        #expect(given.profile.name == "v1b")
        #expect(given.unsetVariables(in: ["OPENMARKET_SECRET": ""]) == ["OPENMARKET_SECRET"])
        #expect(given.unsetVariables(in: ["OPENMARKET_SECRET": "s"]) == [])
    }

    @Test func `a product gets no key that a manifest cannot have`() async throws {
        let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)
        try await MemoryState().holding(scope, for: "state move") { session in
            try await session.apply([.put(StateEntry(key: "lamp", id: 1, applied: ProductValues()))])
            for key in ["", " ", "a\nb"] {
                await #expect(throws: CommandFailure.self) { try await session.rename("lamp", to: key) }
            }
            try await session.rename("lamp", to: "light")
            #expect(try await Array(session.snapshot().entries.keys) == ["light"])
        }
    }
}
