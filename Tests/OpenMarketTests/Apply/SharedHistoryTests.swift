import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// No crash, freeze, lost reply or retry of any of the sessions that share a run makes a second listing, loses one, or
/// forgets one.
///
/// `OPENMARKET_SEED=n` runs one history.
struct SharedHistoryTests {
    @Test(arguments: 0..<4)
    func `every history of a shared run ends with the manifest on the market, once`(part: UInt64) async {
        await expectNone(of: 2_000, part: part) {
            try SharedHistory(seed: $0, keepsTrace: TestScope.onlySeed != nil).failure()
        }
    }

    /// Shows that the judge sees what each net is for.
    @Test(arguments: SharedRunParticipant.Net.allCases)
    func `without one of its nets a history of a shared run fails`(net: SharedRunParticipant.Net) async throws {
        try await expectOne(of: 2000, without: "\(net)") {
            try SharedHistory(seed: $0, missing: net).failure() != nil
        }
    }

    /// Shows that the judge sees what becomes of a create that is taken over and sent again under another key.
    @Test func `without the repeat key of its creates a history of a shared run fails`() async throws {
        try await expectOne(of: 2000, without: "the repeat key") {
            try SharedHistory(seed: $0, forgetsRepeatKeys: true).failure() != nil
        }
    }

    /// What happens to one of two sessions.
    enum Event: CaseIterable {
        case death
        /// Stopped for longer than its lease.
        case freeze
        /// Stopped for less, while another machine ends the session.
        case fencing
    }

    @Test(arguments: Event.allCases, [0, 1])
    func `whatever happens to one of two sessions at any moment, the other goes on`(
        event: Event,
        victim: Int
    ) async throws {
        for profile in [MarketProfile.v1b, .v2b] {
            var moment = 0
            while true {
                await Task.yield()
                moment += 1
                let (failure, isReached) = try Self.failure(of: event, victim: victim, at: moment, profile)
                #expect(failure == nil, "\(profile), \(event) of session \(victim) at \(moment)")
                guard isReached, failure == nil else { break }
            }
            #expect(moment > 20)
        }
    }

    private static let before = Listing.before
    private static var after: [Listing] {
        var after = Listing.after
        after.insert(.with(key: "single", name: "Single", price: 500, pictures: [7]), at: 4)
        return after
    }

    private static func failure(
        of event: Event,
        victim: Int,
        at moment: Int,
        _ profile: MarketProfile
    ) throws -> (String?, isReached: Bool) {
        let lifetime = SharedRunParticipant.lifetime
        let shop = ApplySimulation(seed: UInt64(moment), profile: profile, lifetime: lifetime, sharesRuns: true)
        let simulation = shop.simulation
        var participants = [SharedRunParticipant(), SharedRunParticipant()]
        for index in participants.indices { (participants[index].parallelism, participants[index].chunkSize) = (1, 1) }
        switch event {
        case .death: participants[victim].fate.crashAt = moment
        case .freeze: (participants[victim].fate.freezeAt, participants[victim].fate.freezeFor) = (moment, .seconds(90))
        case .fencing:
            (participants[victim].fate.freezeAt, participants[victim].fate.freezeFor) = (moment, .seconds(8))
            participants[victim].isFenced = true
        }
        return try simulation.scheduler.run { [participants] in
            _ = try await shop.apply(before, run: 0, configuration: shop.configuration())
            try await simulation.clock.sleep(for: .seconds(10))
            shop.market.answer(after: .seconds(1))
            let processes = try await SharedHistory.carryOut(participants, after, run: 1, in: shop)
            let victim = processes[victim]
            if let fault = try await shop.doubled(after, besides: before) { return (fault, true) }
            shop.market.answer(after: .zero)
            for run in 2..<5 {
                let (plan, _) = try await shop.apply(
                    after,
                    run: run,
                    configuration: shop.configuration(),
                    waiting: .seconds(90)
                )
                if plan.isEmpty { break }
            }
            return (try await shop.difference(from: after), victim.isDead || victim.wasFrozen)
        }
    }
}

/// A shop's history in which several sessions carry out each run.
struct SharedHistory {
    let seed: UInt64
    var missing: SharedRunParticipant.Net?
    /// Whether the market carries out again what is sent again, for a test of the judge.
    var forgetsRepeatKeys = false
    var keepsTrace = false

    /// What is wrong at the end; `nil` when nothing is.
    func failure() throws -> String? {
        var dice = SeededGenerator(seed: seed)
        let isDescribed = missing == nil && Int.random(in: 0..<3, using: &dice) == 0
        let drawn = isDescribed || forgetsRepeatKeys ? repeating(&dice) : nil
        var traits = drawn == nil ? MarketTraits() : MarketTraits(&dice)
        if forgetsRepeatKeys { traits.missing = .idempotencyKey }
        let profile = try drawn?.profile() ?? MarketProfile.builtIns.randomElement(using: &dice) ?? .v2b
        let capabilities = profile.capabilities
        let simulation = Simulation(seed: dice.next(), keepsTrace: keepsTrace)
        let shop = ApplySimulation(
            profile: profile,
            traits: traits,
            simulation: simulation,
            sendsKeys: capabilities.carriesKeys,
            lifetime: SharedRunParticipant.lifetime,
            sharesRuns: true
        )
        let isCalm = missing == nil && !forgetsRepeatKeys
        let faults = isCalm ? Faults(&dice) : Faults(&dice, severities: [0.3])
        var manifests: [[Listing]] = []
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            manifests.append(
                drawn.map { GradeHistory.manifest(&dice, after: manifests, capabilities, $0.currency) }
                    ?? Self.manifest(&dice, before: manifests.last ?? [])
            )
        }
        let rounds = manifests.map { listings in
            (listings, (0..<Int.random(in: 1...2, using: &dice)).map { _ in participants(&dice) })
        }
        let last = manifests[manifests.count - 1]
        let failure = try simulation.scheduler.run { () -> String? in
            var run = 0
            var before: [Listing] = []
            for (listings, attempts) in rounds {
                for participants in attempts {
                    run += 1
                    shop.market.set(faults)
                    simulation.log("run \(run): \(participants)")
                    _ = try await Self.carryOut(participants, listings, run: run, in: shop)
                    if let fault = try await shop.doubled(listings, besides: before) { return fault }
                }
                before += listings
            }
            shop.market.set(.none)
            let foreign = shop.market.foreign
            for _ in 0..<4 {
                run += 1
                _ = try await Self.carryOut([SharedRunParticipant()], last, run: run, in: shop)
            }
            if shop.market.foreign != foreign { return "a foreign product was touched" }
            return try await shop.difference(from: last)
        }
        return failure.map { ([$0, "\(profile)"] + simulation.trace).joined(separator: "\n") }
    }

    /// A market that carries out a create that is sent again only once, so that whoever takes a create over sends it again
    /// with the key of the session that is gone.
    private func repeating(_ dice: inout SeededGenerator) -> DrawnDescription {
        var drawn = DrawnDescription(&dice)
        drawn.repeatHours = [1, 24].randomElement(using: &dice) ?? 1
        // The judge looks for names, and asks for no replace.
        drawn.normalised.remove(.name)
        if drawn.uniqueness == .enforced { drawn.uniqueness = .unenforced }
        drawn.changesPicturesInPlace = true
        if drawn.style == .attach { drawn.style = .parts }
        // Nothing else shows whose a product is, or that it was made.
        if forgetsRepeatKeys { (drawn.ids, drawn.uniqueness, drawn.showsOwner) = (.rising, .unenforced, false) }
        return drawn
    }

    /// Lets all sessions of a run do their part.
    static func carryOut(
        _ participants: [SharedRunParticipant],
        _ listings: [Listing],
        run: Int,
        in shop: ApplySimulation
    ) async throws -> [SimulatedProcess] {
        try await withThrowingTaskGroup(of: (Int, SimulatedProcess).self) { group in
            for (index, participant) in participants.enumerated() {
                group.addTask {
                    (index, try await participant.takePart(listings, run: run, begins: index == 0, in: shop))
                }
            }
            var processes: [(Int, SimulatedProcess)] = []
            for try await process in group { processes.append(process) }
            return processes.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func participants(_ dice: inout SeededGenerator) -> [SharedRunParticipant] {
        let chunkSize = Int.random(in: 1...4, using: &dice)
        let count = missing == nil ? Int.random(in: 1...4, using: &dice) : 3
        return (0..<count).map { index in
            var participant = SharedRunParticipant(chunkSize: chunkSize, missing: missing)
            participant.parallelism = .random(in: 1...3, using: &dice)
            participant.delay = .milliseconds(index * .random(in: 0...400, using: &dice))
            let freezes: [(Duration, isFenced: Bool)] = [
                (.seconds(2), false), (.seconds(8), false), (.seconds(8), true), (.seconds(45), false),
                (.seconds(45), true), (.seconds(120), false),
            ]
            switch Int.random(in: 0..<10, using: &dice) {
            case 0, 1, 2: participant.fate.crashAt = .random(in: 1...80, using: &dice)
            case 3, 4, 5:
                let freeze = freezes.randomElement(using: &dice) ?? (.seconds(8), true)
                participant.fate.freezeAt = .random(in: 1...80, using: &dice)
                (participant.fate.freezeFor, participant.isFenced) = freeze
            case 6: participant.fate.drainAt = .random(in: 1...80, using: &dice)
            default: break
            }
            return participant
        }
    }

    /// A manifest that has something in common with the one before, and twins.
    private static func manifest(_ dice: inout SeededGenerator, before: [Listing]) -> [Listing] {
        ["a", "b", "c", "d", "e", "f", "g", "h"].compactMap { key in
            if let old = before.first(where: { $0.key == key }), Int.random(in: 0..<3, using: &dice) == 0 { return old }
            guard Int.random(in: 0..<4, using: &dice) > 0 else { return nil }
            return .with(
                key: key,
                name: ["Desk lamp", "Twin", "Twin", "Old phone", "Lamp \(key)"].randomElement(using: &dice) ?? "",
                price: [100, 100, 200].randomElement(using: &dice) ?? 100,
                sale: [.fullPrice, .fullPrice, .price(90)].randomElement(using: &dice) ?? .fullPrice,
                pictures: [[1], [2], [1, 2], [2, 3]].randomElement(using: &dice) ?? [1]
            )
        }
    }
}

extension ApplySimulation {
    /// What is there more often than any of these manifests wants it, when all sessions of a run have ended.
    func doubled(_ listings: [Listing], besides before: [Listing]) async throws -> String? {
        try await simulation.clock.sleep(for: .seconds(10))
        market.carryOutLate()
        let (disowned, basis) = try await state.reading(scope) { (try await $0.orphans(), try await $0.basis()) }
        let known = Set(basis.snapshot.entries.ids)
        let present = Set(market.ours.map(\.id))
        let orphans = disowned.filter { orphan in
            // A run may have taken it for its own, and replaced it, before the session that made it wrote it down.
            guard present.contains(orphan.id) else { return false }
            // What made it may turn out to have made it.
            let isOpen = basis.unresolved.contains { $0.run == orphan.run && $0.sequence == orphan.sequence }
            return !known.contains(orphan.id) && !isOpen
        }
        guard orphans.isEmpty else { return "made by sessions that were over: \(orphans.map(\.id))" }
        guard before.isEmpty else { return nil }
        let ours = Dictionary(grouping: market.ours) { $0.name ?? "" }
        let wanted = Dictionary(grouping: listings) { $0.values.name ?? "" }
        for (name, products) in ours where products.count > wanted[name]?.count ?? 0 {
            return "'\(name)' is there \(products.count) times: \(products.map(\.id))"
        }
        return nil
    }
}
