@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// The descriptions of the four profiles against the code that spoke with them before.
struct DialectOracleTests {
    private static let credentials = Credentials(
        identifier: Secret("vendor"),
        secret: Secret("s3cret \"=&"),
        itemSecrets: [.environment("LAMP"): Secret("own")]
    )

    @Test(arguments: MarketProfile.builtIns)
    func `a random wish becomes the same bytes as before`(_ profile: MarketProfile) async throws {
        let wire = MarketWire(profile)
        let dialect = Dialect(profile)
        var kinds: [String: Int] = [:]
        for seed in 0..<10_000 as Range<UInt64> {
            if seed % 100 == 0 { await Task.yield() }
            var random = SeededGenerator(seed: seed)
            let wish = Self.wish(&random)
            let expected = Self.result { () throws(MarketError) in
                try dialect.request(for: wish, credentials: Self.credentials)
            }
            let described = Self.result { () throws(MarketError) in
                try wire.request(for: wish, credentials: Self.credentials)
            }
            guard case .success(let request) = expected, case .success(let same) = described else {
                // What cannot be said is refused in both, for the same reason.
                #expect(described == expected, "seed \(seed): \(wish)")
                kinds["refused", default: 0] += 1
                continue
            }
            #expect(same == request, "seed \(seed): \(wish)")
            #expect(Self.bytes(same) == Self.bytes(request), "seed \(seed)")
            kinds[request.method.rawValue, default: 0] += 1
        }
        #expect(kinds.keys.sorted() == ["DELETE", "PATCH", "POST", "refused"])
    }

    private static func result(
        _ body: () throws(MarketError) -> RequestDescription
    ) -> Result<RequestDescription, MarketError> {
        Result { () throws(MarketError) in try body() }
    }

    /// What is sent behind the head, with a boundary that is always the same.
    private static func bytes(_ request: RequestDescription) -> [UInt8] {
        guard let body = try? request.transportBody(boundaries: BoundarySource { "openmarket-boundary" }) else {
            return []
        }
        return (try? body.bytes()) ?? []
    }

    private static func wish(_ random: inout SeededGenerator) -> WriteRequest {
        let id = MarketID(Int64.random(in: 1...99_999, using: &random))
        let secret: SecretReference? =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .environment("LAMP")
            case 1: .environment("OTHER")
            default: nil
            }
        let kind: WriteRequest.Kind
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: kind = .create(values(&random), pictures: [])
        case 3..<7:
            var update = ProductUpdate(
                changed: Set(ProductField.allCases.filter { _ in Bool.random(using: &random) }),
                desired: values(&random),
                live: values(&random)
            )
            if Bool.random(using: &random) { update.thumbnailImageID = MarketID(.random(in: 1...999, using: &random)) }
            // Without a file: how pictures are laid out is pinned by the golden requests.
            update.changed.remove(.images)
            kind = .update(id, update)
        case 7: kind = .deleteKey(id)
        case 8: kind = .proveOwnership(id)
        default:
            let keys = [nil, "MTkzfA==", "/api/products/MTkzfDEx==", "a/b", "//evil.example/x", "a b", ""]
            kind = .delete(id, key: keys.randomElement(using: &random) ?? nil)
        }
        return WriteRequest(kind, secret: secret)
    }

    private static func values(_ random: inout SeededGenerator) -> ProductValues {
        func maybe<Value>(_ values: [Value]) -> Value? {
            Int.random(in: 0..<5, using: &random) == 0 ? nil : values.randomElement(using: &random)
        }
        func amount(_ random: inout SeededGenerator) -> ExactDecimal {
            let number = Int64.random(in: 0...60_000, using: &random)
            let scale = Int.random(in: 0..<4, using: &random) == 0 ? 2 : 0
            return ExactDecimal(significand: number, scale: scale) ?? .zero
        }
        let prices = [amount(&random), amount(&random), 0, 35_000]
        let sales = [Sale.fullPrice, .price(amount(&random)), .price(prices[0]), .price(70_000)]
        return ProductValues(
            name: maybe(["Desk \"lamp\"", "책상 조명", "", "a\r\nb"]),
            description: maybe(["Warm light.", "두 팔\n\t\u{1}\\"]),
            price: maybe(prices),
            currency: maybe([.krw, .usd, Currency(rawValue: "€")]),
            sale: maybe(sales),
            stock: maybe([0, 1, 1_000_000_000_000])
        )
    }

    @Test(arguments: MarketProfile.builtIns)
    func `pages and details read as before, rows of the fuzzers' corpus among them`(_ profile: MarketProfile) throws {
        let wire = MarketWire(profile)
        var compared = 0
        try FuzzCorpus.replay("page") { bytes in
            guard let json = try? JSONValue.parse(bytes), !Self.isAmbiguous(json, in: profile) else { return nil }
            compared += 1
            return Self.difference(bytes, wire, Dialect(profile))
        }
        // Most mutations are not JSON any more, or are read otherwise on purpose.
        #expect(compared > 8)
    }

    /// Whether a document has what the two readers take differently, on purpose: several names of one field, of which the
    /// first of the description counts now, and not the last of the document; names of another profile; pages without their
    /// own list or counts.
    private static func isAmbiguous(_ json: JSONValue, in profile: MarketProfile) -> Bool {
        let isOld = profile == .v1a || profile == .v1b
        let foreign: Set =
            isOld
            ? ["vendorid", "vendorname", "vendors", "createdat", "issuedat", "thumbnail", "pages", "products"]
            : ["title", "thumbnails", "registrationdate"]
        switch json {
        case .object(let members):
            var names: [String] = []
            for member in members {
                if isAmbiguous(member.value, in: profile) { return true }
                var name = member.name.filter { $0 != "_" }.lowercased()
                if foreign.contains(name)
                    || ["pages", "items", "products"].contains(name) && member.value.elements == nil
                {
                    return true
                }
                if name == "images", member.value.elements?.contains(where: { $0.members != nil }) == isOld {
                    return true
                }
                if name == "title" { name = "name" }
                if name == "descriptions" { name = "description" }
                if name == "bargainprice" { name = "discountedprice" }
                if ["pages", "products"].contains(name) { name = "items" }
                if name == "vendors" { names += ["vendorid", "vendorname"] }
                names.append(name)
            }
            return Set(names).count != names.count
        case .array(let elements): return elements.contains { isAmbiguous($0, in: profile) }
        default: return false
        }
    }

    private static func difference(_ bytes: [UInt8], _ wire: MarketWire, _ dialect: Dialect) -> String? {
        var earlierRows = ProductRows()
        var rows = ProductRows()
        let earlier = try? EarlierPageReader(dialect, page: 2).read(bytes.span, collecting: &earlierRows)
        let page = try? PageReader(wire, page: 2).read(PageReply(status: 200), bytes.span, collecting: &rows)
        if let earlier, let page, earlier.isPage, page.isPage {
            if rows.products != earlierRows.products { return "other products" }
            if page.ids != earlier.ids || page.rowCount != earlier.rowCount { return "other ids" }
            if page.unreadableRows != earlier.unreadableRows { return "other rows without id" }
            if page.total != earlier.total || page.lastPage != earlier.lastPage { return "other counts" }
            if page.hasNext != earlier.hasNext || page.pageSize != earlier.pageSize { return "another next page" }
            if Set(page.problems.map(\.place)) != Set(earlier.problems.map(\.place)) { return "other problems" }
        } else if (earlier == nil) != (page == nil) {
            return "one of them cannot be read"
        }
        let earlierRow = try? JSONReader.read(bytes) { json throws(JSONError) in
            let row = try EarlierProductReader(discount: dialect.discount, shows: dialect.detailFields).read(&json)
            try json.finish()
            return row
        }
        let row = try? wire.details.read(bytes.span)
        return row?.product == earlierRow?.product ? nil : "another detail"
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a file reads where the profile's dialect reads`(_ profile: MarketProfile) throws {
        let market = MarketWire(profile).market
        let dialect = Dialect(profile)
        let samples = market.sampleRequests()
        #expect(samples.filter { $0.operation == .list }.map(\.target) == [dialect.pagePath(1, size: nil)])
        #expect(samples.filter { $0.operation == .detail }.map(\.target) == [dialect.path(of: MarketID(123))])
        #expect(samples.filter { $0.operation == .health }.map(\.target) == (dialect.healthPath.map { [$0] } ?? []))
        let shown = market.capabilities
        func fields(_ names: Set<MarketDescription.Fields.Name>) -> Set<ProductField> {
            Set(names.compactMap { $0 == .sale ? .salePrice : ProductField(rawValue: $0.rawValue) })
        }
        let rows = Set(ProductField.allCases.filter(dialect.rowFields.contains))
        // Products of v1 without thumbnails were seen, so the dialect does not count on one.
        #expect(fields(shown.rowFields).subtracting(profile.capabilities.thumbnailIsChosen ? [] : [.thumbnail]) == rows)
    }

    @Test(arguments: MarketProfile.builtIns)
    func `a file writes what the profile's dialect writes, in its order`(_ profile: MarketProfile) throws {
        let market = MarketWire(profile).market
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
            thumbnailImageID: MarketID(5)
        )
        let wishes: [(MarketDescription.Operation, WriteRequest)] = [
            (.create, WriteRequest(.create(values, pictures: []))),
            (.update, WriteRequest(.update(MarketID(123), update))),
            (.deleteKey, WriteRequest(.deleteKey(MarketID(123)))),
            (.delete, WriteRequest(.delete(MarketID(123), key: "DELETE-KEY"))),
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
        func names(_ value: WireField.Value) -> [String] {
            if case .object(let fields) = value { fields.map(\.name) } else { [] }
        }
        func names(_ part: RequestDescription.Part) -> [String] {
            switch part {
            case .field(let field): [field.name]
            case .json(_, let value): names(value)
            case .picture: []
            }
        }
        return switch body {
        case .none: []
        case .json(let value, _): names(value)
        case .form(let fields): fields.map(\.name)
        case .picture: []
        case .multipart(let parts): parts.flatMap(names)
        }
    }
}
