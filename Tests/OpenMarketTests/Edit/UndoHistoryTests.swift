@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketWorkflow
import Testing

/// What runs changed under faults and crashes is taken back, and the market is as before them.
///
/// `OPENMARKET_SEED=n` runs one history.
struct UndoHistoryTests {
    @Test func `undo takes back what runs did, and an undo of that brings it again`() async throws {
        let histories = TestScope.histories(400)
        var count = 0
        for seed in histories {
            // The few threads are shared with tests that wait for answers.
            await Task.yield()
            do { count += try UndoHistory(seed: seed).productsTakenBack() } catch {
                Issue.record("OPENMARKET_SEED=\(seed): \(error)")
                return
            }
        }
        #expect(TestScope.onlySeed != nil || count > histories.count)
    }
}

/// A manifest that is applied under faults and crashes until all is quiet, then undone twice.
private struct UndoHistory {
    struct Failure: Error {
        var message: String
    }

    let seed: UInt64

    /// How many products were taken back; throws if the market is not as before.
    func productsTakenBack() throws -> Int {
        var generator = SeededGenerator(seed: seed)
        let profile = MarketProfile.builtIns.randomElement(using: &generator) ?? .v2b
        let simulation = Simulation(seed: generator.next())
        let shop = ApplySimulation(
            profile: profile,
            simulation: simulation,
            database: seed % 2 == 0 ? try StateInMemory(simulation) : nil
        )
        let before = Self.manifest(&generator, before: [], profile: profile)
        let after = Self.manifest(&generator, before: before, profile: profile)
        let severity: Double = [0, 0.1, 0.3].randomElement(using: &generator) ?? 0
        let faults = Faults(
            notSent: severity * .random(in: 0...1, using: &generator),
            lostWithoutEffect: severity * .random(in: 0...1, using: &generator),
            lostWithEffect: severity * .random(in: 0...1, using: &generator),
            lateEffect: severity * .random(in: 0...1, using: &generator)
        )
        let crashes: [Int?] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            Bool.random(using: &generator) ? .random(in: 1...60, using: &generator) : nil
        }
        return try simulation.scheduler.run {
            var undoing = Undoing(shop: shop)
            try await undoing.settle(before)
            let known = try await undoing.runs()
            shop.market.set(faults)
            for crash in crashes { try await undoing.apply(after, crashAt: crash) }
            try await undoing.requireUnknownLeft(after, since: known)
            try await undoing.settle(after)
            let settled = try await undoing.runs()
            let undone = try await undoing.takeBack(after, to: before, since: known)
            let again = try await undoing.takeBack(undone.listings, to: after, since: settled)
            return undone.count + again.count
        }
    }

    /// Without thumbnails: one that only the earlier manifest has is not managed by the later one.
    private static func manifest(
        _ generator: inout SeededGenerator,
        before: [Listing],
        profile: MarketProfile
    ) -> [Listing] {
        ApplyHistory.manifest(&generator, before: before, profile: profile).map { listing in
            var listing = listing
            listing.values.thumbnail = nil
            return listing
        }
    }
}

/// The commands of a history.
private struct Undoing {
    let shop: ApplySimulation
    private var run = 0

    init(shop: ApplySimulation) { self.shop = shop }

    /// Applies until nothing is left to do.
    mutating func settle(_ listings: [Listing]) async throws {
        shop.market.set(.none)
        shop.simulation.restart()
        for _ in 0..<4 {
            run += 1
            let (plan, _) = try await shop.apply(listings, run: run, configuration: shop.configuration())
            if plan.isEmpty { break }
        }
        // All that was written shows (v1).
        try await shop.simulation.clock.sleep(for: .seconds(10))
    }

    mutating func apply(_ listings: [Listing], crashAt: Int?) async throws {
        run += 1
        shop.simulation.restart(crashAt: crashAt)
        do {
            _ = try await shop.apply(listings, run: run, configuration: shop.configuration())
        } catch is Crash {
        } catch is CommandFailure {
        } catch is MarketError {}
        shop.simulation.restart()
    }

    func runs() async throws -> Set<RunID> {
        Set(try await shop.backend.reading(shop.scope) { try await $0.runs() }.map(\.record.id))
    }

    /// What is open when it is undone is left alone.
    func requireUnknownLeft(_ listings: [Listing], since known: Set<RunID>) async throws {
        let operations = try await operations(since: known)
        let edits = undo(operations, listings).edits
        for operation in operations where operation.progress.isUnresolved {
            let action = edits.first { $0.key == operation.operation.key }?.action
            guard action == .leave(because: "its outcome is unknown; 'openmarket apply' settles it") else {
                throw UndoHistory.Failure(message: "\(operation.operation.key) is open, and not left alone")
            }
        }
    }

    /// Undoes the runs after `known`, and carries that out; throws unless the market is as `earlier` has it.
    ///
    /// Products that the undo leaves alone are as the edited manifest has them, and so are those of which an operation
    /// failed: what it changed is not known.
    mutating func takeBack(
        _ listings: [Listing],
        to earlier: [Listing],
        since known: Set<RunID>
    ) async throws -> (listings: [Listing], count: Int) {
        let operations = try await operations(since: known)
        let edits = undo(operations, listings).edits
        let (edited, left) = Self.edited(listings, by: edits)
        let plain: Set<OperationStatus> = [.succeeded, .intended, .skipped]
        let others = left.union(operations.filter { !plain.contains($0.status) }.map(\.operation.key))
        let expected = Set((edited + earlier).map(\.key)).sorted().compactMap { key in
            (others.contains(key) ? edited : earlier).first { $0.key == key }
        }
        try await settle(edited)
        if let difference = try await shop.difference(from: expected) {
            throw UndoHistory.Failure(message: "\(shop.profile): \(difference)\n\(edits)")
        }
        return (edited, Set(edits.map(\.key)).subtracting(others).count)
    }

    /// The operations of the runs that are not `known`, the oldest first.
    private func operations(since known: Set<RunID>) async throws -> [JournalledOperation] {
        try await shop.backend.reading(shop.scope) { state in
            var operations: [JournalledOperation] = []
            for run in try await state.runs().reversed() where !known.contains(run.record.id) {
                operations += try await state.operations(of: run.record.id)
            }
            return operations
        }
    }

    /// The path of a picture is its digest; all are kept.
    private func undo(_ operations: [JournalledOperation], _ listings: [Listing]) -> RunUndo {
        RunUndo(operations, in: Manifest(listings, shop.profile)) { _, identity, image in
            switch identity {
            case .digest(let digest): digest.hexadecimal
            case .unknown(let reference): shop.market.digest(at: image?.url ?? reference)?.hexadecimal
            }
        }
    }

    // MARK: - The editor

    /// The manifest with the edits, and the keys of which something is left alone.
    private static func edited(
        _ listings: [Listing],
        by edits: [ProductEdit]
    ) -> (listings: [Listing], left: Set<String>) {
        var manifest = Dictionary(uniqueKeysWithValues: listings.map { ($0.key, $0) })
        var left: Set<String> = []
        for edit in edits {
            let key = edit.key
            switch (edit.action, manifest[key]) {
            case (.remove(let base), let listing?):
                let isSame = ProductField.allCases.allSatisfy { field in
                    guard let value = listing.values[field], let earlier = base?[field] else { return true }
                    return value == earlier
                }
                if isSame { manifest[key] = nil } else { left.insert(key) }
            case (.add(let added, _), nil):
                var listing = Listing.with(key: key, name: "", price: 0, pictures: [])
                listing.values = added.values
                listing.values.sale = added.values.sale ?? .fullPrice
                listing.set(added.images ?? [])
                manifest[key] = listing
            case (.change(let fields), var listing?):
                for edit in fields where !listing.take(edit) { left.insert(key) }
                manifest[key] = listing
            case (.remove, nil): break
            case (.leave, _), (.add, _), (.change, nil): left.insert(key)
            }
        }
        return (manifest.values.sorted { $0.key < $1.key }, left)
    }
}

extension Listing {
    fileprivate mutating func set(_ paths: [String]) {
        let numbers = paths.compactMap { UInt8($0.prefix(2), radix: 16) }
        values.images = numbers.map { .digest(.picture($0)) }
        pictures = numbers.map(Picture.numbered)
    }

    /// Whether the listing has what the edit starts from, and takes what it wants.
    fileprivate mutating func take(_ edit: FieldEdit) -> Bool {
        guard case .value(let field) = edit.field, edit.refusal == nil, edit.base == .value(values[field]) else {
            return false
        }
        switch edit.wanted {
        case .value(let value)?: values[field] = value
        case .paths(let paths)?: set(paths)
        case .flag, nil: values[field] = field == .salePrice ? .sale(.fullPrice) : nil
        }
        return true
    }
}
