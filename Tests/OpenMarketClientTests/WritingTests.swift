@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// What is sent to a described market is there again when it is read, whatever the description says.
struct WritingTests {
    private let folder: PictureFolder
    private let pictures: [Picture]

    init() throws {
        folder = try PictureFolder()
        pictures = [
            try folder.picture("front.jpg", jpeg), try folder.picture("옆 \"2\".png", png, format: .png),
            try folder.picture("back.jpg", jpeg + [1, 2, 3]),
        ]
    }

    /// What the market calls a picture that it was sent so.
    private func token(_ picture: Picture, _ reference: String?, _ style: MarketDescription.Pictures.Style) throws
        -> String
    {
        if style == .url || style == .upload, let reference { return reference }
        return StoringMarket.token(try PictureFile(picture).bytes())
    }

    /// Sends pictures before the product that shows them, where the market wants it; returns their references.
    private func references(
        _ pictures: [Picture],
        _ made: RandomDescription,
        _ client: MarketClient
    ) async throws -> [String] {
        var references: [String] = []
        for picture in pictures {
            switch made.style {
            case .url: references.append("https://pictures.example/\(picture.digest.abbreviated)?a=b&c")
            case .upload:
                let outcome = await client.perform(WriteRequest(.upload(picture)))
                guard case .succeeded(let reply) = outcome else { throw Unexpected(outcome) }
                references.append(try #require(reply.reference))
            default: break
            }
        }
        return references
    }

    struct Unexpected: Error, CustomStringConvertible {
        var description: String
        init(_ outcome: WriteOutcome) { description = "\(outcome)" }
    }

    private static func shown(_ values: ProductValues?) -> ProductValues? {
        guard var values else { return nil }
        values.normalizeSale()
        values.images = nil
        return values
    }

    @Test(arguments: 0..<8)
    func `a product comes back as it was sent, in any description`(part: UInt64) async throws {
        var seen: [String: Int] = [:]
        let count = TestScope.seeds(50).upperBound
        for seed in part * count..<(part + 1) * count {
            var random = SeededGenerator(seed: seed)
            let made = RandomDescription(&random)
            let loaded = MarketDescriptionLoader.load(Array(made.document.utf8))
            let description = try #require(loaded.description, "seed \(seed): \(loaded.faults)\n\(made.document)")
            #expect(description.unwritable == [], "seed \(seed)\n\(made.document)")
            let profile = try MarketProfile(document: Array(made.document.utf8), parameters: made.parameters)
            let market = StoringMarket(made.form)
            let transport = InProcessMarket { market.answer($0) }
            try await withMarket(inProcess: transport, profile) { client in
                do {
                    try await check(made, market, client, &random, &seen)
                } catch {
                    Issue.record("seed \(seed): \(error)\n\(made.document)\n\(market.faults)")
                }
            }
            #expect(market.faults == [], "seed \(seed)\n\(made.document)")
            try Self.expectAccepted(transport.requests, description.requestForms(made.parameters), made.document)
        }
        #expect(seen.values.reduce(0, +) == Int(count) && seen.count > 2)
    }

    /// A create fills no place that the text which is accepted does not name.
    private static func expectAccepted(
        _ requests: [InProcessMarket.Request],
        _ forms: [RequestForm],
        _ document: String
    ) throws {
        let form = try #require(forms.first { $0.operation == .create })
        let address = String(form.address.prefix { $0 != "{" })
        let create = try #require(
            requests.first { $0.method == form.method.rawValue && $0.path.hasPrefix(address) },
            "\(address)\n\(document)"
        )
        let places = form.places + form.constants.compactMap { $0.split(separator: ": ").first.map(String.init) }
        func check(_ value: JSONValue, at path: String) {
            if let members = value.members, !members.isEmpty {
                for member in members { check(member.value, at: "\(path)/\(member.name)") }
            } else if let elements = value.elements, !elements.isEmpty {
                for (index, element) in elements.enumerated() { check(element, at: "\(path)/\(index)") }
            } else {
                #expect(
                    places.contains { path == $0 || path.hasPrefix($0 + "/") },
                    "\(path) is not among \(places)\n\(document)"
                )
            }
        }
        check(try SentBody(create.body, type: create.contentType ?? "").tree, at: "")
    }

    private func check(
        _ made: RandomDescription,
        _ market: StoringMarket,
        _ client: MarketClient,
        _ random: inout SeededGenerator,
        _ seen: inout [String: Int]
    ) async throws {
        // Made.
        let values = made.values(&random, currency: nil)
        let most = made.style == .none ? 0 : made.holdsOnePicture ? 1 : 3
        var chosen = Array(pictures.shuffled(using: &random).prefix(Int.random(in: 0...most, using: &random)))
        var create = WriteRequest(.create(values, pictures: chosen))
        create.key = made.carriesKeys ? "key \"1\"/ä&=" : nil
        create.references = try await references(chosen, made, client)
        let created = await client.perform(create)
        guard case .succeeded(let reply) = created, let product = reply.product else { throw Unexpected(created) }
        if made.form.answersIDs {
            #expect(product == LiveProduct(id: product.id, values: ProductValues()))
        } else {
            #expect(Self.shown(product.values) == Self.shown(values))
        }
        let id = product.id
        try await expect(values, chosen, create.references, of: id, made, client)
        if made.carriesKeys {
            #expect(try await client.products(withKey: create.key ?? "").map(\.id) == [id])
            #expect(try await client.products(withKey: "key \"1\"/ä&").isEmpty)
        }
        let spelled = id.description
        #expect(market.product(spelled)?["kind"] == .string("lamp"))
        if made.countsStock { #expect(market.product(spelled)?["counted"] == .bool(true)) }

        // What others put beside it stays.
        if made.sendsAllBack { market.change(spelled) { Self.adding(.string("kept"), at: ["note"], to: $0, market) } }
        for map in made.maps {
            market.change(spelled) { Self.adding(.string("autre"), at: map + ["fr"], to: $0, market) }
        }
        for array in made.arrays {
            market.change(spelled) { tree in
                let other = JSONValue.object([
                    .init("shelf", .string("s-2")), .init("count", .number(7)), .init("price", .null),
                ])
                let elements = (market.value(at: array, in: tree)?.elements ?? []) + [other]
                return Self.adding(.array([other] + elements.filter { $0 != other }), at: array, to: tree, market)
            }
        }

        // Changed.
        let live = try #require(try await client.product(id))
        var changed = Set(
            [ProductField.name, .description, .price, .salePrice, .stock].filter { _ in Bool.random(using: &random) }
        )
        if !made.hasFixedCurrency, Bool.random(using: &random) { changed.insert(.currency) }
        if made.style != .none, Bool.random(using: &random) { changed.insert(.images) }
        // A sale that the price ended would be one again at another price.
        if made.endsWithPrice, live.sale == .fullPrice, changed.contains(.price) { changed.insert(.salePrice) }
        if changed.isEmpty { changed = [.name] }
        let wanted = made.values(&random, currency: nil)
        var expected = live.values
        for field in ProductField.allCases where changed.contains(field) && field != .images {
            expected[field] = wanted[field]
        }
        var update = ProductUpdate(changed: changed, desired: expected, live: live.values)
        // What the manifest does not manage is not in what it wants.
        for field in ProductField.allCases where !changed.contains(field) && Bool.random(using: &random) {
            update.desired[field] = nil
        }
        // Changed by others before.
        if !changed.contains(.stock) {
            var theirs = ProductUpdate(changed: [.stock], desired: live.values, live: live.values)
            theirs.desired.stock = 77
            let outcome = await client.perform(WriteRequest(.update(id, theirs)))
            guard case .succeeded = outcome else { throw Unexpected(outcome) }
            expected.stock = 77
        }
        var request = WriteRequest(.update(id, update))
        var names = create.references
        if changed.contains(.images) {
            let fewest = made.clearsPictures ? 0 : 1
            chosen = Array(
                pictures.shuffled(using: &random).prefix(Int.random(in: fewest...max(fewest, most), using: &random))
            )
            update.pictures = chosen
            names = try await references(chosen, made, client)
            request = WriteRequest(.update(id, update))
            request.references = names
        }
        let outcome = await client.perform(request)
        guard case .succeeded = outcome else { throw Unexpected(outcome) }
        try await expect(expected, chosen, names, of: id, made, client)
        if made.carriesKeys { #expect(try await client.products(withKey: create.key ?? "").map(\.id) == [id]) }
        if made.sendsAllBack { #expect(market.product(spelled)?["note"] == .string("kept")) }
        for map in made.maps {
            #expect(market.product(spelled).flatMap { market.value(at: map + ["fr"], in: $0) } == .string("autre"))
        }
        for array in made.arrays {
            let elements = market.product(spelled).flatMap { market.value(at: array, in: $0) }?.elements ?? []
            #expect(elements.first?["shelf"] == .string("s-2") && elements.first?["count"] == .number(7))
            #expect(
                elements.count == 2 && elements.last?["kind"] == .string("ours") && elements.last?["size"] == .number(3)
            )
        }

        // Deleted.
        let deleted = await client.perform(WriteRequest(.delete(id, key: nil)))
        #expect(deleted == .succeeded(WriteReply()))
        guard case .refused(let gone) = await client.perform(request), gone.kind == .notFound else {
            throw Unexpected(outcome)
        }
        #expect(market.count == 0)
        seen[made.style.rawValue, default: 0] += 1
    }

    private func expect(
        _ values: ProductValues,
        _ pictures: [Picture],
        _ references: [String],
        of id: MarketID,
        _ made: RandomDescription,
        _ client: MarketClient
    ) async throws {
        let product = try #require(try await client.product(id))
        #expect(Self.shown(product.values) == Self.shown(values))
        guard made.style != .none else { return }
        let tokens = try pictures.enumerated().map { index, picture in
            "/p/" + (try token(picture, references.indices.contains(index) ? references[index] : nil, made.style))
        }
        #expect(product.images?.map(\.url) == tokens)
    }

    private static func adding(
        _ value: JSONValue,
        at path: [String],
        to tree: JSONValue,
        _ market: StoringMarket
    ) -> JSONValue {
        var tree = tree
        market.set(value, at: path, in: &tree)
        return tree
    }
}
