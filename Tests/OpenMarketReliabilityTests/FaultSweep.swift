@testable import OpenMarketTestSupport
import Testing

/// A market on which a run of thirty operations goes there and back, again and again, while another seller with listings
/// that look like ours is beside us.
struct FaultSweep {
    let sandbox: ReliabilitySandbox
    /// The writing requests of an undisturbed run, there and back.
    let requests: [[ReferenceServer.Request]]
    private(set) var neighbours: Neighbours
    private var view: MarketView
    /// How many runs were disturbed: the even ones on the way there, the odd ones on the way back.
    private(set) var step = 0

    /// Opens a market, and goes there and back undisturbed, to know which requests there are.
    static func open(_ api: String, _ body: (inout FaultSweep) async throws -> Void) async throws {
        try await ReliabilitySandbox.open(api, .before) { sandbox in
            let view = MarketView(sandbox.server, api)
            var neighbours = Neighbours(of: sandbox)
            // Before our own, so that they are older than anything we wait for: twins of what stays, goes and comes.
            for number in [1, 8, 18, 25] {
                try neighbours.list(Assortment.Product(number: number), view: view)
            }
            try await sandbox.applyUntilDone()
            var requests: [[ReferenceServer.Request]] = []
            for step in 0..<2 {
                try sandbox.want(goal(api, step))
                try sandbox.server.setFaults()
                try await sandbox.applyUntilDone()
                requests.append(try sandbox.server.writes())
            }
            // Else some request of the longer way would never be met.
            try #require(requests[0].count == requests[1].count)
            var sweep = FaultSweep(sandbox: sandbox, requests: requests, neighbours: neighbours, view: view)
            try await sweep.expectExactly(.before, "\(api) undisturbed")
            try await body(&sweep)
            try await sweep.expectExactly(goal(api, sweep.step + 1), "\(api) after all", look: .whole)
        }
    }

    /// What is wanted after so many steps.
    private static func goal(_ api: String, _ step: Int) -> Assortment {
        step % 2 == 0 ? .after(thumbnails: api.hasPrefix("v2")) : .before
    }

    /// The writing requests of the step to come, as they were undisturbed.
    var coming: [ReferenceServer.Request] { requests[step % 2] }

    /// Writes the manifest of the step to come, and arms one fault on one of its requests.
    func arm(_ fault: String, on request: Int) throws {
        let method = coming[request].method
        let nth = coming[...request].count { $0.method == method }
        try arm("rules:\n  - {method: \(method), nth: \(nth), fault: \(fault)}\n")
    }

    /// Writes the manifest of the step to come, and arms faults.
    func arm(_ faults: String) throws {
        try sandbox.want(Self.goal(sandbox.api, step))
        try sandbox.server.setFaults(faults)
    }

    /// Checks the promise, and turns round.
    mutating func arrive(_ comment: Comment) async throws {
        try await expectExactly(Self.goal(sandbox.api, step), comment)
        step += 1
    }

    /// Lets the other seller list the very product that a request of the step to come makes, where it makes one.
    mutating func listTwin(of request: Int) throws {
        guard let product = created(at: request) else { return }
        try neighbours.list(product, view: view)
    }

    /// What the request makes: first what is new, then what is replaced, each in the order of the manifest.
    private func created(at place: Int) -> Assortment.Product? {
        guard coming[place].isCreate else { return nil }
        let products = Self.goal(sandbox.api, step + 1).products
        let old = Dictionary(uniqueKeysWithValues: products.map { ($0.key, $0.pictures) })
        let wanted = Self.goal(sandbox.api, step).products
        let new = wanted.filter { old[$0.key] == nil }
        let replaced = wanted.filter { old[$0.key] != nil && old[$0.key] != $0.pictures }
        let number = coming[..<place].count(where: \.isCreate)
        return (new + replaced).dropFirst(number).first
    }

    /// Takes no faults from now on.
    ///
    /// The requests until now are forgotten, so it is checked first whom they were about.
    func endFaults(_ comment: Comment) throws {
        #expect(neighbours.written(by: try sandbox.server.writes()) == [], comment)
        try sandbox.server.setFaults()
    }

    private mutating func expectExactly(
        _ assortment: Assortment,
        _ comment: Comment,
        look: Neighbours.Look = .rows
    ) async throws {
        try await sandbox.expectExactly(assortment, neighbours, &view, comment, look: look)
    }
}

extension ReferenceServer.Request {
    /// Whether it is to make a product; on v2 a POST also asks for the key of a delete.
    var isCreate: Bool { method == "POST" && ["/item", "/api/products"].contains(path) }
}
