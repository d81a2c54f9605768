@testable import OpenMarketTestSupport
import Testing

/// The market does what it is asked to, and its reply is lost.
///
/// Every writing request loses one reply, in another way each; with ``TestScope/isAll`` in every way.
@Suite(.timeLimit(.minutes(60)))
struct LostReplyTests {
    /// How a reply is lost: reset before its first byte, reset within, or replaced by a gateway.
    enum Loss: String, Sendable, CaseIterable {
        case cut = "{cut: after}"
        case half = "{cut: reply, after_bytes: 20}"
        case short = "{truncate: 20}"
        case gateway = "{status: 502, when: after}"
        case page = "{page: after}"
    }

    @Test
    func `one run gets over any lost reply`() async throws {
        try await concurrently(TestScope.sweptProfiles) { api in
            try await FaultSweep.open(api) { try await loseEach(&$0) }
        }
    }

    private func loseEach(_ sweep: inout FaultSweep) async throws {
        let losses = Loss.allCases
        for request in sweep.coming.indices {
            for round in 0..<(TestScope.isAll ? losses.count : 1) {
                let loss = losses[(request + round) % losses.count]
                let name: Comment = "\(sweep.sandbox.api) step \(sweep.step): \(loss) of \(sweep.coming[request])"
                try sweep.arm(loss.rawValue, on: request)
                try await sweep.sandbox.applyUntilDone()
                // It did fall on the request that was meant.
                #expect(try sweep.sandbox.server.fired() == [1], name)
                try await sendUncertainPictures(sweep, name)
                try await sweep.arrive(name)
            }
        }
    }

    /// Two of three replies never arrive, at random; the seed is in the name of a failure.
    @Test
    func `runs get there although two of three replies are lost`() async throws {
        let seeds = 1...TestScope.seeds(1).upperBound
        let cases = seeds.flatMap { seed in TestScope.sweptProfiles.map { (api: $0, seed: seed) } }
        try await concurrently(cases) { api, seed in
            try await FaultSweep.open(api) { try await loseMost(&$0, seed: seed) }
        }
    }

    private func loseMost(_ sweep: inout FaultSweep, seed: UInt64) async throws {
        let rules = ["POST", "PATCH", "DELETE"].map {
            "  - {method: \($0), probability: 0.667, fault: {cut: after}}\n"
        }
        for _ in 0..<2 {
            try sweep.arm("seed: \(seed)\nrules:\n" + rules.joined())
            let runs = try await sweep.sandbox.applyUntilDone(["--parallelism", "8"], atMost: 20)
            let lost = try sweep.sandbox.server.fired().reduce(0, +)
            let name: Comment = "\(sweep.sandbox.api) seed \(seed) step \(sweep.step), \(runs) runs, \(lost) lost"
            #expect(lost > 10, name)
            try await sendUncertainPictures(sweep, name)
            try await sweep.arrive(name)
        }
    }

    /// On v1 it cannot be known which of two twins has which pictures when the reply to one's create is lost, so the next
    /// run sends the pictures again: an edit, nothing that makes or removes a product.
    private func sendUncertainPictures(_ sweep: FaultSweep, _ comment: Comment) async throws {
        let sandbox = sweep.sandbox
        try sweep.endFaults(comment)
        guard sandbox.api.hasPrefix("v1") else { return }
        try await sandbox.applyUntilDone()
        #expect(try sandbox.server.writes().allSatisfy { $0.method == "PATCH" }, comment)
        try sweep.endFaults(comment)
    }
}
