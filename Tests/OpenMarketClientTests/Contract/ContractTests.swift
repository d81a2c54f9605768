@testable import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Client and server meet over a real socket, on every profile.
///
/// They share no wire code, so what one gets wrong the other does not forgive.
struct ContractTests {
    private let folder: PictureFolder
    let pictures: (front: Picture, side: Picture)
    let lamp = ProductValues(
        name: "Desk \"lamp\" \\ 책상 😀",
        description: "Warm light,\r\ntwo arms.\t--\r\n\r\n--boundary",
        price: 60_000_000,
        currency: .krw,
        sale: .price(42_000_000),
        stock: 1_000_000_000_000
    )

    init() throws {
        folder = try PictureFolder()
        pictures = (
            front: try folder.picture("front.png", SmallPicture.png(1), format: .png),
            side: try folder.picture("si de \"전등\".png", SmallPicture.png(2), format: .png)
        )
    }

    /// What a product shows of these values.
    private func shown(_ product: LiveProduct?) -> ProductValues {
        ProductValues(
            name: product?.name,
            description: product?.description,
            price: product?.price,
            currency: product?.currency,
            sale: product?.sale,
            stock: product?.stock
        )
    }

    private func succeed(_ client: MarketClient, _ kind: WriteRequest.Kind) async throws -> WriteReply {
        let outcome = await client.perform(WriteRequest(kind))
        guard case .succeeded(let reply) = outcome else {
            throw MarketError(.refused, "\(kind): \(outcome)")
        }
        return reply
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a product is created, changed and deleted`(profile: MarketProfile) async throws {
        let capabilities = profile.capabilities
        try await MarketUnderTest.run(profile) { [self] market in
            try await market.client { client in
                let created = try await succeed(client, .create(lamp, pictures: [pictures.front, pictures.side]))
                    .product
                let id = try #require(created?.id)
                #expect(shown(created) == lamp)
                #expect(created?.images?.count == 2)
                let detail = try await client.product(id)
                #expect(shown(detail) == lamp)
                #expect(detail?.images == created?.images)
                if capabilities.identifierIsScope {
                    #expect(detail?.vendorID == 29)
                    #expect(detail?.vendorName == "example")
                }

                // The list shows what the profile says it shows.
                let catalog = try await client.catalog()
                #expect(catalog.problems.isEmpty)
                var listed = lamp
                if !capabilities.listShowsDescription { listed.description = nil }
                #expect(shown(catalog.products[id]) == listed)
                #expect((catalog.products[id]?.vendorID != nil) == capabilities.listShowsVendor)

                // The pictures are there, byte for byte where the market keeps the bytes.
                for (image, picture) in zip(created?.images ?? [], [pictures.front, pictures.side]) {
                    let digest = try await client.pictureDigest(at: image.url)
                    if capabilities.keepsPictureBytes { #expect(digest == picture.digest) }
                }

                // Each field by itself, and nothing else with it.
                var wanted = lamp
                func change(_ fields: ProductField..., edit: (inout ProductValues) -> Void) async throws {
                    let live = wanted
                    edit(&wanted)
                    let update = ProductUpdate(changed: Set(fields), desired: wanted, live: live)
                    let reply = try await succeed(client, .update(id, update)).product
                    #expect(shown(reply) == wanted, "\(fields)")
                    let detail = try await client.product(id)
                    #expect(shown(detail) == wanted, "\(fields)")
                }
                try await change(.name) { $0.name = "Floor lamp" }
                try await change(.description) { $0.description = "Cold light, no arms at all." }
                try await change(.price) { $0.price = 50_000_000 }
                try await change(.salePrice) { $0.sale = .price(40_000_000) }
                try await change(.salePrice) { $0.sale = Sale.fullPrice }
                // An ended sale of v1 has to move along, as the planner decides.
                #expect(try await client.product(id)?.hasEndedSale == (capabilities.saleEnding == .priceAsSalePrice))
                try await change(.price, .salePrice) { $0.price = 70_000_000 }
                try await change(.stock) { $0.stock = 0 }
                try await change(.currency) { $0.currency = .usd }

                let before = try #require(try await client.product(id)?.images)
                if capabilities.picturesChangeInPlace {
                    let update = ProductUpdate(
                        changed: [.images],
                        desired: wanted,
                        live: wanted,
                        pictures: [pictures.side]
                    )
                    let images = try await succeed(client, .update(id, update)).product?.images
                    #expect(images?.count == 1)
                    #expect(images?.first?.url != before.last?.url)
                    _ = try await succeed(client, .proveOwnership(id))
                }
                if capabilities.thumbnailIsChosen {
                    let update = ProductUpdate(
                        changed: [.thumbnail],
                        desired: wanted,
                        live: wanted,
                        thumbnailImageID: before[1].id
                    )
                    #expect(
                        try await succeed(client, .update(id, update)).product?.thumbnailURL == before[1].thumbnailURL
                    )
                }

                var key: String?
                if capabilities.identifierIsScope {
                    key = try await succeed(client, .deleteKey(id)).deleteKey
                }
                _ = try await succeed(client, .delete(id, key: key))
                #expect(try await client.product(id) == nil)
                #expect(try await client.catalog().products.isEmpty)
            }
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `wrong credentials are refused, and nothing happens`(profile: MarketProfile) async throws {
        try await MarketUnderTest.run(profile) { [self] market in
            let id = try await market.client { client in
                try #require(try await succeed(client, .create(lamp, pictures: [pictures.front])).product?.id)
            }
            let wrong = Credentials(identifier: MarketUnderTest.credentials.identifier, secret: Secret("wrong"))
            try await market.client(credentials: wrong) { client in
                let update = ProductUpdate(changed: [.stock], desired: ProductValues(stock: 1), live: lamp)
                let outcome = await client.perform(WriteRequest(.update(id, update)))
                guard case .refused(let refusal) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                // v1 cannot distinguish a wrong password from an unknown item.
                #expect(refusal.kind == (profile.capabilities.identifierIsScope ? .denied : .notFound))
                #expect(!refusal.message.contains("wrong"))
                let detail = try await client.product(id)
                #expect(shown(detail) == lamp)
            }
        }
    }

    @Test func `a misspelt key is dropped silently, and the reply shows it`() async throws {
        try await MarketUnderTest.run(.v2b) { [self] market in
            // v2a says "descriptions", which v2b does not know.
            try await market.client(as: .v2a) { client in
                let product = try await succeed(client, .create(lamp, pictures: [pictures.front])).product
                #expect(product?.name == lamp.name)
                #expect(product?.description != lamp.description)
            }
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a catalog of many pages is read whole, while others write`(profile: MarketProfile) async throws {
        try await MarketUnderTest.run(profile) { [self] market in
            try await market.client { client in
                var ids: [MarketID] = []
                for index in 0..<65 {
                    var values = lamp
                    values.name = "Lamp \(index)"
                    let reply = try await succeed(client, .create(values, pictures: [pictures.front]))
                    ids.append(try #require(reply.product?.id))
                }
                var rows: [LiveProduct] = []
                var writes = 0
                var configuration = client.configuration
                (configuration.pageSize, configuration.parallelism) = (10, 4)
                let reader = try MarketClient(configuration, over: client.transport)
                let summary = try await reader.walk(details: true) { product in
                    rows.append(product)
                    if writes < 3 {
                        writes += 1
                        _ = try await succeed(client, .create(lamp, pictures: [pictures.front]))
                    }
                } problem: { problem in
                    Issue.record("\(problem)")
                }
                #expect(summary.isComplete)
                #expect(summary.rows == rows.count)
                let old = rows.filter { !$0.id.isNewer(than: ids[64]) }
                #expect(Set(old.map(\.id)) == Set(ids))
                #expect(old.count == ids.count)
                #expect(old.allSatisfy { $0.description == lamp.description && $0.images?.count == 1 })

                let newer = try await client.catalog().products.keys.filter { $0.isNewer(than: ids[60]) }.inOrder()
                #expect(newer.prefix(4) == ids[61...])
                #expect(newer.count == 4 + writes)
            }
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a market says which profile it speaks`(profile: MarketProfile) async throws {
        try await MarketUnderTest.run(profile) { [self] market in
            try await market.client { client in
                let id = try await succeed(client, .create(lamp, pictures: [pictures.front])).product?.id
                let report = try await client.probe(ownProduct: id)
                let isOld = profile.capabilities.hasItemPasswords
                #expect(report.profiles == (isOld ? [.v1a, .v1b] : [profile]))
                #expect(report.isHealthy == (isOld ? nil : true))
                #expect(report.pageRows == 1)
                #expect(report.credentials == .accepted)
                #expect(try await client.probe().credentials != .accepted)
            }
        }
    }
}
