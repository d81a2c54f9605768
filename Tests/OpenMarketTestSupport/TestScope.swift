import FoundationEssentials

/// How much sweeps and random tests do: a part by default, all with `OPENMARKET_TEST_ALL=1`, which
/// `sh Tests/run.sh --all` sets.
enum TestScope {
    private static let environment = ProcessInfo.processInfo.environment

    static let isAll = environment["OPENMARKET_TEST_ALL"] == "1"

    /// The built-in markets that sweeps run on: by default the later one of each API, which the earlier one resembles.
    static let sweptProfiles = isAll ? ["v1a", "v1b", "v2a", "v2b"] : ["v1b", "v2b"]

    /// The first seeds, so many by default, and ten times as many for all.
    static func seeds(_ count: UInt64) -> Range<UInt64> { 0..<(isAll ? 10 * count : count) }

    /// The only seed of histories, from `OPENMARKET_SEED`; its history prints a trace.
    static let onlySeed = environment["OPENMARKET_SEED"].flatMap(UInt64.init)

    /// The seeds of histories: the only one, or so many as of other random tests.
    static func histories(_ count: UInt64) -> Range<UInt64> { onlySeed.map { $0..<$0 + 1 } ?? seeds(count) }
}
