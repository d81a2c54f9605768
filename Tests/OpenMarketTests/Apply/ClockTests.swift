@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// Clocks that people and time servers set, between runs and during them.
struct ClockTests {
    @Test(arguments: [Duration.zero, .seconds(3600), .seconds(-3600), .seconds(400 * 86_400)])
    func `what a run left open gets the settle delay from the next run on`(jump: Duration) throws {
        let shop = ApplySimulation(seed: 3, profile: .v2b)
        let simulation = shop.simulation
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        try simulation.scheduler.run {
            try await shop.state.holding(shop.scope, for: "test") { session in
                try await session.leave([
                    (lamp.create, [.sent(.create, highWater: nil), .unknown(.create, "no reply")])
                ])
                try await session.finish(.killed, totals: RunTotals(), interrupted: true)
            }
            simulation.jump(by: jump)
            let start = simulation.now
            #expect(try await shop.settle().settled.map(\.outcome) == ["was not created"])
            #expect(simulation.now - start >= shop.configuration().quietPeriod(on: shop.capabilities))
        }
    }

    @Test func `a create is not sent again too late by a clock that is behind the state's`() throws {
        var drawn = DrawnDescription()
        (drawn.ids, drawn.repeatHours) = (.texts, 1)
        let shop = ApplySimulation(profile: try drawn.profile())
        let (simulation, market) = (shop.simulation, shop.market)
        let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
        try simulation.scheduler.run {
            market.set(Faults(lostWithEffect: 1))
            _ = try await shop.apply([lamp], run: 1, configuration: shop.configuration())
            market.set(.none)
            try await simulation.clock.sleep(for: .seconds(3700))
            try await shop.state.holding(shop.scope, for: "test") { session in
                _ = try await Recovery(
                    market: market,
                    state: session,
                    capabilities: shop.capabilities,
                    configuration: shop.configuration(),
                    environment: ExecutionEnvironment(
                        clock: simulation.clock,
                        wallTime: { simulation.wall + .seconds(-3600) }
                    )
                ).settle(in: session)
            }
            #expect(market.ours.count == 1)
        }
    }

    @Test(arguments: [Duration.seconds(3600), .seconds(-3600)])
    func `a clock that is set during a run changes no wait`(jump: Duration) throws {
        let simulation = Simulation(seed: 3)
        try simulation.scheduler.run {
            let time = RunTime(simulation.environment)
            let since = time.wall()
            simulation.jump(by: jump)
            try await simulation.clock.sleep(for: .seconds(1))
            #expect(time.remaining(of: .seconds(3), since: since) == .seconds(2))
        }
    }

    @Test func `moments that no clock shows have differences, too`() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last - first == .milliseconds(Int64.max) - .milliseconds(Int64.min))
        #expect(last + .seconds(1) == last)
        #expect(first + .seconds(-1) == first)
        #expect(Timestamp.epoch + .milliseconds(-1500) == Timestamp(milliseconds: -1500))
    }
}
