import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization
import Testing

/// What a session does whose time is over, or that is ordered to stop or to wait.
struct DeadlineTests {
    private static let (before, after) = (Listing.before, Listing.after)

    private static func shop(_ seed: UInt64, _ profile: MarketProfile) -> ApplySimulation {
        ApplySimulation(seed: seed, profile: profile, lifetime: .seconds(30))
    }

    /// What became of a process that was frozen between an intent and its request, for longer than its lease.
    private struct Frozen {
        /// Whether there was such a moment at all.
        var isFrozen: Bool
        /// How many products were there once both sessions had ended.
        var products: Int
        /// What is wrong after the next apply.
        var difference: String?
        /// What ended the frozen session.
        var error: StateError.Code?
        /// What the next plan was to delete.
        var deletes: [String]
    }

    private static func freeze(
        at moment: Int,
        _ profile: MarketProfile,
        hasDeadline: Bool
    ) throws -> Frozen {
        let shop = shop(UInt64(moment), profile)
        let count = Monitor(0)
        return try shop.simulation.scheduler.run {
            _ = try await shop.apply(before, run: 0, configuration: shop.configuration())
            try await shop.simulation.clock.sleep(for: .seconds(10))
            async let first = { () async throws -> StateError.Code? in
                do {
                    _ = try await shop.apply(
                        after,
                        run: 1,
                        configuration: shop.configuration(parallelism: 1),
                        through: { session in
                            TamperedSession(inner: session, hasDeadline: hasDeadline) { event, orders in
                                guard case .sent = event.fact else { return orders }
                                guard count.counted() == moment else { return orders }
                                await shop.simulation.scheduler.pass(.seconds(120))
                                return orders
                            }
                        }
                    )
                    return nil
                } catch let lost as LostRun {
                    return lost.reason.code
                }
            }()
            try await shop.simulation.clock.sleep(for: .milliseconds(1))
            _ = try await shop.apply(after, run: 2, configuration: shop.configuration(), waiting: .seconds(60))
            let error = try await first
            shop.market.carryOutLate()
            let products = shop.market.ours.count
            try await shop.simulation.clock.sleep(for: .seconds(10))
            let (plan, _) = try await shop.apply(after, run: 3, configuration: shop.configuration())
            return Frozen(
                isFrozen: count.withLock { $0 } >= moment,
                products: products,
                difference: try await shop.difference(from: after),
                error: error,
                deletes: plan.operations.filter { $0.action == .delete }.map(\.reason)
            )
        }
    }

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `a process frozen between intent and request sends nothing when it wakes`(profile: MarketProfile) async throws
    {
        var moment = 1
        while true {
            await Task.yield()
            let frozen = try Self.freeze(at: moment, profile, hasDeadline: true)
            #expect(frozen.difference == nil, "\(profile), frozen at \(moment)")
            guard frozen.isFrozen else { break }
            #expect(frozen.products == Self.after.count, "\(profile), frozen at \(moment)")
            #expect(frozen.error == .superseded, "\(profile), frozen at \(moment)")
            #expect(frozen.deletes == [], "\(profile), frozen at \(moment)")
            moment += 1
        }
        #expect(moment > 5)
    }

    @Test(arguments: [MarketProfile.v1b, .v2b])
    func `without the deadline it makes products twice, and the next plan deletes the orphans`(
        profile: MarketProfile
    ) async throws {
        var doubled = 0
        var moment = 1
        while true {
            await Task.yield()
            let frozen = try Self.freeze(at: moment, profile, hasDeadline: false)
            guard frozen.isFrozen else { break }
            let extra = frozen.products - Self.after.count
            #expect(frozen.deletes.count == extra, "\(profile), frozen at \(moment)")
            #expect(frozen.deletes.allSatisfy { $0.contains("by a session that another one had replaced") })
            #expect(frozen.difference == nil, "\(profile), frozen at \(moment)")
            doubled += extra
            moment += 1
        }
        #expect(doubled > 0)
    }

    // MARK: - Orders

    private static let three = (0..<3).map { index in
        Listing.with(key: "key-\(index)", name: "Lamp \(index)", price: 100, pictures: [1])
    }

    /// Makes three products, one after the other.
    private static func run(
        on shop: ApplySimulation,
        _ configuration: ExecutorConfiguration? = nil,
        through tamper: (any StateSession) -> any StateSession = { $0 }
    ) async throws -> RunResult {
        let configuration = configuration ?? shop.configuration(parallelism: 1)
        return try await shop.run(three.map(\.create), configuration: configuration, highWater: 41, through: tamper)
    }

    @Test func `an ordered pause is waited for, and costs no attempt`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        var configuration = shop.configuration(parallelism: 1)
        configuration.maximumAttempts = 1
        let facts = Monitor(0)
        let result = try shop.simulation.scheduler.run { [configuration] in
            try await Self.run(on: shop, configuration) { session in
                TamperedSession(inner: session) { _, orders in
                    facts.counted() == 1 ? StateDirectives(pause: .seconds(60)) : orders
                }
            }
        }
        #expect(result.totals.done == 3)
        #expect(shop.market.requests.count == 3)
        #expect(shop.simulation.now > .seconds(60) && shop.simulation.now < .seconds(62))
        #expect(shop.facts(RunID(rawValue: "test-0"), 0).map(\.status) == [.sent, .sent, .succeeded])
    }

    @Test func `a pause that the market asks for reaches the backend`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let busy = WriteTrouble("429", isOverload: true, retryAfter: .seconds(7))
        shop.market.script([.notSent(busy), .notSent(WriteTrouble("no connection"))])
        let pauses = Mutex<[Duration]>([])
        let result = try shop.simulation.scheduler.run {
            try await Self.run(on: shop) { session in
                TamperedSession(inner: session, onPause: { pause in pauses.withLock { $0.append(pause) } })
            }
        }
        #expect(result.totals.done == 3)
        #expect(pauses.withLock { $0 } == [.seconds(7)])
    }

    @Test func `an operation outlasts the longest pauses that a market may ask for`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        let busy = WriteTrouble("429", isOverload: true, retryAfter: RetryDelays.longestPause)
        shop.market.script([.notSent(busy), .notSent(busy)])
        let result = try shop.simulation.scheduler.run { try await Self.run(on: shop) }
        #expect(result.totals.done == 3)
        #expect(shop.simulation.now > RetryDelays.longestPause * 2)
    }

    @Test func `an order to stop ends a pause at once`() throws {
        let shop = ApplySimulation(seed: 1, profile: .v2b)
        shop.market.script([.notSent(WriteTrouble("429", isOverload: true, retryAfter: .seconds(100)))])
        let result = try shop.simulation.scheduler.run {
            async let run = Self.run(on: shop)
            try await shop.simulation.clock.sleep(for: .seconds(5))
            shop.state.order(stop: "maintenance")
            return try await run
        }
        #expect(result.endedBy == .ordered("maintenance"))
        #expect(result.totals.skipped == 3)
        #expect(shop.market.requests.count == 1)
        #expect(shop.simulation.now == .seconds(5))
    }

    @Test func `a request under way is cut when the state has not answered for too long`() throws {
        let shop = Self.shop(1, .v2b)
        shop.market.answer(after: .seconds(100))
        let lost = try shop.simulation.scheduler.run { () async throws -> LostRun? in
            do {
                _ = try await Self.run(on: shop)
                return nil
            } catch let lost as LostRun {
                return lost
            }
        }
        #expect(lost?.reason.code == .io)
        #expect(lost?.result.operations.map(\.status) == [.unknown, .skipped, .skipped])
        #expect(shop.simulation.now == .seconds(20))
        #expect(shop.facts(RunID(rawValue: "test-0"), 0).map(\.status) == [.sent, .unknown])
    }

    @Test func `a session that was ended from outside says what it did, and why it ended`() throws {
        let shop = Self.shop(1, .v2b)
        let manifest = Manifest(Self.three, .v2b)
        let seen = Mutex<RunResult?>(nil)
        let error = try shop.simulation.scheduler.run { () async -> (any Error)? in
            do {
                try await shop.state.holding(shop.scope, for: "apply") { held in
                    let tampered = TamperedSession(inner: held) { event, orders in
                        if event.sequence == 1, case .sent = event.fact {
                            _ = try? await shop.state.unlock(shop.scope, force: true)
                        }
                        return orders
                    }
                    var configuration = ExecutorConfiguration()
                    configuration.parallelism = 1
                    let session = shop.session(tampered, configuration)
                    _ = try await session.apply(manifest, finish: { result in seen.withLock { $0 = result } })
                }
                return nil
            } catch {
                return error
            }
        }
        #expect((error as? StateError)?.code == .superseded)
        let result = try #require(seen.withLock { $0 })
        #expect(result.operations.map(\.status) == [.done, .unknown, .skipped])
        #expect(shop.market.ours.count == 1)
    }

    @Test func `peers share the rate, and each has its own requests at once`() {
        var throttle = Throttle(parallelism: 8, rate: 10)
        throttle.share(among: 3)
        #expect(throttle.width == 8)
        #expect(throttle.admit(at: .zero) == .granted(0))
        #expect(throttle.admit(at: .milliseconds(100)) == .after(.milliseconds(200)))
        #expect(throttle.admit(at: .milliseconds(300)) == .granted(0))
        throttle.share(among: 1)
        #expect(throttle.admit(at: .milliseconds(600)) == .granted(0))
        #expect(throttle.admit(at: .milliseconds(700)) == .granted(0))
        throttle.pause(for: .seconds(400), at: .seconds(1))
        #expect(throttle.pausedUntil == .seconds(301))
        // What another session was given holds for one that was given nothing, and the lower rate for all.
        for (rate, expected) in [(nil, 400), (100.0, 400), (1.0, 2000)] as [(Double?, Int)] {
            var throttle = Throttle(parallelism: 8, rate: rate)
            throttle.share(among: 2, oneRequestIn: .milliseconds(200))
            #expect(throttle.admit(at: .zero) == .granted(0))
            #expect(throttle.admit(at: .zero) == .after(.milliseconds(expected)))
        }
    }

    /// What sends must not forget the deadline: there is one place that does.
    @Test func `requests that change something leave by one way only`() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        var places: [String] = []
        for target in ["OpenMarket", "OpenMarketWorkflow", "OpenMarketCLI"] {
            let folder = root.appending(path: "Sources/\(target)")
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
                let count = text.split(separator: "\n").count {
                    $0.contains("market.perform(") || $0.contains("client.perform(")
                }
                if count > 0 { places.append("\(path): \(count)") }
            }
        }
        // The second one hands on what another market is asked, and asks for a delete key, which changes nothing.
        #expect(places.sorted() == ["Apply/StateSession+Sending.swift: 1", "Pull/Session+Pulling.swift: 2"])
    }
}

extension Monitor<Int> {
    fileprivate func counted() -> Int {
        change { count in
            count += 1
            return count
        }
    }
}
