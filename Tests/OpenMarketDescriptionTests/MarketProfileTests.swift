@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketDescription

/// What a description becomes for those who plan and export.
struct MarketProfileTests {
    // MARK: The four built-in markets

    /// What the program knew of v1 before its markets were described in files.
    private static var v1: MarketCapabilities {
        var v1 = MarketCapabilities()
        v1.picturesChangeInPlace = true
        v1.showsDetails = true
        v1.showsPictures = true
        v1.idsRise = true
        v1.provesCompleteness = true
        v1.ownershipProof = .changeOfNothing
        v1.answersDeniedAsMissing = true
        v1.hasItemPasswords = true
        v1.credentialsForWriting = .secret
        v1.saleEnding = .priceAsSalePrice
        v1.readAfterWriteDelay = .seconds(2)
        v1.fieldsRequiredToCreate = [.name, .description, .price, .currency, .stock, .images]
        v1.pictureStyle = .parts
        v1.writableFields = [.name, .description, .price, .currency, .salePrice, .stock, .images]
        v1.fieldsOfCreate = v1.writableFields
        v1.fieldsOfUpdate = v1.writableFields
        v1.clearableFields = [.salePrice]
        return v1
    }

    /// What it knew of v2.
    private static var v2: MarketCapabilities {
        var v2 = MarketCapabilities()
        v2.thumbnailIsChosen = true
        v2.listShowsVendor = true
        v2.showsDetails = true
        v2.showsPictures = true
        v2.keepsPictureBytes = true
        v2.idsRise = true
        v2.provesCompleteness = true
        v2.identifierIsScope = true
        v2.ownershipProof = .deleteKey
        v2.credentialsForWriting = [.identifier, .secret]
        v2.saleEnding = .zeroDiscount
        v2.deletesInTwoSteps = true
        v2.fieldsRequiredToCreate = [.name, .description, .price, .currency, .images]
        v2.pictureStyle = .parts
        v2.writableFields = [.name, .description, .price, .currency, .salePrice, .stock, .images, .thumbnail]
        v2.fieldsOfCreate = v2.writableFields.subtracting([.thumbnail])
        v2.fieldsOfUpdate = v2.writableFields.subtracting([.images])
        v2.clearableFields = [.salePrice]
        return v2
    }

    @Test func `the built-in markets can do what they could before they were files`() {
        var v2b = Self.v2
        v2b.listShowsDescription = true
        #expect(MarketProfile.v1a.capabilities == Self.v1)
        #expect(MarketProfile.v1b.capabilities == Self.v1)
        #expect(MarketProfile.v2a.capabilities == Self.v2)
        #expect(MarketProfile.v2b.capabilities == v2b)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a product may be what it could be before`(_ profile: MarketProfile) {
        let isOld = profile == .v1a || profile == .v1b
        #expect(profile.limits == ProductLimits(priceFraction: isOld ? 0 : nil))
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a built-in market is its file`(_ profile: MarketProfile) throws {
        #expect(MarketProfile(name: profile.name.uppercased()) == profile)
        #expect(try MarketProfile(document: profile.document) == profile)
        #expect(profile.isBuiltIn && profile.parameters.isEmpty)
        #expect(MarketDescription(of: profile) == (try DescribedMarkets.market(profile.name)))
    }

    // MARK: Others

    @Test(arguments: [nil, ("1s", 1), ("60s", 60), ("999s", 999), ("5m", 300)] as [(String, Int)?])
    func `a description says for how long a create without reply may still come`(settle: (String, Int)?) throws {
        let text = String(decoding: try DescribedMarkets.document("pretix"), as: UTF8.self)
        let document = text.replacing(
            "success: [201]}",
            with: "success: [201]\(settle.map { ", settle: \($0.0)" } ?? "")}"
        )
        let description = try #require(MarketDescriptionLoader.load(Array(document.utf8)).description)
        let capabilities = description.capabilities()
        #expect(capabilities.settleDelay == .seconds(settle?.1 ?? 3))
        var configuration = ExecutorConfiguration()
        #expect(configuration.quietPeriod(on: capabilities) == .seconds(settle?.1 ?? 3))
        // The command line knows better.
        configuration.settleDelay = .seconds(8)
        #expect(configuration.quietPeriod(on: capabilities) == .seconds(8))
    }

    private static let pretix = ["organizer": "demo", "event": "tour", "language": "en", "currency": "EUR"]

    @Test func `a described market is as its file says`() throws {
        let document = try DescribedMarkets.document("pretix")
        let profile = try MarketProfile(document: document, parameters: Self.pretix)
        #expect(profile.name == "pretix" && !profile.isBuiltIn)
        #expect(profile.document == document && profile.parameters == Self.pretix)
        #expect(profile.digest == MarketDescriptionLoader.load(document).digest)
        let capabilities = profile.capabilities
        #expect(capabilities.credentialsForReading == .secret)
        #expect(!capabilities.identifierIsScope && capabilities.ownershipProof == nil)
        #expect(capabilities.idKind == .number && capabilities.provesCompleteness)
        #expect(capabilities.canWrite && capabilities.obstacles.isEmpty)
        #expect(capabilities.fixedCurrency == Currency(rawValue: "EUR") && !capabilities.pricesNeedCurrency)
        #expect(capabilities.takesOnePicture && profile.limits.imageCount == 0...1)
        #expect(capabilities.fieldsOfCreate == [.name, .description, .price, .salePrice, .images])
        #expect(capabilities.fieldsOfUpdate == capabilities.fieldsOfCreate)
        #expect(capabilities.clearableFields == [.salePrice])
        #expect(profile.limits.currencies == [Currency(rawValue: "EUR")])
        #expect(profile.limits.fractionDigits(of: Currency(rawValue: "EUR")) == 2)
        #expect(profile.limits.fractionDigits(of: Currency(rawValue: "JPY")) == 0)
        #expect(profile.limits.nameLength == 0...ProductLimits.unbounded)
        #expect(MarketDescription(of: profile) == (try DescribedMarkets.market("pretix")))
    }

    @Test func `a market that shows one picture takes one, however it is sent`() throws {
        for (style, holdsOne) in [("attach", true), ("attach", false), ("parts", true)] {
            let part = style == "parts" ? ", part: files" : ", attach: {path: \"/items/{id}/pictures\", body: raw}"
            let document = """
                market: 1
                name: shelf
                identity: {id: {at: /id, as: integer, order: rising}}
                fields: {name: {at: /name}}
                pictures: {style: \(style), read: {at: /picture\(holdsOne ? ", one: true" : "")}, change: replace\(part)}
                list: {path: /items, page: {by: none}, rows: "", complete: whole}
                operations:
                  detail: {path: "/items/{id}"}
                  create: {method: POST, path: /items, body: parts}
                  delete: {method: DELETE, path: "/items/{id}"}
                """
            let profile = try MarketProfile(document: Array(document.utf8))
            #expect(profile.capabilities.takesOnePicture == holdsOne)
            #expect((profile.limits.imageCount.upperBound == 1) == holdsOne)
        }
    }

    @Test func `an address of products has nothing behind the id and is filled by the manifest`() throws {
        #expect(MarketProfile.v1b.productAddress(at: "https://a.example/") == "https://a.example/item/")
        #expect(MarketProfile.v2b.productAddress(at: "https://a.example/x") == "https://a.example/x/api/products/")
        #expect(MarketProfile.v2b.productAddress(at: "a.example") == nil)
        let text = try DescribedMarkets.text("pretix")
        let slashed = try MarketProfile(document: Array(text.utf8), parameters: Self.pretix)
        #expect(slashed.productAddress(at: "https://a.example") == nil)
        let open = text.replacing(#"detail: {path: "/items/{id}/"}"#, with: #"detail: {path: "/items/{id}"}"#)
        let profile = try MarketProfile(document: Array(open.utf8), parameters: Self.pretix)
        let address = "https://a.example/api/v1/organizers/demo/events/tour/items/"
        #expect(profile.productAddress(at: "https://a.example") == address)
        let queried = try DescribedMarkets.document("woocommerce")
        let shop = try MarketProfile(document: queried, parameters: ["currency": "EUR"])
        #expect(shop.productAddress(at: "https://a.example") == nil)
    }

    // MARK: What can be written

    /// A described market with a part of its description replaced.
    private static func obstacles(_ name: String, _ part: String, _ other: String) throws -> MarketCapabilities {
        let text = try DescribedMarkets.text(name)
        try #require(text.contains(part))
        let values = name == "woocommerce" ? ["currency": "EUR"] : pretix
        return try MarketProfile(document: Array(text.replacing(part, with: other).utf8), parameters: values)
            .capabilities
    }

    @Test func `each way to write is possible by itself, and what is not says why`() throws {
        let delete =
            "  delete: {method: DELETE, path: \"/products/{id}\", query: {force: \"true\"}}   # without the trash, which would keep the SKU\n"
        let without = try Self.obstacles("woocommerce", delete, "")
        #expect(without.canWrite && without.obstacles == [.delete: ["'operations.delete' is not described"]])
        let unprovable = try Self.obstacles("pretix", "complete: ranks", "complete: never")
        let reason = "plans need a catalog that is proved to be complete"
        #expect(unprovable.obstacles == [.create: [reason], .update: [reason], .delete: [reason]])
        #expect(!unprovable.canWrite && unprovable.writingObstacles == [reason])
        let stock = try Self.obstacles(
            "woocommerce",
            "with: {/manage_stock: true}}",
            "with: {/manage_stock: true}, for: [update]}"
        )
        #expect(stock.obstacles.isEmpty && !stock.fieldsOfCreate.contains(.stock))
        let unnamed = try Self.obstacles(
            "woocommerce",
            "name: {at: /name, as: text",
            "name: {at: /name, for: [update], as: text"
        )
        #expect(unnamed.obstacles == [.create: ["'create' cannot send 'name'"]])
        #expect(!unnamed.fieldsOfCreate.contains(.name) && unnamed.fieldsOfUpdate.contains(.name))
        let unpriced = try Self.obstacles("woocommerce", "/regular_price, as", "/regular_price, for: [update], as")
        #expect(unpriced.obstacles == [.create: ["'create' cannot send 'price'"]])
        let unseen = try Self.obstacles("woocommerce", "required: [name, price]", "required: [name, price, images]")
        #expect(unseen.obstacles.isEmpty && unseen.pictureStyle == .url)
    }

    @Test func `a market that describes no writing is read only`() throws {
        let capabilities = try MarketProfile(
            document: DescribedMarkets.document("json-files")
        ).capabilities
        #expect(!capabilities.canWrite)
        #expect(
            capabilities.writingObstacles == [
                "its description lacks the operations 'create', 'update' and 'delete'"
            ]
        )
    }

    @Test func `whole numbers on the wire have no fraction, and smallest units need their currency`() throws {
        func limits(_ kind: String) throws -> MarketProfile {
            let text = try DescribedMarkets.text("woocommerce")
            let document = text.replacing("/regular_price, as: decimal_text", with: "/regular_price, as: \(kind)")
            return try MarketProfile(document: Array(document.utf8), parameters: ["currency": "EUR"])
        }
        #expect(try limits("whole").limits.wholePrices)
        #expect(try limits("number").limits.priceFraction == nil)
        #expect(try limits("minor_units").capabilities.pricesNeedCurrency)
        #expect(try !limits("decimal_text").capabilities.pricesNeedCurrency)
    }

    @Test func `a corrected file is another profile, and other values are`() throws {
        let document = try DescribedMarkets.document("pretix")
        let profile = try MarketProfile(document: document, parameters: Self.pretix)
        let corrected = try MarketProfile(document: document + Array("# corrected\n".utf8), parameters: Self.pretix)
        var values = Self.pretix
        values["event"] = "other"
        let other = try MarketProfile(document: document, parameters: values)
        #expect(profile != corrected && profile != other && corrected != other)
        let scopes = [profile, corrected, other].map { MarketScope(url: "http://a", profile: $0, identifier: nil) }
        #expect(scopes[0] == scopes[1] && scopes[0] != scopes[2])
    }

    @Test func `a currency is any of ISO 4217 where a file lists none`() throws {
        let profile = try MarketProfile(document: DescribedMarkets.document("postgrest"))
        #expect(profile.limits.currencies == nil)
        #expect(profile.limits.takes(Currency(rawValue: "GBP")) && !profile.limits.takes(Currency(rawValue: "GBX")))
    }

    @Test func `a file with faults is not a profile`() {
        let error = #expect(throws: MarketProfileError.self) {
            try MarketProfile(document: Array("market: 1\nname: x\nlist: {path: /a}\n".utf8))
        }
        #expect(error?.faults.contains { $0.message == "the key 'identity' is missing" } == true)
    }

    @Test func `every value that does not fill its parameter is named`() throws {
        let market = try DescribedMarkets.market("pretix")
        let faults = market.faults(in: [
            "organiser": "demo", "event": "..", "language": "a/b", "currency": "EURO", "colour": "red",
        ])
        #expect(faults.map(\.name) == ["colour", "organiser", "event", "language", "currency"])
        #expect(faults.map(\.kind) == [.unknown, .unknown, .value, .value, .value])
        #expect(faults[1].help == "did you mean 'organizer'?")
        #expect(market.faults(in: [:]).map(\.kind) == Array(repeating: .missing, count: market.parameters.count))
        #expect(market.faults(in: Self.pretix).isEmpty)
    }

    @Test(arguments: [
        ("a", true), ("Az0._~-", true), (String(repeating: "a", count: 128), true), ("", false), (".", false),
        ("..", false), ("a/b", false), ("a%2fb", false), ("a b", false), ("ä", false),
        (String(repeating: "a", count: 129), false),
    ])
    func `a slug is one part of a path`(value: String, fits: Bool) {
        #expect((MarketDescription.Parameter.Kind.slug.fault(of: value) == nil) == fits)
    }

    @Test(arguments: [("말", true), ("a/b?c=d", true), ("", false), ("a\nb", false), ("a\u{7}b", false)])
    func `a text is one line`(value: String, fits: Bool) {
        #expect((MarketDescription.Parameter.Kind.text.fault(of: value) == nil) == fits)
    }
}
