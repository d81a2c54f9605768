@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// `pull` in process: a market, a folder and a state in memory.
struct PullRunTests {
    private static let scope = MarketScope(url: "http://market", profile: .v2b, identifier: nil)

    /// The market, with all that managing its products needs.
    private static func target(secret: Secret? = nil) throws -> MarketTarget {
        let identifier = ResolvedSecret(reference: .environment("ID"), value: Secret("me"))
        var settings = MarketSettings(url: scope.url, profile: .v2b, identifier: identifier)
        settings.secret = secret.map { ResolvedSecret(reference: .environment("SECRET"), value: $0) }
        return try MarketTarget(settings)
    }

    private static func lamp(_ id: Int64, vendor: Int64? = 1, images: [String] = []) -> LiveProduct {
        LiveProduct(
            id: MarketID(id),
            vendorID: vendor,
            name: "Lamp \(id)",
            price: 1000,
            currency: .krw,
            stock: 5,
            images: images.enumerated().map { LiveProduct.Image(id: MarketID(Int64($0) + 1), url: $1) }
        )
    }

    /// A pull into a managed manifest, new or not, as a command does it.
    private static func managed(_ run: PullRun, beside others: [String] = []) async throws -> DriftRun {
        let created = FileSystem.isMissing(run.path) ? run.path : nil
        let loaded = try await EditRun.load(others + [run.path], ManifestOptions(), created: created) { _ in }
        var drift = try DriftRun(#require(loaded.manifest))
        drift.add(run, into: run.path)
        return drift
    }

    /// A pull into a folder.
    private final class Shop {
        let folder: TemporaryDirectory
        let market: StandInMarket
        let state = MemoryState()
        var images = "images"
        var others: [String] = []
        var secret: Secret?
        /// Whether the last pull took in all.
        private(set) var isComplete = true

        init(_ market: StandInMarket) throws {
            self.market = market
            folder = try TemporaryDirectory()
        }

        var path: String { folder.path + "/shop.yaml" }
        var text: String? { try? String(decoding: folder.read("shop.yaml"), as: UTF8.self) }

        func pull(_ request: PullRequest = PullRequest(adopts: true)) async throws -> PulledShop {
            let run = try PullRun(
                path: path,
                from: target(secret: secret),
                MarketOnlyManifest(
                    MarketSettings(url: scope.url, profile: .v2b),
                    files: others
                ),
                images: folder.path + "/" + images,
                ids: request.ids.map(\.description),
                vendorID: request.vendorID,
                adopts: request.adopts,
                options: ManifestOptions()
            )
            let drift = try await managed(run, beside: others)
            let edits = try await state.holding(scope, for: "pull") { held in
                try await drift.write(in: Session(market: market, reading: held, holding: held, tool: "test")) { _ in }
            }
            isComplete = edits.isComplete
            return try #require(edits.shop)
        }

        /// Why nothing is pulled; nothing is written then.
        func refusal(_ request: PullRequest = PullRequest(adopts: true)) async throws -> CommandFailure? {
            let before = text
            do {
                _ = try await pull(request)
                return nil
            } catch let error as CommandFailure {
                #expect(text == before)
                #expect(state[scope].snapshot.entries.isEmpty)
                return error
            }
        }
    }

    @Test func `the market decides on a stated vendor number where it can be asked`() async throws {
        // It refuses every delete key.
        let shop = try Shop(StandInMarket(list: [Self.lamp(1), Self.lamp(2, vendor: 30)]))
        shop.secret = Secret("password")
        let denied = VendorContradiction(claimed: 30, confirmed: nil, evidence: .deniedProduct(MarketID(2)))
        #expect(try await shop.refusal(PullRequest(vendorID: 30))?.message == "\(denied); no file was written")
        // Without the secret it is not asked.
        shop.secret = nil
        #expect(try await shop.pull(PullRequest(vendorID: 30)).products == 1)
    }

    @Test func `a shop becomes a manifest with its pictures, and the state knows its products`() async throws {
        let url = "http://market/1.png"
        let shop = try Shop(
            StandInMarket(list: [Self.lamp(1, images: [url]), Self.lamp(2)], pictures: [url: SmallPicture.png(1)])
        )
        let pulled = try await shop.pull()
        #expect(pulled.products == 2 && pulled.pictures == 1 && pulled.missing == 0 && pulled.catalogMoved == false)
        let text = try #require(shop.text)
        #expect(text.hasPrefix("# Pulled by openmarket from http://market, v2b.\n"))
        #expect(try shop.folder.read("images/lamp-1-1.png") == SmallPicture.png(1))
        let entries = shop.state[Self.scope].snapshot.entries
        #expect(entries.keys.sorted() == ["lamp-1", "lamp-2"])
        #expect(entries["lamp-1"]?.id == MarketID(1) && entries["lamp-2"]?.applied.price == 1000)
        // The file had another name while it was read.
        let history = try await shop.state.reading(Self.scope) { try await $0.history(of: "lamp-1", runs: .max) }
        #expect(history.map(\.operation.source?.file) == [shop.path])

        // After a run that was killed before the manifest was there, no picture is fetched twice.
        try FileSystem.remove(shop.path)
        #expect(try await shop.pull().products == 2)
        #expect(shop.text == text)
        #expect(shop.market.asked.pictures.count == 1)
    }

    @Test(arguments: [
        MarketError(.refused, "there is no picture", status: 404), MarketError(.credentials, "no", status: 403),
        MarketError(.unreachable, "failed", status: 500), MarketError(.unreachable, "no answer in time"),
        MarketError(.unreadable, "not a picture"),
    ])
    func `a picture that is not given leaves the pictures of its product to the market`(error: MarketError)
        async throws
    {
        let url = "http://market/2.png"
        let market = StandInMarket(
            list: [Self.lamp(1, images: ["http://market/1.png"]), Self.lamp(2, images: [url])],
            pictures: [url: SmallPicture.png(1)],
            pictureError: error
        )
        let shop = try Shop(market)
        let pulled = try await shop.pull()
        #expect(pulled.missing == 1 && pulled.pictures == 1 && pulled.products == 2)
        #expect(pulled.omissions.map(\.field) == ["images"])
        let text = try #require(shop.text)
        #expect(text.contains("images/lamp-2-1.png") && !text.contains("lamp-1-1"))
    }

    @Test func `no picture is fetched that no request can say, and that is said once`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            "tickets.market.yaml",
            """
            market: 1
            name: tickets
            identity: {id: {at: /id, as: integer, order: rising}}
            fields: {name: {at: /name}, price: {at: /price, as: decimal_text}, currency: {fixed: KRW}}
            pictures: {style: none, read: {at: /images, id: /id, url: /src}}
            list: {path: /items, page: {by: none}, rows: "", complete: whole}
            operations: {create: {method: POST, path: /items, body: json}}

            """
        )
        let file = try folder.write("market.yaml", "market: {url: https://market, api: ./tickets.market.yaml}\n")
        let manifest = try MarketOnlyManifest(files: [file], options: ManifestOptions())
        let profile = try #require(manifest.settings.profile)
        let url = "https://market/1.png"
        let market = StandInMarket(
            profile: profile,
            list: [1, 2].map { Self.lamp($0, vendor: nil, images: [url]) },
            pictures: [url: SmallPicture.png(1)]
        )
        let run = try PullRun(
            path: folder.path + "/shop.yaml",
            from: MarketTarget(manifest),
            manifest,
            adopts: true,
            managesProducts: false,
            options: ManifestOptions()
        )
        let scope = MarketScope(url: "https://market", profile: profile, identifier: nil)
        let state = try await MemoryState().read(scope)
        let pulled = try await run.run(in: Session(market: market, reading: state, tool: "test"))
        #expect(pulled.products == 2 && pulled.omissions.count { $0.field == "images" } == 2)
        #expect(market.asked.pictures == [])
        let text = String(decoding: try folder.read("shop.yaml"), as: UTF8.self)
        #expect(text.split(separator: "# images is not managed: ").count == 2)
    }

    @Test func `products of which the owner is not known, that are missing or another vendor's are not pulled`()
        async throws
    {
        let both = try Shop(StandInMarket(list: [Self.lamp(1), Self.lamp(2, vendor: 2), Self.lamp(3, vendor: 2)]))
        #expect(try await both.refusal(PullRequest()) == .ownerUnknown([1: 1, 2: 2]))
        #expect(try await both.refusal() == .ownerUnknown([1: 1, 2: 2]))
        #expect(try await both.refusal()?.status == .invalidInput)
        #expect(try await both.refusal(PullRequest(ids: [MarketID(9)]))?.message == "product 9 is not on the market")
        #expect(
            try await both.refusal(PullRequest(ids: [MarketID(1), MarketID(2)], vendorID: 1))?.message
                == "product 2 is another vendor's"
        )
        #expect(try await both.refusal(PullRequest(vendorID: 3)) == .noProducts)
        #expect(try await both.pull(PullRequest(vendorID: 2)).products == 2)
    }

    @Test func `a manifest that exists is in the way of an unmanaged one, and no picture is fetched`() async throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("shop.yaml", "products: []\n")
        let market = StandInMarket(list: [Self.lamp(1, images: ["http://market/1.png"])])
        let work = try Self.work(market, beside: folder.path)
        await expectAsyncEnd(.refused, "\(path) exists; it was not changed") {
            try await Self.run(path, managing: false).run(with: work)
        }
        #expect(market.asked.pictures == [])
    }

    @Test func `what the other files of the manifest list is not written a second time`() async throws {
        let shop = try Shop(StandInMarket(list: [Self.lamp(1), Self.lamp(2), Self.lamp(3)]))
        // By its number, by its name, and not at all.
        try shop.folder.write("lamp.png", SmallPicture.png(2))
        try shop.folder.write(
            "more.yaml",
            """
            products:
              - {key: lamp-3, id: 1}
              - {key: mine, name: Lamp 2, description: A lamp for a desk., price: 1000, currency: KRW, stock: 5,
                 images: [lamp.png]}

            """
        )
        shop.others = [shop.folder.path + "/more.yaml"]
        #expect(try await shop.pull().products == 1)
        let text = try #require(shop.text)
        #expect(text.contains("id: 3\n") && !text.contains("id: 1\n") && !text.contains("id: 2\n"))
        // The key is taken by another product.
        #expect(!text.contains("key: lamp-3\n"))
    }

    @Test func `a currency that a manifest cannot hold does not become that of the defaults`() async throws {
        var lamp = Self.lamp(1)
        lamp.values.currency = Currency(rawValue: "EUR")
        let shop = try Shop(StandInMarket(list: [lamp]))
        try shop.folder.write("more.yaml", "defaults: {currency: KRW}\n")
        shop.others = [shop.folder.path + "/more.yaml"]
        #expect(try await shop.pull().products == 1)
        let text = try #require(shop.text)
        #expect(text.contains("    ignore_changes: [currency]\n") && !text.contains("    price:"), "\(text)")
    }

    @Test func `a new product that 'adjust' would change is not written, and not counted`() async throws {
        let shop = try Shop(StandInMarket(list: [Self.lamp(1)]))
        try shop.folder.write("more.yaml", "adjust: [{price: +10%}]\n")
        shop.others = [shop.folder.path + "/more.yaml"]
        #expect(try await shop.pull().products == 0)
        #expect(!shop.isComplete && shop.text == nil)
        #expect(shop.state[Self.scope].snapshot.entries.isEmpty)
    }

    @Test func `nothing is fetched into a folder that the manifest cannot name`() async throws {
        let url = "http://market/1.png"
        let shop = try Shop(StandInMarket(list: [Self.lamp(1, images: [url])], pictures: [url: SmallPicture.png(1)]))
        shop.images = "../elsewhere"
        #expect(try await shop.refusal()?.status == .usage)
        #expect(shop.market.asked.pictures == [])
    }

    @Test func `a catalog that moved, or a product that changed while it was pulled, is reported`() async throws {
        let shop = try Shop(StandInMarket(list: [Self.lamp(1)], catalogMoved: true))
        #expect(try await shop.pull().catalogMoved == true)

        // The pull reads details, and what is looked at afterwards is the list.
        var changed = Self.lamp(1)
        changed.price = 1500
        let later = changed
        let other = try Shop(StandInMarket(list: [later], details: [Self.lamp(1)], onDetail: { _ in later }))
        #expect(try await other.pull().catalogMoved == true)
        // The next plan shows what changed.
        #expect(other.state[Self.scope].snapshot.entries["lamp-1"]?.id == MarketID(1))
    }

    // MARK: With market and state

    private static func run(
        _ path: String?,
        of target: MarketTarget? = nil,
        from files: [String] = [],
        hasProducts: Bool = false,
        for destination: [String]? = nil,
        ids: [String] = [],
        adopts: Bool = false,
        managing: Bool = true
    ) throws -> PullRun {
        let settings = MarketSettings(url: scope.url, profile: .v2b)
        return try PullRun(
            path: path,
            from: target ?? Self.target(),
            MarketOnlyManifest(settings, files: files, hasProducts: hasProducts),
            for: destination.map { files in
                MarketOnlyManifest(settings, files: files)
            },
            ids: ids,
            adopts: adopts,
            managesProducts: managing,
            options: ManifestOptions()
        )
    }

    /// The market with a state.
    private static func work(
        _ market: StandInMarket,
        in state: MemoryState = MemoryState(),
        beside folder: String
    ) throws -> MarketWork<LocalConnection<StandInMarket>> {
        let settings = MarketSettings(url: Self.scope.url, profile: .v2b)
        return try MarketWork(LocalConnection(market), settings, in: state, beside: folder)
    }

    @Test func `without a name the manifest is the standard one, with pictures beside it`() throws {
        #expect(try Self.run(nil, from: ["market.yaml"]).stateFiles == ["market.yaml", "openmarket.yaml"])
        #expect(try Self.run("a/shop.yaml").stateFiles == ["a/shop.yaml"])
        // What is not managed has the keys of the state beside the manifest that is read.
        #expect(try Self.run("a/shop.yaml", from: ["market.yaml"], managing: false).stateFiles == ["market.yaml"])
        #expect(try Self.run("a/shop.yaml", for: []).stateFiles == ["openmarket.yaml"])
    }

    @Test func `products are managed as a vendor who is named, unless files are all`() throws {
        let nameless = try MarketTarget(MarketSettings(url: Self.scope.url, profile: .v2b))
        // Before anything else is looked at.
        expectEnd(.invalidInput, "the vendor's identifier is not set") {
            try Self.run("shop.csv", of: nameless, ids: ["x"])
        }
        _ = try Self.run("shop.yaml", of: nameless, managing: false)
        _ = try Self.run("shop.yaml", of: nameless, for: [])
        #expect(throws: CommandFailure(.usage, "--id takes the number of a product, and not 'x'")) {
            try Self.run("shop.csv", ids: ["x"])
        }
    }

    @Test func `of another market's manifest the file alone says which market it is`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("new.yaml", "market: {url: \"http://new\", api: v1b}\n")
        let environment = [
            "OPENMARKET_URL": "http://old", "OPENMARKET_API": "v2b", "OPENMARKET_SECRET": "password",
        ]
        let options = PullRun.destinationOptions(in: environment)
        let known = KnownSecrets()
        let manifest = try KnownSecrets.$current.withValue(known) {
            try MarketOnlyManifest(files: [path], options: options)
        }
        #expect(manifest.settings.url == "http://new" && manifest.settings.profile == .v1b)
        #expect(known.mask.isHeld(by: "the password"))
        let nameless = try folder.write("nameless.yaml", "market: {url: \"http://new\"}\n")
        #expect(
            throws: CommandFailure(.invalidInput, "\(nameless) does not name its market", help: "it needs `market.api`")
        ) {
            try PullRun(
                from: Self.target(),
                MarketOnlyManifest(MarketSettings(url: Self.scope.url, profile: .v2b)),
                for: MarketOnlyManifest(files: [nameless], options: options),
                options: ManifestOptions()
            )
        }
    }

    @Test func `the manifest is declared, and may be one that is read`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.write("shop.yaml", "products: []\n")
        let register = FileRegister()
        try FileRegister.$current.withValue(register) {
            register.note(path, as: .manifest)
            try Self.run(path).declare()
            try folder.write("images/.content/1.png", SmallPicture.png(1))
            let other = folder.path + "/images/.content/1.yaml"
            #expect(throws: FileConflict(output: "--out", path: other, occupant: .input(.keptPicture))) {
                let run = try Self.run(other)
                PictureLibrary.note(folder.path + "/images")
                try run.declare()
            }
        }
    }

    @Test func `of a gap and missing pictures, the pictures are why a pull is not whole`() async throws {
        let shop = try Shop(StandInMarket(list: [Self.lamp(1)]))
        var pulled = try await shop.pull()
        try pulled.requireWhole()
        pulled.lostRows = 1
        let gap = try #require(pulled.gap)
        #expect(throws: gap) { try pulled.requireWhole() }
        pulled.missing = 2
        expectEnd(.partialFailure, "2 pictures could not be downloaded") { try pulled.requireWhole() }
    }

    @Test func `the state is held where it takes the products over, and only read where files are all`() async throws {
        let folder = try TemporaryDirectory()
        let state = MemoryState()
        let work = try Self.work(StandInMarket(list: [Self.lamp(1)]), in: state, beside: folder.path)
        // It is not known whose the products are, which matters only to the state.
        let ours = try await Self.managed(Self.run(folder.path + "/ours.yaml"))
        await #expect(throws: CommandFailure.self) { try await ours.run(with: work) }
        let copy = try await Self.run(folder.path + "/copy.yaml", managing: false).run(with: work)
        #expect(copy.products == 1)
        #expect(state[Self.scope].snapshot.entries.count == 0)
        // Faults of the other files' products do not stop what is written alone.
        let faulty = [
            try folder.write("a.yaml", "products:\n  - oops\n  - {key: a, price: x}\n"),
            try folder.write("b.csv", "key,name,price\na,,abc\n"), try folder.write("c.csv", "nonsense\n1\n"),
        ]
        let beside = try await Self.run(folder.path + "/beside.yaml", from: faulty, managing: false).run(with: work)
        #expect(beside.products == 1)
        let other = try await state.hold(Self.scope, for: "apply", waiting: .zero)
        let again = try await Self.run(folder.path + "/again.yaml", managing: false).run(with: work)
        #expect(again.products == 1)
        let error = await #expect(throws: StateError.self) { try await ours.run(with: work) }
        #expect(error?.code == .locked)
        await other.close()
    }

    /// A state that knows some products.
    private static func knowing(_ entries: StateEntry...) async throws -> MemoryState {
        let state = MemoryState()
        let held = try await state.hold(scope, for: "test", waiting: .zero)
        try await held.apply(entries.map { .put($0) })
        await held.close()
        return state
    }

    @Test func `what the state alone knows of a product is written down`() async throws {
        let folder = try TemporaryDirectory()
        var entry = StateEntry(key: "mine", id: 1, applied: ProductValues(name: "Lamp 1", price: 1000))
        entry.isProtected = true
        let other = StateEntry(key: "other", id: 2, applied: ProductValues(name: "Lamp 2", price: 1000))
        let state = try await Self.knowing(entry, other)
        let work = try Self.work(StandInMarket(list: [Self.lamp(1), Self.lamp(2)]), in: state, beside: folder.path)
        _ = try await Self.run(folder.path + "/all.yaml", adopts: true, managing: false).run(with: work)
        let text = String(decoding: try folder.read("all.yaml"), as: UTF8.self)
        #expect(text.matches(of: /protected: true/).count == 1)
    }

    @Test func `a vendor number counts for nothing on a market whose owners are texts`() throws {
        let document = """
            market: 1
            name: texts
            identity: {id: {at: /id, as: integer}, owner: {read: /seller, as: text}}
            fields: {name: {at: /name}}
            list: {path: /products, page: {by: none}, rows: "", complete: never}
            """
        let profile = try MarketProfile(document: Array(document.utf8))
        let settings = MarketSettings(url: "https://market.example", profile: profile)
        expectEnd(.usage, "texts shows owners as texts") {
            _ = try PullRun(
                from: MarketTarget(settings),
                MarketOnlyManifest(settings),
                vendorID: 5,
                managesProducts: false,
                options: ManifestOptions()
            )
        }
    }
}
