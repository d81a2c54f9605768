import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The second adversary: whole commands against a market of the tests' own that misbehaves from a seed.
///
/// A listing of ours twice, lost or forgotten, another's touched, or an exit 0 that is not true is a failure, with its
/// seed. `OPENMARKET_SEED=n` runs one history and prints its trace, `OPENMARKET_HISTORIES=n` sets how many run.
struct WholeCommandHistoryTests {
    static let histories = ProcessInfo.processInfo.environment["OPENMARKET_HISTORIES"].flatMap(Int.init) ?? 2000
    static let seed = ProcessInfo.processInfo.environment["OPENMARKET_SEED"].flatMap(UInt64.init)

    @Test(arguments: 0..<4)
    func `no history doubles, loses or forgets a listing, or lies about one`(part: Int) async throws {
        if let seed = Self.seed {
            guard part == 0 else { return }
            if let failure = try CommandHistory(seed: seed, keepsTrace: true).failure() { Issue.record("\(failure)") }
            return
        }
        var failures: [String] = []
        for number in stride(from: part, to: Self.histories, by: 4) {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            let seed = UInt64(number)
            do {
                if let failure = try CommandHistory(seed: seed).failure() {
                    failures.append("OPENMARKET_SEED=\(seed): \(failure)")
                }
            } catch {
                Issue.record("OPENMARKET_SEED=\(seed): threw \(error)")
            }
        }
        #expect(failures.isEmpty, "\(failures.count) of \(Self.histories / 4)\n\(failures.joined(separator: "\n"))")
    }
}
