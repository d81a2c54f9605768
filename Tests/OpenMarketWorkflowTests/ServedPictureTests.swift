@testable import OpenMarket
@testable import OpenMarketDescription
import Testing
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow

/// A market that fetches pictures itself shows whatever it finds at their addresses: that is looked at before anything is sent.
struct ServedPictureTests {
    private static let document = """
        market: 1
        name: tickets
        identity:
          id: {at: /id, as: integer, order: rising}
        fields:
          name: {at: /name}
          price: {at: /price, as: number}
        pictures: {style: url, write: {at: /images, new: /src}, read: {at: /images}, change: in_place}
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations:
          detail: {path: "/items/{id}"}
          create: {method: POST, path: /items, body: json}
        """

    private static let address = "https://cdn.example.org/shop/a.png"
    private static let bytes: [UInt8] = [1, 2, 3]

    /// Applies a manifest with one product, whose picture is served as these bytes.
    private static func apply(serving served: [UInt8]?, to state: MemoryState) async throws -> AppliedRun {
        let profile = try MarketProfile(document: Array(document.utf8))
        var market = StandInMarket()
        market.profile = profile
        if let served { market.pictures[address] = served }
        var picture = Picture.of("a.png", FetchedPicture(bytes).digest, byteCount: 3)
        picture.address = address
        let manifest = Manifest(
            market: MarketSettings(url: "https://a", profile: profile),
            policies: Policies(),
            listings: [
                Listing(
                    key: "lamp",
                    file: "shop.yaml",
                    position: SourcePosition(line: 1, column: 1),
                    values: ProductValues(name: "Lamp", price: 1, images: [.digest(picture.digest)]),
                    pictures: [picture]
                )
            ],
            files: ["shop.yaml"],
            digest: .zero
        )
        let scope = MarketScope(url: "https://a", profile: profile, identifier: nil)
        let listed = market
        return try await state.holding(scope, for: "test") { held in
            let session = Session(market: listed, reading: held, holding: held, accepting: profile.digest, tool: "test")
            return try await session.apply(manifest)
        }
    }

    @Test(arguments: [([9] as [UInt8]?, "there are other bytes"), (nil, "no picture")])
    func `nothing is sent unless the bytes are at the address`(served: [UInt8]?, reason: String) async throws {
        let state = MemoryState()
        await expectAsyncEnd(.refused, "a.png is not at \(Self.address): \(reason); no change was sent") {
            _ = try await Self.apply(serving: served, to: state)
        }
        let scope = MarketScope(
            url: "https://a",
            profile: try MarketProfile(document: Array(Self.document.utf8)),
            identifier: nil
        )
        let runs = try await state.reading(scope) { try await $0.runs(limit: 10) }
        #expect(runs.isEmpty)
    }

    @Test func `what is served as it is here is sent`() async throws {
        let run = try await Self.apply(serving: Self.bytes, to: MemoryState())
        // The market of the test takes nothing.
        #expect(run.result?.operations.map(\.status) == [.failed])
    }
}
