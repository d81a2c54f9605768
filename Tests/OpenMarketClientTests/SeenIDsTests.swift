@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketClient

struct SeenIDsTests {
    /// What was seen when, without any care for speed.
    private struct Slow {
        var seen: [(id: Int64, pass: Int)] = []
        var totals: [Int: Int] = [:]
        var pass = 0

        mutating func see(_ id: Int64) -> SeenIDs.Novelty {
            defer { seen.append((id, pass)) }
            if seen.contains(where: { $0 == (id, pass) }) { return .repeated }
            return seen.contains { $0.id == id } ? .earlier : .new
        }

        var count: Int { Set(seen.map(\.id)).count }

        var distinct: Int { Set(seen.filter { $0.pass == pass }.map(\.id)).count }

        var coverAMoment: Bool {
            totals.contains { moment, total in
                let before = Set(seen.filter { $0.pass < moment }.map(\.id))
                let after = Set(seen.filter { $0.pass >= moment }.map(\.id))
                return total > 0 && before.intersection(after).count >= total
            }
        }
    }

    @Test func `products are distinguished in whatever order they come`() {
        var covered = 0
        for seed in TestScope.seeds(2_000) {
            var random = SeededGenerator(seed: seed)
            let count = Int64.random(in: 1...15, using: &random)
            var fast = SeenIDs()
            var slow = Slow()
            for pass in 1...Int.random(in: 1...3, using: &random) {
                fast.beginPass()
                slow.pass = pass
                let total = Int.random(in: 0...Int(count), using: &random)
                fast.noteTotal(total)
                slow.totals[pass] = total
                var ids = Array((1...count).reversed())
                switch Int.random(in: 0..<4, using: &random) {
                case 0: ids.shuffle(using: &random)
                case 1: ids.append(ids.randomElement(using: &random)!)
                case 2: ids.insert(count + 1, at: Int.random(in: 0...ids.count, using: &random))
                default: break
                }
                for id in ids {
                    #expect(fast.see(MarketID(id)) == slow.see(id), "seed \(seed), pass \(pass), \(id)")
                    #expect(fast.count == slow.count, "seed \(seed)")
                }
                #expect(fast.distinct(countingEachOf: 2) == slow.distinct + 2, "seed \(seed)")
                #expect(fast.coverAMoment == slow.coverAMoment, "seed \(seed)")
                covered += fast.coverAMoment ? 1 : 0
            }
        }
        #expect(covered > 500)
    }
}
