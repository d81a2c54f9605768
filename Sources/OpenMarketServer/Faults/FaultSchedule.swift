import OpenMarket

/// Decides which faults a request gets.
///
/// It only counts, and uses neither a clock nor a connection.
struct FaultSchedule: Sendable {
    /// A rule that fires, with a random number for its fault.
    struct Firing: Hashable, Sendable {
        var rule: Int
        var fault: Fault
        var random: UInt64
    }

    struct Counter: Hashable, Sendable {
        var seen = 0
        /// How many matching requests the rule fired for.
        var fired = 0
    }

    let plan: FaultPlan
    private(set) var counters: [Counter]
    private var generators: [SplitMix64]

    init(_ plan: FaultPlan) {
        self.plan = plan
        counters = plan.rules.map { _ in Counter() }
        // Each rule has its own random numbers, so that an additional rule does not change the others.
        generators = plan.rules.indices.map { SplitMix64(seed: plan.seed &+ UInt64($0) &* 0x9E37_79B9) }
    }

    mutating func firings(method: String, path: String) -> [Firing] {
        let path = Self.normalized(path)
        var firings: [Firing] = []
        for (index, rule) in plan.rules.enumerated() {
            guard rule.method.map({ $0.uppercased() == method.uppercased() }) ?? true,
                rule.path.map({ Self.matches(path, pattern: $0) }) ?? true
            else { continue }
            counters[index].seen += 1
            let chance = Double(generators[index].next() >> 11) / Double(1 << 53)
            let random = generators[index].next()
            guard rule.nth?.contains(counters[index].seen) ?? true, chance < rule.probability,
                rule.times.map({ counters[index].fired < $0 }) ?? true
            else { continue }
            counters[index].fired += 1
            firings.append(Firing(rule: index, fault: rule.fault, random: random))
        }
        return firings
    }

    /// The path without double and trailing slashes: `//item/` is `/item`.
    static func normalized(_ path: String) -> String {
        "/" + path.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
    }

    static func matches(_ path: String, pattern: String) -> Bool {
        KeyPatterns([normalized(pattern)]).contains(path)
    }
}

/// The generator of Steele, Lea and Flood: small, and the same on every platform.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
