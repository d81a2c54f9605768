import OpenMarket
@testable import OpenMarketClient
@testable import OpenMarketDescription
import OpenMarketTestSupport
import Testing

/// The files of the four profiles against the code that speaks with them.
struct BuiltInMarketTests {
    @Test(arguments: DescribedMarkets.names)
    func `nothing is wrong with a described market`(_ name: String) throws {
        let loaded = MarketDescriptionLoader.load(try DescribedMarkets.document(name))
        #expect(loaded.faults.isEmpty, "\(loaded.faults)")
        #expect(loaded.description?.name == name)
    }

    @Test func `the built-in markets are those that the program knows`() {
        #expect(BuiltInMarket.allCases.map(\.rawValue) == MarketProfile.allCases.map(\.rawValue))
        for name in ["v1", "V2", "v1A", "v3", ""] {
            #expect(BuiltInMarket(name: name)?.rawValue == MarketProfile(name: name)?.rawValue)
        }
    }

    @Test(arguments: MarketProfile.allCases)
    func `a file says of its profile what the program knows of it`(_ profile: MarketProfile) throws {
        let market = try DescribedMarkets.market(profile.rawValue)
        let described = market.capabilities
        let known = profile.capabilities
        #expect(described.picturesChangeInPlace == known.picturesChangeInPlace)
        #expect(described.thumbnailIsChosen == known.thumbnailIsChosen)
        #expect(described.rowFields.contains(.description) == known.listShowsDescription)
        #expect(described.listShowsOwner == known.listShowsVendor)
        #expect(described.keepsPictureBytes == known.keepsPictureBytes)
        #expect(described.hasProductSecrets == (known.authentication == .itemPassword))
        #expect(described.proof == (known.authentication == .vendor ? .deleteKey : .updateNothing))
        #expect(market.identity.scope == (known.authentication == .vendor ? [.identifier] : []))
        #expect(described.slotsForReading.isEmpty)
        #expect(described.slotsForWriting == (known.authentication == .vendor ? [.identifier, .secret] : [.secret]))
        #expect(described.saleEnding == (known.saleEnding == .zeroDiscount ? .value(.number(0)) : .price))
        #expect(described.deletesInTwoSteps == known.deletesInTwoSteps)
        #expect(.seconds(described.readAfterWrite) == known.readAfterWriteDelay)
        #expect(
            Set(described.required.compactMap { ProductField(rawValue: $0.rawValue) }) == known.fieldsRequiredToCreate
        )

        let limits = profile.limits
        #expect(market.limits.name?.characters == limits.nameLength)
        #expect(market.limits.description?.characters == limits.descriptionLength)
        #expect(market.limits.images?.count == limits.imageCount)
        #expect(market.limits.images?.bytesBelow == limits.imageByteLimit)
        #expect((market.limits.price?.fraction == 0) == limits.wholePrices)
        #expect(market.fields.currency?.codes.sorted() == limits.currencies.map(\.rawValue).sorted())
    }

    @Test(arguments: MarketProfile.allCases)
    func `a file reads where the profile's dialect reads`(_ profile: MarketProfile) throws {
        let market = try DescribedMarkets.market(profile.rawValue)
        let dialect = Dialect(profile)
        let samples = market.sampleRequests()
        #expect(samples.filter { $0.operation == .list }.map(\.target) == [dialect.pagePath(1, size: nil)])
        #expect(samples.filter { $0.operation == .detail }.map(\.target) == [dialect.path(of: ProductID(123))])
        #expect(samples.filter { $0.operation == .health }.map(\.target) == (dialect.healthPath.map { [$0] } ?? []))
        let shown = market.capabilities
        func fields(_ names: Set<MarketDescription.Fields.Name>) -> Set<ProductField> {
            Set(names.compactMap { $0 == .sale ? .salePrice : ProductField(rawValue: $0.rawValue) })
        }
        let rows = Set(ProductField.allCases.filter(dialect.rowFields.contains))
        // Products of v1 without thumbnails were seen, so the dialect does not count on one.
        #expect(fields(shown.rowFields).subtracting(profile.capabilities.thumbnailIsChosen ? [] : [.thumbnail]) == rows)
    }

    @Test(arguments: MarketProfile.allCases)
    func `a file writes what the profile's dialect writes, in its order`(_ profile: MarketProfile) throws {
        let market = try DescribedMarkets.market(profile.rawValue)
        let credentials = Credentials(identifier: Secret("vendor"), secret: Secret("s3cret"))
        let values = ProductValues(
            name: "Lamp",
            description: "A warm lamp.",
            price: 30,
            currency: .krw,
            sale: .price(20),
            stock: 3
        )
        let unwritten: ProductField = profile.capabilities.thumbnailIsChosen ? .images : .thumbnail
        let update = ProductUpdate(
            changed: Set(ProductField.allCases).subtracting([unwritten]),
            desired: values,
            live: ProductValues(price: 40, sale: .fullPrice),
            thumbnailImageID: 5
        )
        let wishes: [(MarketDescription.Operation, WriteRequest)] = [
            (.create, WriteRequest(.create(values, pictures: []))),
            (.update, WriteRequest(.update(ProductID(123), update))),
            (.deleteKey, WriteRequest(.deleteKey(ProductID(123)))),
            (.delete, WriteRequest(.delete(ProductID(123), key: "DELETE-KEY"))),
        ]
        let samples = market.sampleRequests()
        for (operation, wish) in wishes where operation != .deleteKey || profile.capabilities.deletesInTwoSteps {
            let request = try Dialect(profile).request(for: wish, credentials: credentials)
            let sample = try #require(samples.first { $0.operation == operation })
            #expect(sample.method.rawValue == request.method.rawValue)
            #expect(sample.target == request.path)
            let headers = request.headers.map { "\($0.name): \(SampleRequest.hidden)" }
            #expect(sample.headers.filter { !$0.hasPrefix("Content-Type") } == headers)
            #expect(sample.body.filter { $0.hasPrefix("/") }.map { String($0.dropFirst()) } == Self.names(request.body))
        }
    }

    /// The names of a body's fields in their order.
    private static func names(_ body: RequestDescription.Body) -> [String] {
        func names(_ part: RequestDescription.Part) -> [String] {
            switch part {
            case .field(let field): [field.name]
            case .json(_, let fields): fields.map(\.name)
            case .picture: []
            }
        }
        return switch body {
        case .none: []
        case .json(let fields): fields.map(\.name)
        case .multipart(let parts): parts.flatMap(names)
        }
    }
}
