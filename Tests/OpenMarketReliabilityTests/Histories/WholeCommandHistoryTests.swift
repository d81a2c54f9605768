@testable import OpenMarketTestSupport
import Testing

/// The second adversary: whole commands against a market of the tests' own that misbehaves from a seed.
///
/// A listing of ours twice, lost or forgotten, another's touched, or an exit 0 that is not true is a failure, with its
/// seed. `OPENMARKET_SEED=n` runs one history and prints its trace.
struct WholeCommandHistoryTests {
    @Test(arguments: 0..<4)
    func `no history doubles, loses or forgets a listing, or lies about one`(part: UInt64) async throws {
        var failures: [String] = []
        for seed in TestScope.histories(2_000) where seed % 4 == part {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            do {
                if let failure = try CommandHistory(seed: seed, keepsTrace: TestScope.onlySeed != nil).failure() {
                    failures.append("OPENMARKET_SEED=\(seed): \(failure)")
                }
            } catch {
                Issue.record("OPENMARKET_SEED=\(seed): threw \(error)")
            }
        }
        #expect(failures.isEmpty, "\(failures.count)\n\(failures.joined(separator: "\n"))")
    }
}
