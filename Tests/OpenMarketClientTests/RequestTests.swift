import Glibc
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

/// The exact bytes of every kind of request, as they arrive at a socket.
struct RequestTests {
    let folder: PictureFolder
    let lamp: ProductValues
    let pictures: [Picture]

    init() throws {
        folder = try PictureFolder()
        pictures = [
            try folder.picture("lamp.jpg", jpeg),
            try folder.picture("side \"2\"\r\n.PNG", png, format: .png),
            try folder.picture("no-extension", png, format: .png),
            try folder.picture("전등.jpeg", jpeg),
            try folder.picture("wrong.gif", jpeg),
        ]
        lamp = ProductValues(
            name: "Desk \"lamp\" / 책상",
            description: "Warm light,\ntwo arms.\t\u{1}\\",
            price: 35000,
            currency: .krw,
            sale: Sale.fullPrice,
            stock: 1_000_000_000_000
        )
    }

    /// Every request that is pinned, by the name of its file.
    func writes(_ profile: MarketProfile) -> [(String, WriteRequest)] {
        let id = MarketID(193)
        func update(_ fields: Set<ProductField>, _ change: (inout ProductValues) -> Void, live: ProductValues? = nil)
            -> WriteRequest
        {
            var desired = lamp
            change(&desired)
            return WriteRequest(.update(id, ProductUpdate(changed: fields, desired: desired, live: live ?? lamp)))
        }
        var onSale = lamp
        onSale.sale = .price(31500)
        var unmanagedSale = lamp
        unmanagedSale.sale = nil
        let v2 = profile.capabilities.identifierIsScope
        var writes: [(String, WriteRequest)] = [
            ("create", WriteRequest(.create(lamp, pictures: [pictures[0]]))),
            ("create-sale-pictures", WriteRequest(.create(onSale, pictures: pictures))),
            ("update-name", update([.name]) { $0.name = "Floor lamp" }),
            ("update-description", update([.description]) { $0.description = "Cold light, no arms." }),
            ("update-price", update([.price]) { $0.price = 39000 }),
            (
                "update-price-unmanaged-sale",
                update([.price]) {
                    $0.sale = nil; $0.price = 39000
                }
            ),
            (
                "update-price-managed-sale",
                update(
                    [.price],
                    {
                        $0.sale = .price(31500); $0.price = 39000
                    },
                    live: onSale
                )
            ),
            ("update-currency", update([.currency]) { $0.currency = .usd }),
            ("update-stock", update([.stock]) { $0.stock = 0 }),
            ("begin-sale", update([.salePrice]) { $0.sale = .price(31500) }),
            ("end-sale", update([.salePrice], { _ in }, live: onSale)),
        ]
        if v2 {
            var cents = lamp
            cents.price = ExactDecimal("16.99")
            cents.sale = .price(ExactDecimal("14.5")!)
            cents.currency = .usd
            writes += [
                ("create-cents", WriteRequest(.create(cents, pictures: [pictures[0]]))),
                (
                    "update-thumbnail",
                    WriteRequest(
                        .update(
                            id,
                            ProductUpdate(changed: [.thumbnail], desired: lamp, live: lamp, thumbnailImageID: 235)
                        )
                    )
                ),
                ("delete-key", WriteRequest(.deleteKey(id))),
                (
                    "delete",
                    WriteRequest(
                        .delete(
                            id,
                            key: profile == .v2a ? "11111111-2222-11ec-abfa-333333333333" : "/api/products/MTkzfA=="
                        )
                    )
                ),
            ]
        } else {
            writes += [
                (
                    "update-images",
                    WriteRequest(
                        .update(
                            id,
                            ProductUpdate(
                                changed: [.images, .stock],
                                desired: lamp,
                                live: lamp,
                                pictures: [pictures[1], pictures[0]]
                            )
                        ),
                        secret: .environment("LAMP")
                    )
                ),
                ("prove-ownership", WriteRequest(.proveOwnership(id))),
                ("delete", WriteRequest(.delete(id, key: nil), secret: .environment("LAMP"))),
            ]
        }
        return writes
    }

    /// What the earlier market of an API is sent otherwise than the later one.
    private static let own: Set = [
        "v1a-delete", "v2a-create-cents", "v2a-create-sale-pictures", "v2a-create", "v2a-delete-key", "v2a-delete",
        "v2a-update-description",
    ]

    @Test(arguments: MarketProfile.builtIns)
    func `every request has exactly the recorded bytes`(profile: MarketProfile) async throws {
        try await HTTPMarket.run { _ in
            .reply(200, #"{"id":193}"#)
        } _: { market in
            try await withMarketClient(configuration(market.url, profile)) { client in
                for (name, write) in writes(profile) {
                    let before = market.requests.count
                    _ = await client.perform(write)
                    #expect(market.requests.count == before + 1, "\(name)")
                    guard let request = market.requests.last else { continue }
                    let host = Array("127.0.0.1:\(market.port)".utf8)
                    let isOwn = Self.own.contains("\(profile)-\(name)")
                    let golden = isOwn ? "\(profile)-\(name)" : "\(profile.name.dropLast())b-\(name)"
                    expectGolden(request.bytes.replacing(host, with: Array("HOST".utf8)), "\(golden).http")
                }
            }
        }
    }

    @Test(arguments: MarketProfile.builtIns)
    func `Python's email parser finds the same parts`(profile: MarketProfile) async throws {
        guard system("python3 -c pass 2>/dev/null") == 0 else { return }
        let sent = try await HTTPMarket.run { _ in
            .reply(200, #"{"id":193}"#)
        } _: { market in
            try await withMarketClient(configuration(market.url, profile)) { client in
                var onSale = lamp
                onSale.sale = .price(31500)
                _ = await client.perform(WriteRequest(.create(onSale, pictures: pictures)))
            }
            return market.requests[0].bytes
        }
        let start = try #require(sent.firstRange(of: Array("\r\n".utf8))).upperBound
        let message = try folder.folder.write("message", sent[start...])
        let script = try folder.folder.write(
            "read.py",
            """
            import email, hashlib, sys
            message = email.message_from_bytes(open(sys.argv[1], "rb").read())
            for part in message.get_payload():
                content = part.get_payload(decode=True)
                name = part.get_param("name", header="content-disposition")
                kind = part["content-type"] or "-"
                print(name, kind, len(content), hashlib.sha256(content).hexdigest(), sep="|")
            """
        )
        let output = try #require(popen("python3 \(script) \(message)", "r"))
        defer { pclose(output) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(output), byte >= 0 { bytes.append(UInt8(byte)) }

        let wire = MarketWire(profile)
        let request = try wire.request(
            for: WriteRequest(.create(withSale(lamp), pictures: pictures)),
            credentials: configuration(".", profile).credentials
        )
        guard case .multipart(let parts) = request.body else { return }
        let expected = try parts.map { part in
            func line(_ name: String, _ kind: String, _ content: [UInt8]) -> String {
                "\(name)|\(kind)|\(content.count)|\(ContentDigest(hashing: content.span))"
            }
            return switch part {
            case .field(let field): line(field.name, "-", Array(field.value.revealed.utf8))
            case .json(let name, let value):
                line(name, "application/json", try value.json(hidingSecrets: false))
            case .picture(let name, let picture):
                "\(name)|\(picture.format.mediaType)|\(picture.byteCount)|\(picture.digest)"
            }
        }
        #expect(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) == expected)
    }

    private func withSale(_ values: ProductValues) -> ProductValues {
        var values = values
        values.sale = .price(31500)
        return values
    }

    @Test func `a dry run shows everything but the secrets`() throws {
        let wire = MarketWire(.v2b)
        let credentials = configuration(".", .v2b).credentials
        let create = try wire.request(for: writes(.v2b)[0].1, credentials: credentials)
        #expect(
            create.maskedLines == [
                "POST /api/products",
                "identifier: •••",
                "Content-Type: multipart/form-data",
                #"  params: {"name":"Desk \"lamp\" / 책상","description":"Warm light,\ntwo arms.\t\u0001\\","price":35000,"#
                    + #""currency":"KRW","stock":1000000000000,"secret":"•••"}"#,
                "  images: lamp.jpg, image/jpeg, \(jpeg.count) bytes, sha256 \(pictures[0].digest.abbreviated)…",
            ]
        )
        let delete = try wire.request(for: WriteRequest(.delete(MarketID(7), key: nil)), credentials: credentials)
        #expect(delete.maskedLines == ["DELETE /api/products/{key}", "identifier: •••"])
        let old = try MarketWire(.v1a).request(
            for: WriteRequest(.delete(MarketID(7), key: nil)),
            credentials: credentials
        )
        #expect(
            old.maskedLines
                == ["DELETE /item/7", "Content-Type: application/json", #"  {"id":7,"password":"•••"}"#]
        )
        #expect(!"\(create.maskedJSON)\(create)".contains("example=&#$secret"))
    }

    @Test func `a missing secret, a wild header and a key that leads elsewhere send nothing`() async throws {
        try await HTTPMarket.run { _ in
            .reply(200, "{}")
        } _: { market in
            func outcome(_ profile: MarketProfile, _ credentials: Credentials?, _ write: WriteRequest) async throws
                -> WriteOutcome
            {
                try await withMarketClient(configuration(market.url, profile, credentials: credentials)) {
                    await $0.perform(write)
                }
            }
            let delete = WriteRequest(.delete(MarketID(1), key: nil))
            #expect(
                try await outcome(.v1b, Credentials(), delete)
                    == .refused(WriteRefusal(.credentials, status: 0, message: "the market's secret is not set"))
            )
            #expect(
                try await outcome(.v1b, nil, WriteRequest(delete.kind, secret: .environment("OTHER")))
                    == .refused(
                        WriteRefusal(.other, status: 0, message: "the product's own secret is not set (!env OTHER)")
                    )
            )
            #expect(
                try await outcome(.v2b, Credentials(identifier: Secret("a\r\nX: y"), secret: Secret("s")), delete)
                    == .refused(
                        WriteRefusal(
                            .credentials,
                            status: 0,
                            message: "the market's identifier has characters that no header can carry"
                        )
                    )
            )
            #expect(
                try await outcome(.v2b, nil, delete)
                    == .refused(WriteRefusal(.other, status: 0, message: "v2b deletes only with a key"))
            )
            for key in ["//evil.example/x", "@evil.example/", "http://evil.example/", "a b", "x\r\ny", ""] {
                let outcome = try await outcome(.v2b, nil, WriteRequest(.delete(MarketID(1), key: key)))
                #expect(
                    outcome
                        == .refused(
                            WriteRefusal(
                                .other,
                                status: 0,
                                message: "the market's delete key is neither a key nor a path"
                            )
                        )
                )
            }
            #expect(market.requests.isEmpty)
        }
    }

    @Test func `a picture that changed since it was checked is never sent`() async throws {
        try await HTTPMarket.run { _ in
            .reply(200, #"{"id":1}"#)
        } _: { market in
            try await withMarketClient(configuration(market.url, .v2b)) { client in
                try folder.folder.write("lamp.jpg", jpeg.reversed())
                #expect(
                    await client.perform(WriteRequest(.create(lamp, pictures: [pictures[0]])))
                        == .refused(
                            WriteRefusal(.other, status: 0, message: "images/lamp.jpg changed since it was checked")
                        )
                )
                try folder.folder.write("lamp.jpg", jpeg + [0])
                guard case .refused = await client.perform(WriteRequest(.create(lamp, pictures: [pictures[0]]))) else {
                    Issue.record("a longer file was sent")
                    return
                }
                #expect(market.requests.isEmpty)
            }
        }
    }

    @Test func `a request of v1 depends on the planned change alone, whatever the client has read`() async throws {
        let row = #"{"id":9,"title":"Lamp","price":100,"currency":"KRW","stock":1,"discounted_price":100}"#
        try await HTTPMarket.run {
            $0.method == "GET" ? .reply(200, row) : .reply(200, #"{"id":9}"#)
        } _: { market in
            try await withMarketClient(configuration(market.url, .v1b)) { client in
                func fields(_ changed: ProductFieldSet) throws -> [String] {
                    let update = ProductUpdate(
                        changed: Set(ProductField.allCases.filter(changed.contains)),
                        desired: ProductValues(price: 120, sale: Sale.fullPrice),
                        live: ProductValues(price: 100, sale: Sale.fullPrice)
                    )
                    return try client.describe(WriteRequest(.update(MarketID(9), update))).maskedLines.dropFirst(2)
                        + []
                }
                for isRead in [false, true] {
                    if isRead { #expect(try await client.product(MarketID(9))?.hasEndedSale == true) }
                    let alone = try fields([.price])
                    #expect(alone == ["  price: 120", "  password: •••"])
                    let both = try fields([.price, .salePrice])
                    #expect(both == ["  price: 120", "  discounted_price: 120", "  password: •••"])
                }
            }
        }
    }

    @Test func `v1 refuses a price with a fraction`() throws {
        var values = lamp
        values.price = ExactDecimal("16.99")
        #expect(throws: MarketError(.refused, "v1a carries whole prices only, not 16.99")) {
            _ = try MarketWire(.v1a).request(
                for: WriteRequest(.create(values, pictures: [])),
                credentials: Credentials(secret: Secret("s"))
            )
        }
    }

    @Test func `on v2 an ignored sale goes on at the price that buyers pay now`() throws {
        let update = ProductUpdate(
            changed: [.price],
            desired: ProductValues(price: 90, sale: .price(80)),
            live: ProductValues(price: 100, sale: .price(70))
        )
        let request = try MarketWire(.v2b).request(
            for: WriteRequest(.update(MarketID(1), update)),
            credentials: configuration(".", .v2b).credentials
        )
        #expect(request.maskedLines.last == #"  {"price":90,"discounted_price":20,"secret":"•••"}"#)
    }

    /// The lines of a request that a dry run shows.
    private func lines(
        _ profile: MarketProfile,
        _ kind: WriteRequest.Kind,
        secret: SecretReference? = nil
    ) throws -> [String] {
        try MarketWire(profile).request(
            for: WriteRequest(kind, secret: secret),
            credentials: configuration(".", profile).credentials
        ).maskedLines
    }

    @Test func `an update of every field says them in the description's order`() throws {
        let update = ProductUpdate(
            changed: Set(ProductField.allCases).subtracting([.images]),
            desired: ProductValues(
                name: "Lamp",
                description: "Warm.",
                price: 30,
                currency: .krw,
                sale: .price(20),
                stock: 3
            ),
            live: ProductValues(price: 40, sale: .fullPrice),
            thumbnailImageID: 5
        )
        for profile in [MarketProfile.v1a, .v1b] {
            #expect(
                try Array(lines(profile, .update(MarketID(1), update)).dropFirst(2)) == [
                    "  title: Lamp", "  descriptions: Warm.", "  price: 30", "  currency: KRW", "  stock: 3",
                    "  discounted_price: 20", "  password: •••",
                ]
            )
        }
        for (profile, text) in [(MarketProfile.v2a, "descriptions"), (.v2b, "description")] {
            #expect(
                try lines(profile, .update(MarketID(1), update)).last
                    == #"  {"name":"Lamp","\#(text)":"Warm.","thumbnail_id":5,"price":30,"currency":"KRW","#
                    + #""discounted_price":10,"stock":3,"secret":"•••"}"#
            )
        }
    }

    @Test func `a sale that needs the price is refused without it, and one above the price takes nothing off`() throws {
        func change(_ sale: Sale, live: ProductValues = ProductValues()) -> WriteRequest.Kind {
            .update(
                MarketID(1),
                ProductUpdate(changed: [.salePrice], desired: ProductValues(sale: sale), live: live)
            )
        }
        #expect(throws: MarketError(.refused, "a sale cannot be ended without knowing the price")) {
            _ = try lines(.v1b, change(.fullPrice))
        }
        #expect(throws: MarketError(.refused, "a sale price cannot be sent without knowing the price")) {
            _ = try lines(.v2b, change(.price(30)))
        }
        let above = try lines(.v2b, change(.price(30), live: ProductValues(price: 20, sale: .price(10)))).last
        #expect(above == #"  {"discounted_price":0,"secret":"•••"}"#)
        // Where the wire has no change, a request still says the sale.
        let same = try lines(.v2b, change(.price(30), live: ProductValues(price: 50, sale: .price(30)))).last
        #expect(same == #"  {"discounted_price":20,"secret":"•••"}"#)
    }

    @Test func `v2a and v2b delete with a key or a path, and with the vendor's secret alone`() throws {
        let id = MarketID(7)
        #expect(try lines(.v2a, .delete(id, key: "/api/products/7/MTkz"))[0] == "DELETE /api/products/7/MTkz")
        #expect(try lines(.v2b, .delete(id, key: "/api/products/MTkzfA=="))[0] == "DELETE /api/products/MTkzfA==")
        for (profile, key) in [(MarketProfile.v2a, "a/b=="), (.v2b, "a/b==")] {
            let folder = profile == .v2a ? "/api/products/7" : "/api/products"
            #expect(try lines(profile, .delete(id, key: key))[0] == "DELETE \(folder)/a%2Fb%3D%3D")
        }
        for (profile, path) in [(MarketProfile.v2a, "/api/products/8/k"), (.v2b, "/api/orders/k")] {
            #expect(throws: MarketError(.unreadable, "the path of the market's delete key leads elsewhere")) {
                _ = try lines(profile, .delete(id, key: path))
            }
        }
        let own = try lines(.v2b, .deleteKey(id), secret: .environment("OTHER"))
        #expect(try own == lines(.v2b, .deleteKey(id)))
    }

    @Test func `what a version has no request for is refused`() throws {
        let id = MarketID(7)
        for profile in [MarketProfile.v1a, .v1b] {
            #expect(throws: MarketError(.refused, "\(profile) deletes without a key")) {
                _ = try lines(profile, .deleteKey(id))
            }
        }
        for profile in [MarketProfile.v2a, .v2b] {
            let message = "\(profile) lacks a request to prove ownership without effect"
            #expect(throws: MarketError(.refused, message)) { _ = try lines(profile, .proveOwnership(id)) }
        }
    }
}
