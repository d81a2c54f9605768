@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What the next run makes of operations that a killed run left open.
struct RecoveryTests {
    private static let lamp = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1])
    private static let fan = Listing.with(key: "fan", name: "Round fan", description: "Cold.", price: 7, pictures: [2])

    private static func shop(
        lifetime: Duration? = nil,
        _ change: (inout DrawnDescription) -> Void = { _ in }
    ) throws -> ApplySimulation {
        var drawn = DrawnDescription()
        change(&drawn)
        return ApplySimulation(profile: try drawn.profile(), lifetime: lifetime, sharesRuns: lifetime != nil)
    }

    private static func entry(_ listing: Listing, _ id: MarketID) -> StateEntry {
        StateEntry(key: listing.key, id: id, vendorID: 29, applied: listing.values)
    }

    private static func replace(_ id: MarketID, deletesFirst: Bool = false) -> PlannedOperation {
        var replacement = PlannedOperation.Replacement(
            id: id,
            changes: [],
            product: NewProduct(values: lamp.values, pictures: lamp.pictures),
            live: lamp.values
        )
        replacement.deletesFirst = deletesFirst
        return PlannedOperation(key: "lamp", reason: "", work: .replace(replacement))
    }

    /// Writes down what a killed run did, and does something in the session that comes next.
    private static func after<Result: Sendable>(
        _ left: [(operation: PlannedOperation, facts: [JournalEvent.Fact])],
        knowing entries: [StateEntry] = [],
        in shop: ApplySimulation,
        _ body: @Sendable (any StateSession) async throws -> Result
    ) async throws -> Result {
        try await shop.state.holding(shop.scope, for: "test") { session in
            try await session.apply([.vendor(29)] + entries.map { .put($0) })
            try await session.leave(left)
        }
        return try await shop.state.holding(shop.scope, for: "test", body)
    }

    /// Settles what a killed run left.
    @discardableResult
    private static func settle(
        _ left: [(operation: PlannedOperation, facts: [JournalEvent.Fact])],
        knowing entries: [StateEntry] = [],
        in shop: ApplySimulation
    ) async throws -> Recovery.Resolution {
        try await after(left, knowing: entries, in: shop) { try await shop.recovery(of: $0).settle(in: $0) }
    }

    private static let sent = JournalEvent.Fact.sent(.create, highWater: 7)

    // MARK: - Products that are left over

    enum Orphan: CaseIterable {
        /// Its create is not settled yet.
        case open
        /// A key has it by now.
        case managed
        /// Another product has its id, ours or another vendor's.
        case other, foreign
        case left
    }

    @Test(arguments: Orphan.allCases)
    func `what a session made after its end is deleted only where it certainly is that`(orphan: Orphan) throws {
        let shop = try Self.shop { $0.ids = .texts }
        try shop.simulation.scheduler.run { () async throws in
            let shown = orphan == .other ? Self.fan : Self.lamp
            let id = shop.market.add(shown.values, isOurs: orphan != .foreign)
            let facts = orphan == .open ? [Self.sent] : [Self.sent, .succeeded(id)]
            let entries = orphan == .managed ? [Self.entry(Self.lamp, id)] : []
            try await Self.after([(Self.lamp.create, facts)], knowing: entries, in: shop) { session in
                try await session.recordOrphan(id, of: 0, in: .killed)
                let deletes = try await shop.recovery(of: session).settle(in: session).orphanDeletes
                #expect(deletes.map(\.id) == (orphan == .left ? [id] : []))
                #expect(try await session.orphans().map(\.id) == (orphan == .managed ? [] : [id]))
            }
        }
    }

    @Test func `the old product of a replace is not deleted once another key has it`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let (old, new) = (shop.market.add(Self.fan.values, isOurs: true), MarketID(200))
            let resolution = try await Self.settle(
                [(Self.replace(old), [Self.sent, .advanced(.create, created: new)])],
                knowing: [Self.entry(Self.lamp, new), Self.entry(Self.fan, old)],
                in: shop
            )
            #expect(resolution.pendingDeletes.isEmpty)
        }
    }

    @Test func `of what a probe may have left only what shows its mark and has no key is deleted`() throws {
        let shop = try Self.shop()
        var marked = Self.fan.values
        marked.name = "Probe 0123456789ab"
        var probe = NewProduct(values: marked, pictures: [])
        probe.isTrial = true
        let create = PlannedOperation(key: "probe-0123456789ab", reason: "", work: .create(probe))
        try shop.simulation.scheduler.run { [marked] () async throws in
            shop.market.add(marked, isOurs: true)
            let managed = shop.market.add(marked, isOurs: true)
            let changed = shop.market.add(Self.fan.values, isOurs: true)
            let facts = [Self.sent, .advanced(.create, created: changed), .sent(.update, highWater: nil)]
            try await Self.after([(create, facts)], knowing: [Self.entry(Self.fan, managed)], in: shop) { session in
                let recovery = shop.recovery(of: session)
                _ = try await recovery.remove(
                    recovery.settle(in: session).trials,
                    as: RunRecord(id: RunID(rawValue: "next"), manifest: nil, tool: "test"),
                    in: session,
                    drain: StopSignal()
                )
            }
            #expect(shop.market.ours.map(\.id) == [managed, changed])
        }
    }

    // MARK: - Creates

    @Test func `an id in the manifest that is another key's product settles no create`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.fan.values, isOurs: true)
            try await Self.after(
                [(Self.lamp.create, [.sent(.create, highWater: id)])],
                knowing: [Self.entry(Self.fan, id)],
                in: shop
            ) { session in
                _ = try await shop.recovery(of: session, pinnedID: { _ in id }).settle(in: session)
            }
            #expect(shop.snapshot.entries.mapValues(\.id) == ["fan": id])
        }
    }

    @Test func `a product that another open operation made is not a create's, although it looks like it`() throws {
        let shop = try Self.shop()
        var twin = Self.lamp.create
        twin.key = "twin"
        try shop.simulation.scheduler.run { [twin] () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            let resolution = try await Self.settle(
                [(twin, [Self.sent, .advanced(.create, created: id)]), (Self.lamp.create, [Self.sent])],
                in: shop
            )
            #expect(resolution.pendingDeletes.map(\.operation.id) == [id])
            #expect(shop.snapshot.entries.isEmpty)
        }
    }

    @Test func `a key that means another product by now does not get the one that a create made`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let other = shop.market.add(Self.fan.values, isOurs: true)
            shop.market.add(Self.lamp.values, isOurs: true)
            let entry = StateEntry(key: "lamp", id: other, vendorID: 29, applied: Self.fan.values)
            let settled = try await Self.settle(
                [(Self.lamp.create, [.sent(.create, highWater: other)])],
                knowing: [entry],
                in: shop
            ).settled
            #expect(settled.map(\.isOpen) == [true])
            #expect(shop.snapshot.entries.mapValues(\.id) == ["lamp": other])
        }
    }

    @Test func `a create whose product has an id of another key's former one takes it from that key`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            try await Self.settle(
                [(Self.lamp.create, [.sent(.create, highWater: id)])],
                knowing: [Self.entry(Self.fan, id)],
                in: shop
            )
            #expect(shop.snapshot.entries.mapValues(\.id) == ["lamp": id])
        }
    }

    @Test(arguments: [true, false])
    func `what an open create may have made is kept from other listings`(isRead: Bool) throws {
        // Where ids do not rise a person decides; a product that is listed, and not read, may be it.
        let shop = try Self.shop { $0.ids = isRead ? .texts : .rising }
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            if !isRead { shop.market.deny(id) }
            let resolution = try await Self.settle([(Self.lamp.create, [Self.sent])], in: shop)
            #expect(resolution.blockedKeys == ["lamp"])
            #expect(resolution.blockedNames == ["Desk lamp"])
            #expect(
                resolution.inQuestion
                    == (isRead ? ProductsInQuestion(ids: [id]) : ProductsInQuestion(newerThan: [7]))
            )
        }
    }

    @Test func `where the old product went first, what the create made is found and has the key`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            let facts = [JournalEvent.Fact.sent(.delete, highWater: nil), .advanced(.delete, created: nil), Self.sent]
            try await Self.settle([(Self.replace(5, deletesFirst: true), facts)], in: shop)
            #expect(shop.snapshot.entries.mapValues(\.id) == ["lamp": id])
        }
    }

    @Test func `a picture that was attached before the run was killed is known afterwards`() throws {
        let shop = try Self.shop { ($0.style, $0.changesPicturesInPlace) = (.attach, false) }
        let wanted = Listing.with(key: "lamp", name: "Desk lamp", price: 100, pictures: [1, 2])
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            var entry = Self.entry(wanted, id)
            entry.applied.images = []
            let facts = [Self.sent, .advanced(.create, created: id), .sent(.attach, highWater: nil)]
            try await Self.settle([(wanted.create, facts)], knowing: [entry], in: shop)
            #expect(shop.snapshot.entries["lamp"]?.applied.images == [.digest(.picture(1))])
        }
    }

    // MARK: - Time

    @Test func `what a session that ended may still send is waited for`() throws {
        let shop = try Self.shop(lifetime: .seconds(60))
        try shop.simulation.scheduler.run { () async throws in
            async let sent = { () async throws in
                try await shop.simulation.clock.sleep(for: .seconds(35))
                return shop.market.add(Self.lamp.values, isOurs: true)
            }()
            try await Self.settle([(Self.lamp.create, [Self.sent])], in: shop)
            let id = try await sent
            #expect(shop.snapshot.entries.mapValues(\.id) == ["lamp": id])
        }
    }

    @Test func `nothing is planned before a late update can have come`() throws {
        let shop = try Self.shop()
        try shop.simulation.scheduler.run { () async throws in
            let id = shop.market.add(Self.lamp.values, isOurs: true)
            let work = PlannedOperation.Update(id: id, changes: [], desired: Self.lamp.values, live: Self.lamp.values)
            let update = PlannedOperation(key: "lamp", reason: "", work: .update(work))
            let start = shop.simulation.now
            try await Self.settle(
                [(update, [.sent(.update, highWater: nil)])],
                knowing: [Self.entry(Self.lamp, id)],
                in: shop
            )
            #expect(shop.simulation.now - start >= shop.configuration().quietPeriod(on: shop.capabilities))
        }
    }
}
