@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Synchronization

/// A session of a run on a machine of its own, which may die or be stopped at any of its moments.
struct SharedRunParticipant: Sendable {
    /// A part of the tool that keeps products from being made twice, to be left out.
    enum Net: CaseIterable, Sendable {
        /// What a session that is over left is looked for.
        case settlement
        /// Nothing is sent when a session's time is over.
        case deadline
        /// Sessions that are over are given the time to notice it.
        case takeover
    }

    /// When it begins.
    var delay = Duration.zero
    var fate = SimulatedProcess.Fate()
    /// Whether another machine ends its session while it is stopped.
    var isFenced = false
    var parallelism = 2
    var chunkSize = 2
    var missing: Net?

    /// How long a session is valid without being renewed.
    static let lifetime = Duration.seconds(30)

    /// Takes part in a run, from its beginning or from when it is under way, until the process ends.
    func takePart(_ listings: [Listing], run: Int, begins: Bool, in shop: ApplySimulation) async throws
        -> SimulatedProcess
    {
        let simulation = shop.simulation
        let drain = StopSignal()
        let process = SimulatedProcess(fate) { drain.trigger() }
        let held = HeldSession()
        try await simulation.clock.sleep(for: delay)
        try await SimulatedProcess.$current.withValue(process) {
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await carryOut(listings, run, begins: begins, in: shop, drain) { session in
                        let clock = LeaseClock(simulation, period: Self.lifetime * 2 / 3)
                        held.hold(session, clock)
                        return tampered(session, clock, process, shop)
                    }
                }
                group.addTask {
                    // The machine renews its session whatever the run does.
                    while !process.isDead {
                        try await simulation.clock.sleep(for: Self.lifetime / 6)
                        await simulation.thaw()
                        guard let (session, clock) = held.current else { continue }
                        guard let lease = try? await session.lease else { continue }
                        let askedAt = clock.now
                        if !process.isDead, shop.state.renew(shop.scope, lease.number) { clock.renew(askedAt) }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
        return process
    }

    /// Does what the process is there for.
    private func carryOut(
        _ listings: [Listing],
        _ run: Int,
        begins: Bool,
        in shop: ApplySimulation,
        _ drain: StopSignal,
        _ tamper: (any StateSession) -> any StateSession
    ) async throws {
        do {
            guard begins else { return try await work(shop, drain, tamper) }
            _ = try await shop.apply(
                listings,
                run: run,
                configuration: configuration(shop),
                drain: drain,
                waiting: .seconds(90),
                through: tamper
            )
        } catch is Crash {
        } catch is CommandFailure {
        } catch is LostRun {
        } catch is MarketError {
            // The market could not be read: the command ends, the next one tries again.
        } catch let error as StateError where [.superseded, .locked].contains(error.code) {
        }
    }

    /// Joins the run as soon as there is one.
    private func work(
        _ shop: ApplySimulation,
        _ drain: StopSignal,
        _ tamper: (any StateSession) -> any StateSession
    ) async throws {
        for _ in 0..<200 where drain.reason == nil {
            let result = try await shop.work(configuration: configuration(shop), drain: drain, through: tamper)
            guard result == nil else { return }
            try await shop.simulation.clock.sleep(for: .milliseconds(50))
        }
    }

    private func configuration(_ shop: ApplySimulation) -> ExecutorConfiguration {
        var configuration = shop.configuration(parallelism: parallelism)
        configuration.chunkSize = chunkSize
        return configuration
    }

    private func tampered(
        _ session: any StateSession,
        _ clock: LeaseClock,
        _ process: SimulatedProcess,
        _ shop: ApplySimulation
    ) -> any StateSession {
        var tampered = TamperedSession(inner: session)
        tampered.clock = clock
        tampered.hasDeadline = missing != .deadline
        tampered.waitsForOthers = missing != .takeover
        if missing == .settlement { tampered.onClaim = \.forgetful }
        let isFenced = isFenced
        tampered.onCall = { session in
            if process.frozen(at: shop.simulation.now) != nil, isFenced, let lease = try? await session.lease {
                shop.state.release(shop.scope, lease.number)
            }
            await shop.simulation.thaw()
        }
        tampered.isClosed = { !process.isDead }
        return tampered
    }
}

extension RunClaim {
    /// The same, as if nothing that is under way had an effect yet.
    fileprivate var forgetful: RunClaim {
        guard case .chunk(var chunk) = self else { return self }
        for index in chunk.operations.indices { chunk.operations[index].unresolved?.step = .upload }
        return .chunk(chunk)
    }
}

/// The session that a process has at present.
private final class HeldSession: Sendable {
    private let state = Mutex<(session: any StateSession, clock: LeaseClock)?>(nil)

    var current: (session: any StateSession, clock: LeaseClock)? { state.withLock { $0 } }

    func hold(_ session: any StateSession, _ clock: LeaseClock) { state.withLock { $0 = (session, clock) } }
}
