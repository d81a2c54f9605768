import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// Whoever says who we are, and wherever: a number that the market contradicts lists nothing twice, and the run says so.
struct VendorClaimTests {
    struct Trial: CustomTestStringConvertible, Sendable {
        enum Source: CaseIterable { case manifest, adopting, pins, savedPlan }
        enum Shop: CaseIterable { case known, stateLost, new }

        static let all: [Trial] = [MarketProfile.v2a, .v2b].flatMap { profile in
            Shop.allCases.flatMap { shop in
                Source.allCases.flatMap { source in
                    [3, 12].flatMap { count in
                        [SimulatedMarket.ourVendor, SimulatedMarket.otherVendor, 5].map {
                            Trial(profile: profile, shop: shop, source: source, count: count, claim: $0)
                        }
                    }
                }
            }
        }
        // A saved plan is not carried out without its state, and a new shop has nothing to pin.
        static let possible = all.filter {
            !($0.source == .savedPlan && $0.shop == .stateLost) && !($0.source == .pins && $0.shop == .new)
        }

        var profile: MarketProfile
        var shop: Shop
        var source: Source
        var count: Int
        var claim: Int64

        var isRight: Bool { claim == SimulatedMarket.ourVendor }
        var testDescription: String { "\(profile), \(shop), \(source), \(count), \(claim)" }
    }

    @Test(arguments: Trial.possible)
    func `a claim is believed as far as the market confirms it`(trial: Trial) throws {
        let shop = ApplySimulation(seed: 1, profile: trial.profile)
        let before = (1...trial.count).map {
            Listing.with(key: "lamp-\($0)", name: "Lamp \($0)", price: 100, pictures: [1])
        }
        let after = before + [Listing.with(key: "new", name: "New lamp", price: 100, pictures: [2])]
        // Another vendor sells something, which shows its number.
        shop.market.add(Listing.with(key: "theirs", name: "Their sofa", price: 9, pictures: [3]).values, isOurs: false)
        let kept = MemoryState(wallTime: { shop.simulation.wall })

        @Sendable func session<Result: Sendable>(
            _ state: MemoryState,
            _ body: (Session) async throws -> Result
        ) async throws -> Result {
            try await state.holding(shop.scope, for: "test") { try await body(shop.session($0)) }
        }

        let (endedBy, refused) = try shop.simulation.scheduler.run { () async throws -> (StopReason?, Bool) in
            if trial.shop != .new {
                _ = try await session(kept) { try await $0.apply(Manifest(before, trial.profile)) }
            }
            let state = trial.shop == .stateLost ? MemoryState(wallTime: { shop.simulation.wall }) : kept
            var listings = after
            var options = PlannerOptions()
            switch trial.source {
            case .manifest, .savedPlan: break
            case .adopting: options.adopts = true
            case .pins:
                for index in before.indices {
                    listings[index].pinnedID = shop.market.ours.first { $0.name == before[index].values.name }?.id
                }
            }
            let wanted = listings
            do {
                return try await session(state) { session in
                    guard trial.source == .savedPlan else {
                        let manifest = Manifest(wanted, trial.profile, vendorID: trial.claim)
                        let result = try await session.apply(manifest, options: options)
                        return (result.result?.endedBy, false)
                    }
                    // The number in the saved plan is edited.
                    let planned = try await session.plan(Manifest(wanted, trial.profile))
                    var saved = SavedPlan(
                        planned,
                        tool: "test",
                        scope: shop.scope,
                        profile: shop.profile,
                        manifest: Manifest(wanted, trial.profile),
                        state: session.state.location,
                        lastRun: try await session.state.runs(limit: 1).first?.record.id,
                        in: "/shop"
                    )
                    saved.plan.namesakes.vendorID = trial.claim
                    return (try await session.apply(saved).result?.endedBy, false)
                }
            } catch let failure as CommandFailure where failure == .unsoundPlan {
                return (nil, true)
            }
        }

        let names = shop.market.ours.compactMap(\.name).sorted()
        let listed = (trial.shop == .new ? [] : before).compactMap(\.values.name)
        guard trial.isRight else {
            // Nothing is left of what was made before the market showed who we are.
            #expect(names == listed.sorted())
            let isIdentity = if case .identity? = endedBy { true } else { false }
            #expect(refused || isIdentity)
            let creates = shop.market.requests.count { $0.step == .create }
            #expect(creates <= listed.count + (trial.shop == .new ? 1 : 0))
            return
        }
        #expect(!refused)
        #expect(endedBy == nil)
        #expect(names == after.compactMap(\.values.name).sorted())
    }

    /// The market was set up again, and another machine listed the catalog there: our number is another one now.
    @Test(arguments: [MarketProfile.v2a, .v2b], [false, true])
    func `a number that only a state without products says is tried with one product`(
        profile: MarketProfile,
        hasNew: Bool
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        let listed = (1...4).map { Listing.with(key: "lamp-\($0)", name: "Lamp \($0)", price: 100, pictures: [1]) }
        for listing in listed { shop.market.add(listing.values, isOurs: true) }
        let wanted = listed + (hasNew ? [Listing.with(key: "new", name: "New lamp", price: 100, pictures: [2])] : [])
        let endedBy = try shop.simulation.scheduler.run { () async throws -> StopReason? in
            try await shop.state.holding(shop.scope, for: "test") { try await $0.apply([.vendor(5)]) }
            return try await shop.apply(wanted, run: 1, configuration: shop.configuration()).1.endedBy
        }
        let contradiction = VendorContradiction(claimed: 5, confirmed: SimulatedMarket.ourVendor, evidence: .reply)
        #expect(endedBy == .identity(contradiction))
        #expect(shop.market.ours.compactMap(\.name) == listed.compactMap(\.values.name))
        // What the market said is known from then on.
        let failure = try shop.simulation.scheduler.run { () async throws -> String? in
            _ = try await shop.apply(wanted, run: 2, configuration: shop.configuration())
            return try await shop.difference(from: wanted)
        }
        #expect(failure == nil)
    }

    @Test(arguments: [MarketProfile.v2a, .v2b], [1, 2])
    func `a product of another vendor is neither taken over nor made again, whoever says its id`(
        profile: MarketProfile,
        picture: UInt8
    ) throws {
        let shop = ApplySimulation(seed: 1, profile: profile)
        var listing = Listing.with(key: "sofa", name: "Their sofa", price: 9, pictures: [1])
        let theirs = shop.market.add(listing.values, isOurs: false)
        listing = Listing.with(key: "sofa", name: "Their sofa", price: 9, pictures: [picture])
        listing.pinnedID = theirs
        let wanted = listing
        let result = try shop.simulation.scheduler.run { try await shop.apply(Manifest([wanted], profile)) }
        #expect(
            result?.endedBy
                == .identity(
                    VendorContradiction(
                        claimed: SimulatedMarket.otherVendor,
                        confirmed: nil,
                        evidence: .deniedProduct(theirs)
                    )
                )
        )
        #expect(shop.market.ours == [])
        #expect(shop.snapshot.entries.isEmpty)
        #expect(shop.market.requests.map(\.step) == [.deleteKey])
    }

    @Test(arguments: [
        WriteOutcome.refused(WriteRefusal(.notFound, status: 404, message: "Not Found")),
        .uncertain(WriteTrouble("timed out")),
    ])
    func `a product is not taken over while the market does not say that it is ours`(answer: WriteOutcome) throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        var listing = Listing.with(key: "sofa", name: "Their sofa", price: 9, pictures: [1])
        let theirs = shop.market.add(listing.values, isOurs: false)
        listing.pinnedID = theirs
        shop.market.script(Array(repeating: answer, count: 6))
        let manifest = Manifest([listing], .v2b, vendorID: SimulatedMarket.otherVendor)
        let result = try shop.simulation.scheduler.run { try await shop.apply(manifest) }
        let denied = VendorContradiction(
            claimed: SimulatedMarket.otherVendor,
            confirmed: nil,
            evidence: .deniedProduct(theirs)
        )
        if case .refused = answer {
            #expect(result?.endedBy == .identity(denied))
        } else {
            #expect(result?.endedBy == .marketUnreachable("timed out"))
        }
        #expect(shop.snapshot.entries.isEmpty)
    }

    /// A slip in `id:` would bind another vendor's product, and say who we are by it.
    @Test(arguments: [true, false])
    func `a product that the manifest says a create made is not another vendor's`(isOurs: Bool) throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let other = Listing.with(key: "sofa", name: "Sofa", price: 9, pictures: [3])
        let sofa = shop.market.add(other.values, isOurs: isOurs)
        let settled = try shop.simulation.scheduler.run { () async throws -> [Recovery.Settled] in
            try await shop.state.holding(shop.scope, for: "test") { session in
                try await session.leave([(lamp.create, [.sent(.create, highWater: nil)])])
            }
            return try await shop.settle(pinnedID: { _ in sofa }).settled
        }
        #expect(settled.map(\.isOpen) == [!isOurs])
        #expect(shop.snapshot.entries["lamp"]?.id == (isOurs ? sofa : nil))
        #expect(shop.snapshot.vendorID == (isOurs ? SimulatedMarket.ourVendor : nil))
        // Its picture is not known to be the one that was sent.
        #expect(shop.snapshot.entries["lamp"]?.images == nil)
    }

    /// How a run ends that is told a number, on a market that has one product.
    private static func run(
        claim: Int64,
        besideOurs isOurs: Bool,
        _ shown: Listing,
        others: [Listing] = [],
        answers: [WriteOutcome] = []
    ) throws -> (shop: ApplySimulation, evidence: VendorIdentity.Evidence?) {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.add(shown.values, isOurs: isOurs)
        shop.market.script(answers)
        var configuration = shop.configuration()
        configuration.confirmsOwners = false
        let wanted = [Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])] + others
        let endedBy = try shop.simulation.scheduler.run { [configuration] () async throws -> StopReason? in
            try await shop.apply(wanted, run: 1, configuration: configuration, claim: claim).result.endedBy
        }
        guard case .identity(let contradiction)? = endedBy else { return (shop, nil) }
        return (shop, contradiction.evidence)
    }

    @Test func `nothing is made under a number whose product is refused to us`() throws {
        let sofa = Listing.with(key: "sofa", name: "Their sofa", price: 9, pictures: [3])
        let (shop, evidence) = try Self.run(claim: SimulatedMarket.otherVendor, besideOurs: false, sofa)
        #expect(evidence == .deniedKey(100))
        #expect(shop.market.requests.map(\.step) == [.deleteKey])
    }

    @Test func `no namesake of another number is made while nothing shows that the own one is right`() throws {
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        let others = ["Fan", "Mug"].map { Listing.with(key: $0, name: $0, price: 5, pictures: [2]) }
        let refusal = WriteOutcome.refused(WriteRefusal(.other, status: 400, message: "not now"))
        let answers = [refusal, refusal]
        let (shop, evidence) = try Self.run(claim: 5, besideOurs: true, lamp, others: others, answers: answers)
        #expect(evidence == .nothing)
        #expect(shop.market.requests.map(\.step) == [.create, .create])
    }

    @Test func `a product that is taken over by a number is not written to before the market says that it is ours`()
        throws
    {
        let dearer = Listing.with(key: "lamp", name: "Desk lamp", price: 120, pictures: [1])
        let silence = Array(repeating: WriteOutcome.notSent(WriteTrouble("timed out")), count: 6)
        let (shop, evidence) = try Self.run(
            claim: SimulatedMarket.otherVendor,
            besideOurs: false,
            dearer,
            answers: silence
        )
        #expect(evidence == .nothing)
        #expect(shop.market.trespasses == [])
        #expect(shop.snapshot.entries.isEmpty)
    }

    /// The first create is taken back; the process dies at each of its moments in turn.
    @Test(arguments: [MarketProfile.v2a, .v2b])
    func `a crash while a product is taken back leaves nothing behind`(profile: MarketProfile) async throws {
        let listings = (1...4).map { Listing.with(key: "lamp-\($0)", name: "Lamp \($0)", price: 100, pictures: [1]) }
        var moment = 0
        var moments = 0
        while true {
            await Task.yield()
            moment += 1
            let shop = ApplySimulation(seed: UInt64(moment), profile: profile)
            let crashAt = moment
            let crashed = try shop.simulation.scheduler.run { () async throws -> Bool in
                shop.simulation.restart(crashAt: crashAt)
                do {
                    let (_, result) = try await shop.apply(
                        listings,
                        run: 1,
                        configuration: shop.configuration(),
                        claim: 5
                    )
                    #expect(shop.market.ours == [])
                    guard case .identity? = result.endedBy else {
                        Issue.record("ended by \(String(describing: result.endedBy))")
                        return false
                    }
                    return false
                } catch is Crash {
                    shop.simulation.restart()
                    // Still the wrong number, then none.
                    for run in 2..<4 {
                        _ = try? await shop.apply(listings, run: run, configuration: shop.configuration(), claim: 5)
                    }
                    // Where the reply was lost, the next run found the product. It shows who we are, and so does one that
                    // is still to be taken back: nothing more is made.
                    let owed = try await shop.state.reading(shop.scope) { try await $0.unresolved() }.compactMap(
                        \.created
                    )
                    let known = shop.snapshot.entries.values.map(\.id) + owed
                    #expect(shop.market.ours.map(\.id) == known, "crash at \(crashAt)")
                    #expect(known.count < 2)
                    return true
                }
            }
            shop.simulation.restart()
            let failure = try shop.simulation.scheduler.run { () async throws -> String? in
                for run in 4..<7 { _ = try await shop.apply(listings, run: run, configuration: shop.configuration()) }
                return try await shop.difference(from: listings)
            }
            #expect(failure == nil, "\(profile), crash at \(crashAt)")
            guard crashed else { break }
            moments += 1
        }
        #expect(moments > 10)
    }

    @Test func `no create leaves beside the first one before its reply says who we are`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b, keepsTrace: true)
        let listings = (1...6).map { Listing.with(key: "lamp-\($0)", name: "Lamp \($0)", price: 100, pictures: [1]) }
        _ = try shop.simulation.scheduler.run {
            try await shop.apply(listings, run: 1, configuration: shop.configuration(parallelism: 4))
        }
        // The second `sent` comes behind the first `succeeded`; then they leave side by side.
        let steps = shop.simulation.trace.compactMap { line -> String? in
            guard let range = line.firstRange(of: "journal ") else { return nil }
            return line[range.upperBound...].split(separator: " ").dropFirst().first.map { String($0.prefix(4)) }
        }
        #expect(steps.prefix(4) == ["sent", "succ", "sent", "sent"])
        #expect(shop.market.requests.map(\.step) == Array(repeating: .create, count: 6))
    }
}
