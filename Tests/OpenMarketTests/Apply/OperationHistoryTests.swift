import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// No crash, lost reply or retry ever makes a second listing, loses one, or forgets one.
///
/// Random shops, plans, faults, neighbours, interleavings and crashes, all drawn from a seed. `OPENMARKET_SEED=n` runs
/// one history.
struct OperationHistoryTests {
    @Test(arguments: 0..<4)
    func `every history ends with the manifest on the market, once`(part: UInt64) async {
        await expectNone(of: 10_000, part: part) {
            try ApplyHistory(seed: $0, keepsTrace: TestScope.onlySeed != nil).failure()
        }
    }

    /// One shop, one change of the manifest, and a crash at each of its moments in turn.
    @Test(arguments: MarketProfile.builtIns)
    func `a crash at every moment of a run is survived`(profile: MarketProfile) async throws {
        let (before, after) = (Listing.before, Listing.after)
        var moment = 0
        while true {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            moment += 1
            let shop = ApplySimulation(seed: UInt64(moment), profile: profile)
            let crashAt = moment
            let crashed = try shop.simulation.scheduler.run {
                _ = try await shop.apply(before, run: 0, configuration: shop.configuration())
                try await shop.simulation.clock.sleep(for: .seconds(10))
                shop.simulation.restart(crashAt: crashAt)
                do {
                    _ = try await shop.apply(after, run: 1, configuration: shop.configuration())
                    return false
                } catch is Crash {
                    shop.simulation.restart()
                    // Run again at once, on v1 before the last writes show, then until nothing is left to do.
                    for run in 2..<5 { _ = try await shop.apply(after, run: run, configuration: shop.configuration()) }
                    return true
                }
            }
            shop.simulation.restart()
            let failure = try shop.simulation.scheduler.run { try await shop.difference(from: after) }
            #expect(failure == nil, "\(profile), crash at \(crashAt)")
            guard crashed else { break }
        }
        #expect(moment > 30)
    }
}

/// A shop's history: manifests applied under faults and crashes until all is quiet.
struct ApplyHistory {
    let seed: UInt64
    var keepsTrace = false

    /// What is wrong at the end; `nil` when nothing is.
    func failure() throws -> String? {
        var generator = SeededGenerator(seed: seed)
        let profile = MarketProfile.builtIns.randomElement(using: &generator) ?? .v2b
        let simulation = Simulation(seed: generator.next(), keepsTrace: keepsTrace)
        let shop = ApplySimulation(
            profile: profile,
            simulation: simulation,
            database: seed < 2000 ? try StateInMemory(simulation) : nil
        )
        let faults = Faults(&generator)
        var manifests = [Self.manifest(&generator, before: [], profile: profile)]
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            manifests.append(Self.manifest(&generator, before: manifests[manifests.count - 1], profile: profile))
        }
        let steps = manifests
        let attempts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in Attempt(&generator) }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            if let values = manifests[0].randomElement(using: &generator)?.values {
                shop.market.add(values, isOurs: false)
            }
        }

        let failure = try shop.simulation.scheduler.run { () -> String? in
            var run = 0
            for listings in steps {
                shop.market.set(faults)
                for attempt in attempts {
                    run += 1
                    try await attempt.carryOut(listings, in: shop, run: run)
                }
            }
            let last = steps[steps.count - 1]
            shop.market.set(.none)
            shop.simulation.restart()
            let foreign = shop.market.foreign
            // Once to settle and do, and again where the last writes did not show at once (v1).
            for _ in 0..<4 {
                run += 1
                let (plan, _) = try await shop.apply(last, run: run, configuration: shop.configuration())
                if plan.isEmpty { break }
            }
            if shop.market.foreign != foreign { return "a foreign product was touched" }
            return try await shop.difference(from: last)
        }
        return failure.map { ([$0, "\(profile)"] + shop.simulation.trace).joined(separator: "\n") }
    }

    /// How the process fares in one run of a history.
    private struct Attempt: Sendable {
        var crashAt: Int?
        var drainAt: Int?
        var cancelAfter: Duration?
        var parallelism: Int
        var staleCheck: Bool
        /// A vendor number that a person typed and that is not ours.
        var wrongNumber: Int64?

        init(_ generator: inout SeededGenerator) {
            let kind = Int.random(in: 0..<10, using: &generator)
            crashAt = kind < 6 ? .random(in: 1...60, using: &generator) : nil
            drainAt = kind == 6 ? .random(in: 1...60, using: &generator) : nil
            cancelAfter = kind == 7 ? .milliseconds(.random(in: 1...6000, using: &generator)) : nil
            parallelism = .random(in: 1...4, using: &generator)
            staleCheck = .random(using: &generator)
            let numbers = [5, SimulatedMarket.otherVendor]
            wrongNumber = kind % 4 == 3 ? numbers.randomElement(using: &generator) : nil
        }

        func carryOut(_ listings: [Listing], in shop: ApplySimulation, run: Int) async throws {
            let drain = StopSignal()
            shop.simulation.log("run \(run): \(self)")
            shop.simulation.restart(crashAt: crashAt, drainAt: drainAt) { drain.trigger() }
            let configuration = shop.configuration(parallelism: parallelism, staleCheck: staleCheck)
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        _ = try await shop.apply(
                            listings,
                            run: run,
                            configuration: configuration,
                            claim: wrongNumber,
                            drain: drain
                        )
                    }
                    if let cancelAfter {
                        group.addTask {
                            try await shop.simulation.clock.sleep(for: cancelAfter)
                            throw CancellationError()
                        }
                    }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            } catch is Crash {
            } catch is CancellationError {
            } catch is CommandFailure {
                // A number that is not ours was found out.
            } catch is MarketError {
                // The market could not be read: the command ends, the next one tries again.
            }
        }
    }

    /// A manifest that has something in common with the one before, and twins.
    static func manifest(
        _ generator: inout SeededGenerator,
        before: [Listing],
        profile: MarketProfile
    ) -> [Listing] {
        let keys = ["a", "b", "c", "d", "e", "f"]
        return keys.compactMap { key in
            if let old = before.first(where: { $0.key == key }), Int.random(in: 0..<3, using: &generator) == 0 {
                return old
            }
            guard Int.random(in: 0..<3, using: &generator) > 0 else { return nil }
            let pictures: [UInt8] = [[1], [2], [1, 2], [2, 3]].randomElement(using: &generator) ?? [1]
            return .with(
                key: key,
                name: ["Desk lamp", "Twin", "Twin", "Old phone"].randomElement(using: &generator) ?? "",
                price: [100, 100, 200].randomElement(using: &generator) ?? 100,
                sale: [.fullPrice, .fullPrice, .price(90)].randomElement(using: &generator) ?? .fullPrice,
                pictures: pictures,
                thumbnail: profile.capabilities.thumbnailIsChosen && Bool.random(using: &generator)
                    ? pictures.randomElement(using: &generator) : nil
            )
        }
    }
}

extension ApplySimulation {
    /// What differs between the market, the state and the manifest; `nil` when nothing does.
    func difference(from listings: [Listing]) async throws -> String? {
        // Whatever is still to happen happens.
        try await simulation.clock.sleep(for: .seconds(10))
        market.carryOutLate()
        guard market.trespasses.isEmpty else { return "others' products: \(market.trespasses)" }
        let ours = market.ours
        if ours.isEmpty, capabilities.answersDeniedAsMissing {
            // Before the first product, nothing shows whether a refused password is right: twins of others stay in
            // question, and their names with them.
            let open = try await backend.reading(scope) { try await $0.unresolved() }
            let held = Set(open.flatMap { [$0.operation.key, $0.operation.name ?? ""] })
            if !open.isEmpty, listings.allSatisfy({ held.contains($0.key) || held.contains($0.values.name ?? "") }) {
                return nil
            }
        }
        guard ours.count == listings.count else {
            return "\(ours.count) products on the market instead of \(listings.count): "
                + ours.map { "\($0.id) \($0.name ?? "")" }.joined(separator: ", ")
        }
        let entries = try await backend.reading(scope) { try await $0.snapshot() }.entries
        guard entries.count == listings.count, Set(entries.values.map(\.id)).count == listings.count else {
            return "the state knows \(entries.mapValues(\.id)) instead of \(listings.map(\.key))"
        }
        for listing in listings {
            guard let entry = entries[listing.key], let product = ours.first(where: { $0.id == entry.id }) else {
                return "\(listing.key) is not on the market"
            }
            if sendsKeys, capabilities.key?.isChangeable == true, !market.traits.shoutsKeys, product.key != listing.key
            {
                return "\(listing.key) carries the key \(product.key ?? "")"
            }
            let differences = WriteComparison.differences(
                sent: listing.values,
                fields: Set(ProductField.allCases),
                shown: product,
                normalised: capabilities.normalisedFields
            )
            guard differences.isEmpty else { return "\(listing.key): \(differences)" }
            var digests: [ContentDigest] = []
            for image in product.images ?? [] { digests.append(try await market.pictureDigest(at: image.url)) }
            guard digests == listing.pictures.map(\.digest) else { return "\(listing.key) has other pictures" }
        }
        let open = try await backend.reading(scope) { try await $0.unresolved() }
        guard open.isEmpty else { return "unresolved: \(open.map(\.operation.key))" }
        let resolution = try await preview()
        let (plan, _, _) = try await plan(listings, resolution)
        guard plan.isEmpty else {
            return "still to do: \(plan.operations.map { "\($0.action) \($0.key): \($0.changes)" })"
        }
        return nil
    }
}
