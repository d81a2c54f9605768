import FoundationEssentials
import OpenMarketTestSupport
import Testing

/// The real program, killed at every writing request of a run of thirty operations, before and after the market acts.
///
/// `OPENMARKET_KILL_SWEEP=some` meets some requests of every profile; `OPENMARKET_KILL_SWEEP=full` meets each of them, before and after
/// the market acts, on the way there and on the way back. Nothing is random and nothing is timed: a fault holds the request for as long
/// as the program lives.
@Suite(.enabled(if: sweepsAreAsked, "set OPENMARKET_KILL_SWEEP"), .timeLimit(.minutes(60)))
struct KillSweepTests {
    static let isFull = ProcessInfo.processInfo.environment["OPENMARKET_KILL_SWEEP"] == "full"

    /// A part of a sweep, so that parts can run beside each other.
    struct Part: Sendable, CustomStringConvertible {
        var api: String
        /// Every so many requests.
        var stride = 1
        /// From this one on, counted from 0.
        var offset = 0
        var parallelism = 1

        var description: String { "\(api), every \(stride) from \(offset), \(parallelism) at once" }
    }

    static let parts: [Part] =
        isFull
        ? Stall.profiles.map { Part(api: $0) }
        : [
            Part(api: "v1b", stride: 8), Part(api: "v2b", stride: 8, offset: 3),
            Part(api: "v1a", stride: 12, offset: 5), Part(api: "v2a", stride: 12, offset: 7),
        ]

    @Test
    func `a run that is killed at any request is finished by the next, exactly`() async throws {
        try await concurrently(Self.parts) { try await sweep($0) }
    }

    @Test
    func `so is one that is killed with four requests under way`() async throws {
        let stride = Self.isFull ? 1 : 16
        let parts = ["v1b", "v2b"].map { Part(api: $0, stride: stride, offset: stride / 3, parallelism: 4) }
        try await concurrently(parts) { try await sweep($0) }
    }

    /// The market may be slow, and carry out a create when its client is dead and the next run has looked already.
    @Test
    func `a create that takes effect after the kill is waited for, and not made twice`() async throws {
        try await concurrently(Stall.profiles) { api in
            try await Stall.open(
                api,
                .plain(4),
                faults: "rules:\n  - {method: POST, nth: 2, fault: {latency: 1500ms}}\n"
            ) {
                stall in
                var view = MarketView(stall.server, api)
                let ended = try await stall.killed(Kill(request: 1, moment: .before), parallelism: 1)
                #expect(ended.status == 128 + 9)
                try await stall.applyUntilDone(["--settle-delay", "8s"])
                // Two of the first run, and the two that it did not come to.
                #expect(try stall.server.writes().count { $0.isCreate && $0.status != nil } == 4, "\(api)")
                try await stall.expectExactly(.plain(4), Neighbours(of: stall), &view, "\(api)")
            }
        }
    }

    private func sweep(_ part: Part) async throws {
        try await Stall.open(part.api, .before) { stall in
            var view = MarketView(stall.server, part.api)
            var neighbours = Neighbours(of: stall)
            let way = Way(api: part.api)
            // Before our own, so that they are older than anything we wait for: twins of what stays, goes and comes.
            for number in [1, 8, 18, 25] {
                try neighbours.list(Assortment.Product(number: number), view: view)
            }
            try await stall.applyUntilDone()
            // There and back undisturbed, to know which requests there are.
            var requests: [[ReferenceServer.Request]] = []
            for step in 0..<2 {
                try stall.want(way.goal(step))
                try stall.server.setFaults()
                try await stall.applyUntilDone()
                requests.append(try stall.server.writes())
            }
            try await stall.expectExactly(.before, neighbours, &view, "undisturbed")

            var step = 0
            var kills = 0
            for kill in Kill.all(requests.map(\.count), stride: part.stride, offset: part.offset) {
                // The way back has one request more or less.
                let direction = step % 2
                guard kill.request < requests[direction].count else { continue }
                let request = requests[direction][kill.request]
                let name: Comment = "\(part.api) step \(step): \(kill) of \(requests[direction].count): \(request)"
                try stall.want(way.goal(step))
                let nth = requests[direction][...kill.request].count { $0.method == request.method }
                try stall.server.setFaults(kill.faults(request.method, nth: nth))
                let ended = try await stall.killed(kill, parallelism: part.parallelism)
                #expect(ended.status == 128 + 9, name)
                try stall.server.setFaults()
                kills += 1
                // Somebody lists the very same while nobody knows whether ours was made.
                if let twin = way.created(at: kill.request, in: requests[direction], step: step) {
                    try neighbours.list(twin, view: view)
                }
                try await stall.applyUntilDone(["--parallelism", String(part.parallelism)])
                try await stall.expectExactly(way.goal(step), neighbours, &view, name)
                step += 1
            }
            if Self.isFull { print("\(part): \(kills) kills") }
        }
    }

    /// There and back.
    struct Way: Sendable {
        let api: String

        func goal(_ step: Int) -> Assortment {
            step % 2 == 0 ? .after(thumbnails: api.hasPrefix("v2")) : .before
        }

        /// What the POST at that place of an undisturbed run makes: first what is new, then what is replaced, each in the
        /// order of the manifest. `nil` for a request that makes nothing.
        func created(at place: Int, in requests: [ReferenceServer.Request], step: Int) -> Assortment.Product? {
            guard requests[place].isCreate else { return nil }
            let old = Dictionary(uniqueKeysWithValues: goal(step + 1).products.map { ($0.key, $0.pictures) })
            let wanted = goal(step).products
            let new = wanted.filter { old[$0.key] == nil }
            let replaced = wanted.filter { old[$0.key] != nil && old[$0.key] != $0.pictures }
            let number = requests[..<place].count(where: \.isCreate)
            return (new + replaced).dropFirst(number).first
        }
    }
}

/// Where a run is killed.
struct Kill: Sendable, CustomStringConvertible {
    enum Moment: String, Sendable {
        case before
        case after
    }

    /// The writing request, counted from 0.
    var request: Int
    var moment: Moment

    var description: String { "killed \(moment) request \(request + 1)" }

    /// All kills of a sweep: there and back by turns, at the same request, once before and once after.
    static func all(_ counts: [Int], stride: Int, offset: Int) -> [Kill] {
        Swift.stride(from: offset, to: counts.max() ?? 0, by: stride).flatMap { request -> [Kill] in
            let both = [Kill(request: request, moment: .before), Kill(request: request, moment: .after)]
            guard KillSweepTests.isFull else { return both }
            return [both[0], both[0], both[1], both[1]]
        }
    }

    /// Holds the request: before the market does anything, or when it has done it, before the first byte of the
    /// reply's body.
    func faults(_ method: String, nth: Int) -> String {
        let fault = moment == .before ? "{latency: 3600s}" : "{slow: 1, pause: 3600s}"
        return "rules:\n  - {method: \(method), nth: \(nth), fault: \(fault)}\n"
    }

    /// Whether the request is held now.
    func isReached(_ writes: [ReferenceServer.Request]) -> Bool {
        guard writes.count > request else { return false }
        return moment == .before ? true : writes[request].status != nil
    }
}

extension ReferenceServer.Request {
    /// Whether it is to make a product; on v2 a POST also asks for the key of a delete.
    var isCreate: Bool { method == "POST" && ["/item", "/api/products"].contains(path) }
}

/// The sweeps take many minutes, so they run when they are asked for.
let sweepsAreAsked = ProcessInfo.processInfo.environment["OPENMARKET_KILL_SWEEP"] != nil
