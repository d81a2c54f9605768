@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketFiles
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// Nothing but reads is sent to a described market before its description was accepted.
struct MarketTrustTests {
    private static let document = """
        market: 1
        name: shelf
        headers: {Shelf-Version: "7"}
        parameters: {event: {as: slug}}
        auth:
          - basic: {user: {constant: api}, password: secret, for: all}
        identity:
          id: {at: /id, as: integer, order: rising}
          repeat: {header: Once, hours: 24, replays: errors, for: [create]}
        fields:
          name: {at: /name}
          price: {at: /prices, item: {where: /code, is: EUR, value: /amount, with: {/kind: net}}, as: number}
          stock: {at: /stock, with: {/counted: true}}
        list:
          path: "/{event}/items"
          query: {status: [draft, published]}
          page: {by: none}
          rows: ""
          complete: whole
        operations:
          detail: {path: "/{event}/items/{id}"}
          update: {method: PATCH, path: "/{event}/items/{id}", body: {inside: /item}}
          create: {method: POST, path: "/{event}/items", body: {inside: /item}, with: {/kind: "a {event}"}, hidden: {/shown: false}}
          delete: {method: DELETE, path: "/{event}/items/{id}"}
        """

    /// The market of a description.
    static func profile(_ document: String = Self.document, event: String = "tour") throws -> MarketProfile {
        try MarketProfile(document: Array(document.utf8), parameters: ["event": event])
    }

    typealias Shelf = StandInMarket

    private static let delete = PlannedOperation(
        key: "fan",
        reason: "not in the manifest any more",
        work: .delete(PlannedOperation.Deletion(id: MarketID(7), live: ProductValues(name: "Fan")))
    )

    private static func scope(_ profile: MarketProfile) -> MarketScope {
        MarketScope(url: "https://a.example", profile: profile, identifier: nil)
    }

    /// Deletes a product, in a session that was given a digest or none.
    private static func apply(
        to shelf: Shelf,
        _ state: MemoryState,
        accepting digest: ContentDigest? = nil
    ) async throws {
        try await state.holding(scope(shelf.profile), for: "test") { held in
            let session = Session(market: shelf, reading: held, holding: held, accepting: digest, tool: "test")
            var plan = Plan()
            plan.operations = [delete]
            let recovered = try await session.preview()
            let planned = PlannedChanges(plan: plan, snapshot: recovered.snapshot, recovery: recovered)
            _ = try await session.apply(planned, as: session.runRecord())
        }
    }

    private static func refused(
        _ profile: MarketProfile,
        _ state: MemoryState,
        accepting digest: ContentDigest? = nil
    ) async throws {
        let shelf = Shelf(profile)
        await #expect(throws: CommandFailure.unacceptedMarket("shelf", digest: profile.digest)) {
            try await apply(to: shelf, state, accepting: digest)
        }
        #expect(shelf.requests.isEmpty)
        #expect(state[scope(profile)].runs.isEmpty)
    }

    private static func carriedOut(
        _ profile: MarketProfile,
        _ state: MemoryState,
        accepting digest: ContentDigest? = nil
    ) async throws {
        let shelf = Shelf(profile)
        try await apply(to: shelf, state, accepting: digest)
        #expect(shelf.requests.map(\.step) == [.delete])
        let run = try await state.reading(scope(profile)) { try await $0.runs(limit: 1) }.first
        #expect(run?.record.description == profile.digest)
        #expect(state[scope(profile)].acceptedDescription == profile.digest)
    }

    // MARK: Sessions

    @Test func `a description is written by once it was accepted, and never before`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        try await Self.refused(profile, state)
        try await Self.refused(profile, state, accepting: .zero)
        #expect(state[Self.scope(profile)].acceptedDescription == nil)
        try await Self.carriedOut(profile, state, accepting: profile.digest)
        try await Self.carriedOut(profile, state)
    }

    @Test func `one that changed, and the same with other parameters, is accepted again`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        try await Self.carriedOut(profile, state, accepting: profile.digest)
        let changed = try Self.profile(Self.document + "\n# corrected\n")
        let shelf = Shelf(changed)
        await #expect(throws: CommandFailure.unacceptedMarket("shelf", digest: changed.digest)) {
            try await Self.apply(to: shelf, state)
        }
        await #expect(throws: CommandFailure.unacceptedMarket("shelf", digest: changed.digest)) {
            try await Self.apply(to: shelf, state, accepting: profile.digest)
        }
        #expect(shelf.requests.isEmpty)
        try await Self.carriedOut(changed, state, accepting: changed.digest)
        // The one before is another one now.
        let before = Shelf(profile)
        await #expect(throws: CommandFailure.self) { try await Self.apply(to: before, state) }
        #expect(before.requests.isEmpty)
        try await Self.refused(try Self.profile(event: "other"), state)
    }

    @Test func `a saved plan is carried out by the same rule, and does not accept its own description`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        var saved = SavedPlan()
        saved.url = "https://a.example"
        saved.profile = profile
        saved.plan.operations = [Self.delete]
        saved.manifestFiles = ["/shop/openmarket.yaml"]
        saved.state = "/shop/.openmarket/state.db"
        let plan = saved
        func apply(_ shelf: Shelf, accepting digest: ContentDigest? = nil) async throws {
            try await state.holding(Self.scope(profile), for: "test") { held in
                let session = Session(market: shelf, reading: held, holding: held, accepting: digest, tool: "test")
                _ = try await session.apply(plan)
            }
        }
        let shelf = Shelf(profile)
        await #expect(throws: CommandFailure.unacceptedMarket("shelf", digest: profile.digest)) {
            try await apply(shelf)
        }
        #expect(shelf.requests.isEmpty)
        try await apply(shelf, accepting: profile.digest)
        #expect(shelf.requests.map(\.step) == [.delete])
    }

    @Test func `what an earlier run left is settled by the same rule`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        let (market, scope) = (Shelf(profile), Self.scope(profile))
        func settle(accepting digest: ContentDigest? = nil) async throws {
            try await state.holding(scope, for: "test") { held in
                let session = Session(market: market, reading: held, holding: held, accepting: digest, tool: "test")
                _ = try await session.settle()
            }
        }
        try await settle()
        let run = RunID(rawValue: "killed")
        try await state.holding(scope, for: "test") { held in
            try await held.begin(RunRecord(id: run, manifest: nil, tool: "test"), operations: [Self.delete])
            let sent = JournalEvent.Fact.sent(.delete, highWater: nil)
            _ = try await held.record(JournalEvent(run: run, sequence: 0, number: 1, fact: sent))
        }
        await #expect(throws: CommandFailure.unacceptedMarket("shelf", digest: profile.digest)) { try await settle() }
    }

    @Test func `an exported state does not accept a description elsewhere`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        let scope = Self.scope(profile)
        try await state.holding(scope, for: "test") { held in
            try await held.accept(profile.digest)
            try await held.apply([.put(StateEntry(key: "fan", id: MarketID(7), applied: ProductValues(name: "Fan")))])
        }
        var text = ""
        try await state.reading(scope) { reader in
            try await StateDocument.export(reader) { text += String(decoding: $0, as: UTF8.self) }
        }
        let lines = text
        let other = MemoryState()
        _ = try await other.holding(scope, for: "test") { try await StateDocument.import(lines, into: $0) }
        #expect(other[scope].snapshot.entries["fan"] != nil)
        #expect(other[scope].acceptedDescription == nil)
    }

    @Test func `a pull asks before it writes anything, and the state remembers the answer`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        let folder = try TemporaryDirectory()
        var settings = MarketSettings(url: "https://a.example", profile: profile)
        settings.descriptionFile = FileSystem.resolved(try folder.write("shelf.market.yaml", Self.document))
        settings.secret = ResolvedSecret(reference: .environment("TOKEN"), value: Secret("token"))
        let fan = LiveProduct(id: 7, name: "Fan", price: 9, stock: 2)
        let path = folder.path + "/openmarket.yaml"
        func pull(_ answer: @escaping @Sendable () throws -> Bool) async throws -> PulledShop {
            let options = ManifestOptions(environment: ["TOKEN": "token"])
            let run = try PullRun(
                path: path,
                from: MarketTarget(settings),
                MarketOnlyManifest(settings),
                adopts: true,
                options: options
            )
            let created = FileSystem.isMissing(path) ? path : nil
            let loaded = try await EditRun.load([path], options, created: created) { _ in }
            var drift = try DriftRun(#require(loaded.manifest), options: options)
            drift.add(run, into: path)
            let connection = LocalConnection(StandInMarket(profile: profile, list: [fan]))
            let work = try MarketWork(connection, settings, in: state, beside: folder.path)
            let acceptance = DescriptionAcceptance(said: nil) { _ in try answer() }
            return try #require(try await drift.run(with: work, accepting: acceptance).shop)
        }
        await #expect(throws: CommandFailure(.failure, "the description of shelf was not accepted; no change was sent"))
        { try await pull { false } }
        #expect(!FileSystem.exists(path) && state[Self.scope(profile)].acceptedDescription == nil)
        #expect(try await pull { true }.products == 1)
        #expect(state[Self.scope(profile)].acceptedDescription == profile.digest)
        #expect(state[Self.scope(profile)].snapshot.entries["fan"]?.id == 7)
        #expect(try await pull { throw CancellationError() }.products == 0)
    }

    // MARK: What is asked

    /// The answer, and how often it was asked for.
    private static func asked(
        _ profile: MarketProfile,
        _ state: MemoryState,
        said: ContentDigest? = nil,
        answer: Bool = true
    ) async throws -> (digest: ContentDigest?, standings: [MarketTrust.Standing]) {
        let target = try MarketTarget(MarketSettings(url: "https://a.example", profile: profile))
        let trust = try await state.reading(target.scope) { try await MarketTrust(target, rememberedBy: $0) }
        var standings: [MarketTrust.Standing] = []
        let digest = try trust.accepted(said: said) { trust in
            standings.append(trust.standing)
            return answer
        }
        return (digest, standings)
    }

    @Test func `it is asked about a new description and a changed one, and not about one that was said`() async throws {
        let (profile, state) = (try Self.profile(), MemoryState())
        let scope = Self.scope(profile)
        let first = try await Self.asked(profile, state)
        #expect(first.digest == profile.digest && first.standings == [.new])
        await #expect(throws: CommandFailure(.failure, "the description of shelf was not accepted; no change was sent"))
        {
            try await Self.asked(profile, state, answer: false)
        }
        let said = try await Self.asked(profile, state, said: profile.digest, answer: false)
        #expect(said.digest == profile.digest && said.standings.isEmpty)
        // A digest that is wrong is wrong although the state knows better.
        for isRemembered in [false, true] {
            if isRemembered { try await state.holding(scope, for: "test") { try await $0.accept(profile.digest) } }
            await expectAsyncEnd(.refused, "is sha256:\(profile.digest), and sha256:\(ContentDigest.zero) was accepted")
            {
                try await Self.asked(profile, state, said: .zero)
            }
        }
        let again = try await Self.asked(profile, state, answer: false)
        #expect(again.digest == profile.digest && again.standings.isEmpty)
        let changed = try await Self.asked(try Self.profile(Self.document + "\n# corrected\n"), state)
        #expect(changed.standings == [.changed(from: profile.digest)])
        #expect(try await Self.asked(try Self.profile(event: "other"), state).standings == [.new])
        let builtIn = try await Self.asked(.v2b, state, said: .zero, answer: false)
        #expect(builtIn.digest == nil && builtIn.standings.isEmpty)
    }

    @Test
    func `what is shown are all requests, with every constant, where credentials go, and the parameters filled in`()
        async throws
    {
        let target = try MarketTarget(MarketSettings(url: "https://a.example", profile: try Self.profile(event: "a~b")))
        let trust = try await MemoryState().reading(target.scope) { try await MarketTrust(target, rememberedBy: $0) }
        let requests = trust.requests.map { request in
            ["\(request.operation.rawValue) \(request.method.rawValue) \(request.address)"] + request.headers
                + request.constants + request.places + request.hidden.map { "hidden \($0)" }
        }
        let headers = ["Shelf-Version: 7", "Authorization: Basic api:{secret}"]
        let element = [#"/item/prices/*/code: "EUR""#, #"/item/prices/*/kind: "net""#]
        #expect(
            requests == [
                ["list GET /a~b/items?status=draft&status=published"] + headers,
                ["detail GET /a~b/items/{id}"] + headers,
                [
                    "create POST /a~b/items", "Shelf-Version: 7", "Once: {idempotency_key}",
                    "Authorization: Basic api:{secret}",
                ]
                    + [#"/item/kind: "a a~b""#] + element + ["/item/counted: true"]
                    + ["/item/name", "/item/prices", "/item/stock", "hidden /item/shown: false"],
                ["update PATCH /a~b/items/{id}"] + headers
                    + element + ["/item/counted: true", "/item/name", "/item/prices", "/item/stock"],
                ["delete DELETE /a~b/items/{id}"] + headers,
            ]
        )
    }
}

extension StandInMarket {
    /// A market that does whatever it is asked to.
    init(_ profile: MarketProfile) {
        self.init(
            profile: profile,
            onDetail: { LiveProduct(id: $0, name: "Fan") },
            onWrite: { _ in .succeeded(WriteReply()) }
        )
    }
}
