import OpenMarketTestSupport
import Testing

/// The market does what it is told, and nobody hears it.
@Suite(.enabled(if: sweepsAreAsked, "set OPENMARKET_KILL_SWEEP"), .timeLimit(.minutes(60)))
struct LostReplyTests {
    /// How a reply is lost: reset before its first byte, reset within, or replaced by somebody before the market.
    enum Loss: String, Sendable, CaseIterable {
        case cut = "{cut: after}"
        case half = "{cut: reply, after_bytes: 20}"
        case short = "{truncate: 20}"
        case gateway = "{status: 502, when: after}"
        case page = "{page: after}"
    }

    /// Every fault in turn falls on every request of the run, one at a time.
    @Test
    func `one run gets over any lost reply`() async throws {
        try await concurrently(Stall.profiles) { try await loseEach($0) }
    }

    private func loseEach(_ api: String) async throws {
        try await Stall.open(api, .before) { stall in
            var view = MarketView(stall.server, api)
            var neighbours = Neighbours(of: stall)
            let way = KillSweepTests.Way(api: api)
            for number in [1, 8, 18, 25] { try neighbours.list(Assortment.Product(number: number), view: view) }
            try await stall.applyUntilDone()
            var requests: [[ReferenceServer.Request]] = []
            for step in 0..<2 {
                try stall.want(way.goal(step))
                try stall.server.setFaults()
                try await stall.applyUntilDone()
                requests.append(try stall.server.writes())
            }
            let losses = Loss.allCases
            // The default meets every seventh request, with another loss each; the full sweep meets all with all.
            let rounds = KillSweepTests.isFull ? losses.count : 1
            let stride = KillSweepTests.isFull ? 1 : 7
            var step = 0
            for request in Swift.stride(from: 0, to: requests.map(\.count).min() ?? 0, by: stride) {
                for round in 0..<rounds {
                    let logged = requests[step % 2]
                    let (method, loss) = (logged[request].method, losses[(request + round) % losses.count])
                    let nth = logged[...request].count { $0.method == method }
                    try stall.want(way.goal(step))
                    try stall.server.setFaults(
                        "rules:\n  - {method: \(method), nth: \(nth), fault: \(loss.rawValue)}\n"
                    )
                    try await stall.applyUntilDone()
                    let name: Comment = "\(api) step \(step): \(loss) of \(logged[request])"
                    // It did fall on the request that was meant.
                    #expect(try stall.server.fired() == [1], name)
                    try await stall.sendUncertainPictures()
                    try await stall.expectExactly(way.goal(step), neighbours, &view, name)
                    step += 1
                }
            }
        }
    }

    /// Two of three replies never arrive, at random; the seed is in the name of a failure.
    @Test
    func `runs get there although two of three replies are lost`() async throws {
        let seeds = KillSweepTests.isFull ? 1...10 : 1...1
        let cases = seeds.flatMap { seed in Stall.profiles.map { (api: $0, seed: seed) } }
        try await concurrently(cases) { try await loseMost($0.api, seed: $0.seed) }
    }

    private func loseMost(_ api: String, seed: Int) async throws {
        try await Stall.open(api, .before) { stall in
            var view = MarketView(stall.server, api)
            var neighbours = Neighbours(of: stall)
            for number in [1, 8, 18, 25] { try neighbours.list(Assortment.Product(number: number), view: view) }
            let way = KillSweepTests.Way(api: api)
            let rules = ["POST", "PATCH", "DELETE"].map {
                "  - {method: \($0), probability: 0.667, fault: {cut: after}}\n"
            }
            for step in 1...2 {
                try stall.want(way.goal(step))
                try stall.server.setFaults("seed: \(seed)\nrules:\n" + rules.joined())
                let runs = try await stall.applyUntilDone(["--parallelism", "8"], atMost: 20)
                #expect(try stall.server.fired().reduce(0, +) > 20)
                try await stall.sendUncertainPictures()
                try await stall.expectExactly(
                    way.goal(step),
                    neighbours,
                    &view,
                    "\(api) seed \(seed) step \(step), \(runs) runs"
                )
            }
        }
    }
}

extension Stall {
    /// On v1 nobody can tell which of two twins has which pictures when the reply to one's create is lost, so the next
    /// run sends the pictures again: an edit, nothing that makes or removes a product.
    fileprivate func sendUncertainPictures() async throws {
        try server.setFaults()
        guard api.hasPrefix("v1") else { return }
        try await applyUntilDone()
        #expect(try server.writes().allSatisfy { $0.method == "PATCH" })
        try server.setFaults()
    }
}
