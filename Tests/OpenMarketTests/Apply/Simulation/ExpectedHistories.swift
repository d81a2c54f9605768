@testable import OpenMarketTestSupport
import Testing

/// Judges each history of a part; `failure` says what is wrong at its end.
func expectNone(
    of count: UInt64,
    part: UInt64,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    failure: (_ seed: UInt64) throws -> String?
) async {
    for seed in TestScope.histories(count) where seed % 4 == part {
        // The few threads are shared with tests that wait for answers.
        await Task.yield()
        let fault: String?
        do { fault = try failure(seed) } catch { fault = "threw \(error)" }
        if let fault {
            Issue.record("OPENMARKET_SEED=\(seed): \(fault)", sourceLocation: sourceLocation)
            return
        }
    }
}

/// Expects that one of the first histories fails.
func expectOne(
    of count: UInt64,
    without net: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation,
    fails: (_ seed: UInt64) throws -> Bool
) async throws {
    for seed in 0..<count {
        await Task.yield()
        if try fails(seed) { return }
    }
    Issue.record("no history fails without \(net)", sourceLocation: sourceLocation)
}
