@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Plans, certificates, states and sessions of a market that a file describes.
struct DescribedMarketTests {
    static let document = """
        market: 1
        name: tickets
        probed: "3.1"
        parameters: {event: {as: slug}}
        auth:
          - basic: {user: identifier, password: secret, for: all}
        identity:
          id: {at: /id, as: text}
        fields:
          name: {at: /name}
        list:
          path: "/{event}/items"
          page: {by: none}
          rows: ""
          complete: whole
        """

    private static func profile(_ document: String = document, event: String = "tour") throws -> MarketProfile {
        try MarketProfile(document: Array(document.utf8), parameters: ["event": event])
    }

    private static func saved(_ profile: MarketProfile) -> SavedPlan {
        var saved = SavedPlan()
        saved.tool = "openmarket test"
        saved.url = "https://a.example"
        saved.profile = profile
        saved.manifestFiles = ["/shop/openmarket.yaml"]
        saved.state = "/shop/.openmarket/state.db"
        return saved
    }

    // MARK: Saved plans

    @Test func `a saved plan holds the description, and is read without the file`() throws {
        let profile = try Self.profile()
        let bytes = Self.saved(profile).bytes(in: "/shop")
        let read = try SavedPlan(bytes: bytes, in: "/shop")
        #expect(read.profile == profile && read.profile.probed == "3.1")
        #expect(read.profile.document == Array(Self.document.utf8))
        #expect(read.bytes(in: "/shop") == bytes)
    }

    @Test func `a saved plan for a built-in market has its name alone`() throws {
        let saved = Self.saved(.v1b)
        let document = try JSONValue.parse(saved.bytes(in: "/shop"))
        #expect(document["market"]?.members?.map(\.name) == ["url", "profile"])
        #expect(document["apply"]?["description"] == nil)
        #expect(try SavedPlan(bytes: saved.bytes(in: "/shop"), in: "/shop").profile == .v1b)
    }

    @Test(arguments: [
        (#""tickets""#, #""v2b""#), ("path: \\\"/{event}/items\\\"", "path: \\\"/{event}/other\\\""),
        (#""tour""#, #""a/b""#),
        (#""tour""#, #""""#), ("name: tickets", "name: v2b"),
    ])
    func `a plan whose market was edited is not carried out`(text: String, edited: String) throws {
        let bytes = Self.saved(try Self.profile()).bytes(in: "/shop")
        let plan = String(decoding: bytes, as: UTF8.self)
        #expect(plan.contains(text))
        let error = #expect(throws: CommandFailure.self) {
            try SavedPlan(bytes: Array(plan.replacing(text, with: edited).utf8), in: "/shop")
        }
        #expect(error?.help == CommandFailure.unreadablePlan("").help)
    }

    // MARK: The rest

    @Test func `a certificate says by what the market was read`() throws {
        func market(_ profile: MarketProfile) -> JSONValue? {
            ExportCertificate(
                tool: "test 1",
                market: MarketScope(url: "https://a.example", profile: profile, identifier: nil),
                profile: profile,
                options: ExportOptions(),
                reading: CatalogReading(
                    summary: CatalogSummary(),
                    problems: 0,
                    lostRows: 0,
                    startedAt: .epoch,
                    endedAt: .epoch
                ),
                digest: .zero
            ).document["market"]
        }
        let profile = try Self.profile()
        #expect(
            market(profile)
                == .object(
                    of: ("url", .string("https://a.example")),
                    ("profile", .string("tickets")),
                    ("parameters", .object(of: ("event", .string("tour")))),
                    ("description_sha256", .string(profile.digest.hexadecimal)),
                    ("probed", .string("3.1"))
                )
        )
        let unprobed = try Self.profile(Self.document.replacing("probed: \"3.1\"\n", with: ""))
        #expect(market(unprobed)?["probed"] == .null)
        #expect(market(.v2b)?.members?.map(\.name) == ["url", "profile", "description_sha256"])
    }

    @Test func `a state is kept by name and parameters, and by the identifier only where the description says so`()
        throws
    {
        func scope(_ profile: MarketProfile) throws -> MarketScope {
            let identifier = ResolvedSecret(reference: .environment("ID"), value: Secret("me-and-me"))
            return try MarketTarget(MarketSettings(url: "https://a", profile: profile, identifier: identifier)).scope
        }
        let plain = try scope(Self.profile())
        #expect(plain.identifier == nil && plain.name == "tickets" && plain.parameters == ["event": "tour"])
        #expect(try scope(Self.profile(Self.document + "\n# corrected\n")) == plain)
        #expect(try scope(Self.profile(event: "other")) != plain)
        let kept = try Self.profile(Self.document.replacing("identity:\n", with: "identity:\n  scope: [identifier]\n"))
        #expect(try scope(kept).identifier == MarketTarget.digest(of: Secret("me-and-me")))
    }

    @Test func `an exported state has the parameters`() async throws {
        let scope = MarketScope(url: "https://a", profile: try Self.profile(), identifier: nil)
        let other = MarketScope(url: "https://a", profile: try Self.profile(event: "other"), identifier: nil)
        let state = MemoryState()
        let entry = StateEntry(key: "a", id: MarketID(7), applied: ProductValues(name: "A"))
        try await state.holding(scope, for: "test") { try await $0.apply([.put(entry)]) }
        var text = ""
        try await state.reading(scope) { reader in
            try await StateDocument.export(reader) { text += String(decoding: $0, as: UTF8.self) }
        }
        #expect(text.contains(#""market":{"url":"https://a","profile":"tickets","parameters":{"event":"tour"}}"#))
        let exported = text
        let count = try await MemoryState().holding(scope, for: "test") { held in
            try await StateDocument.import(exported, into: held)
        }
        #expect(count == 1)
        await #expect(throws: StateError.self) {
            try await MemoryState().holding(other, for: "test") { try await StateDocument.import(exported, into: $0) }
        }
    }

    @Test func `nothing is planned, settled or applied where nothing can be written`() async throws {
        var market = StandInMarket()
        market.profile = try Self.profile()
        let scope = MarketScope(url: "https://a", profile: market.profile, identifier: nil)
        let listed = market
        let manifest = Manifest(market: MarketSettings(), policies: Policies(), listings: [], files: [], digest: .zero)
        func refuses(_ body: (Session) async throws -> Void) async throws {
            let error = await #expect(throws: CommandFailure.self) {
                try await MemoryState().holding(scope, for: "test") { held in
                    try await body(Session(market: listed, reading: held, holding: held, tool: "test"))
                }
            }
            #expect(error?.message?.contains("tickets") == true && error?.status == .refused)
        }
        try await refuses { _ = try await $0.plan(manifest) }
        try await refuses { _ = try await $0.preview() }
        try await refuses { _ = try await $0.settle() }
        try await refuses { _ = try await $0.apply(manifest) }
        try await refuses { _ = try await $0.apply(Self.saved(Self.profile())) }
    }

    // MARK: Markets that show no single products

    private static let lamp = LiveProduct(id: MarketID(text: "a") ?? 1, name: "Lamp", price: 5)
    private static let lost = RowProblem(place: "page 1, row 2", message: "/id is missing")

    /// A session that reads the list of a market without details.
    private static func session(_ list: [LiveProduct], problems: [RowProblem] = [], pictures: Bool = false) async throws
        -> Session
    {
        let described = document + (pictures ? "\npictures: {style: none, read: {at: /pictures}}\n" : "")
        var market = StandInMarket(list: list, problems: problems)
        market.profile = try profile(described)
        let scope = MarketScope(url: "https://a", profile: market.profile, identifier: nil)
        return Session(market: market, reading: try await MemoryState().read(scope), tool: "test")
    }

    private static func export(_ session: Session, details: Bool = false, images: Bool = false) async throws -> [String]
    {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/catalog.csv"
        let target = try ExportTarget(path)
        let settings = MarketSettings(url: "https://a", profile: session.market.profile)
        let options = try ExportOptions(
            to: target,
            columns: [.id, .name],
            details: details,
            images: images ? folder.path + "/pictures" : nil,
            market: settings
        )
        _ = try await session.export(to: target, options, market: settings, access: CatalogLibraries())
        let text = String(decoding: try InputFile.bytes(of: path), as: UTF8.self)
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test func `without a request for one product a pull reads the list`() async throws {
        let pulled = try await Self.session([Self.lamp]).pull(PullRequest(adopts: true), knowing: StateSnapshot())
        #expect(pulled.products == [Self.lamp] && pulled.reading.summary.isComplete)
    }

    @Test func `without a request for one product, what needs it is refused before anything is read`() async throws {
        let session = try await Self.session([Self.lamp])
        await expectAsyncEnd(.refused, "tickets describes no request for one product", "without --details") {
            try await Self.export(session, details: true)
        }
        await expectAsyncEnd(.refused, "tickets does not describe how products show their pictures") {
            try await Self.export(session, images: true)
        }
        #expect(try await Self.export(session) == ["id,name", "a,Lamp"])
        // A list that shows its pictures needs no details for them.
        #expect(
            try await Self.export(Self.session([Self.lamp], pictures: true), images: true) == ["id,name", "a,Lamp"]
        )
        let hidden = try await Self.session([])
        await #expect(throws: CommandFailure.self) {
            try await hidden.compare(ExportOptions(details: true), keys: ProductKeys(), with: { _ in }) {}
        }
    }

    @Test func `without a request for one product, a product is not called gone because of a row that cannot be read`()
        async throws
    {
        var lines = CatalogJSONLines()
        lines.append(Self.lamp, key: nil)
        let earlier = lines.takeBytes()
        func changes(_ session: Session) async throws -> CatalogChanges {
            try await session.compare(
                ExportOptions(),
                keys: ProductKeys(),
                with: { body in
                    var reader = CatalogLineReader(ids: .text)
                    try reader.read(earlier, body)
                }
            ) {}.changes
        }
        let mug = LiveProduct(id: MarketID(text: "b") ?? 2, name: "Mug", price: 6)
        await expectAsyncEnd(.refused, "1 product of the earlier export may be gone or unread") {
            _ = try await changes(Self.session([mug], problems: [Self.lost]))
        }
        // Where the row that is lost can be none of them, nothing has to be looked up.
        #expect(try await changes(Self.session([Self.lamp, mug], problems: [Self.lost])).changes.count == 1)
        #expect(try await changes(Self.session([mug])).changes.count == 2)
    }

    @Test func `reading needs the credentials that the description sends, and encryption`() throws {
        func failure(_ url: String, _ profile: MarketProfile, accepts: Bool = false, secret: Bool = true)
            -> CommandFailure?
        {
            let identifier = ResolvedSecret(reference: .environment("ID"), value: Secret("me"))
            let password = ResolvedSecret(reference: .environment("PASSWORD"), value: Secret("pass"))
            do throws(CommandFailure) {
                let settings = MarketSettings(
                    url: url,
                    profile: profile,
                    identifier: secret ? identifier : nil,
                    secret: secret ? password : nil
                )
                try MarketTarget(settings).requireReadable(acceptsPlainHTTP: accepts)
                return nil
            } catch {
                return error
            }
        }
        let profile = try Self.profile()
        #expect(failure("https://a", profile) == nil)
        #expect(
            failure("https://a", profile, secret: false)?.message
                == "no credentials to read with: identifier and secret not set"
        )
        #expect(failure("http://a", profile)?.message?.hasPrefix("http://a is not encrypted") == true)
        #expect(failure("http://a", profile, accepts: true) == nil)
        #expect(failure("http://127.0.0.1:8080", profile) == nil)
        #expect(failure("http://a", .v2b, secret: false) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:80", true), ("http://127.9.8.7/x", true), ("http://localhost", true),
        ("http://[::1]:1", true),
        ("http://128.0.0.1", false), ("http://127.0.0.1.example.org", false), ("http://localhost.example.org", false),
        ("http://example.org/127.0.0.1", false), ("http://127.0.0", false),
    ])
    func `an address of this machine is known`(url: String, isLoopback: Bool) throws {
        #expect(try MarketURL(url).isLoopback == isLoopback)
    }

    @Test(arguments: ["HTTP://LOCALHOST:8080//", "http://LocalHost:08080"])
    func `other spellings of an address are the same address`(url: String) throws {
        #expect(try MarketURL(url).description == "http://localhost:8080")
    }
}
