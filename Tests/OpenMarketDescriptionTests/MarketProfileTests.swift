import OpenMarket
import OpenMarketTestSupport
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
        #expect(!capabilities.canWrite && capabilities.writingObstacles.first?.contains("built-in") == true)
        #expect(profile.limits.currencies == [Currency(rawValue: "EUR")])
        #expect(profile.limits.fractionDigits(of: Currency(rawValue: "EUR")) == 2)
        #expect(profile.limits.fractionDigits(of: Currency(rawValue: "JPY")) == 0)
        #expect(profile.limits.nameLength == 0...ProductLimits.unbounded)
        #expect(MarketDescription(of: profile) == (try DescribedMarkets.market("pretix")))
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
