import Synchronization

/// The shared data of a run's operations: the growing state, the newest id, and whether the market answers.
final class RunLedger: Sendable {
    private struct State {
        var snapshot: StateSnapshot
        var identity: VendorIdentity
        var highWater: MarketID?
        /// How many requests in a row got no answer.
        var failures = 0
        /// Products that were assigned to a key in this run, or that a reply names and that are being examined.
        var held: [MarketID: String] = [:]
        var lost: Set<String> = []
        /// Products in replies to creates that are not recorded yet, by operation.
        var made: [Int: MarketID] = [:]
        /// The number of recorded facts by operation.
        var facts: [Int32] = []

        subscript(factsOf sequence: Int) -> Int {
            get { sequence < facts.count ? Int(facts[sequence]) : 0 }
            set {
                if sequence >= facts.count { facts += Array(repeating: 0, count: sequence + 1 - facts.count) }
                facts[sequence] = Int32(newValue)
            }
        }
    }

    private let state: Mutex<State>
    /// The keys of products in the state at the beginning.
    private let bound: [MarketID: String]

    init(_ snapshot: StateSnapshot, _ identity: VendorIdentity, _ highWater: MarketID?) {
        bound = Dictionary(snapshot.entries.values.lazy.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        state = Mutex(State(snapshot: snapshot, identity: identity, highWater: highWater))
    }

    var snapshot: StateSnapshot { state.withLock { $0.snapshot } }

    /// A state without products that are gone, because a reset market (ids reused) assigns their ids again.
    func withoutLost(_ snapshot: StateSnapshot) -> StateSnapshot {
        state.withLock { state in
            var snapshot = snapshot
            for key in state.lost {
                guard let id = snapshot.entries[key]?.id, state.held[id] != key else { continue }
                snapshot.entries[key] = nil
            }
            return snapshot
        }
    }

    func nextFact(of sequence: Int) -> Int {
        state.withLock { state in
            state[factsOf: sequence] += 1
            return state[factsOf: sequence]
        }
    }

    func takeBackFact(of sequence: Int) { state.withLock { $0[factsOf: sequence] -= 1 } }

    /// Notes how many facts another session wrote about an operation that now belongs to this one.
    func resume(_ sequence: Int, behind facts: Int) {
        guard facts > 0 else { return }
        state.withLock { $0[factsOf: sequence] = facts }
    }

    /// Adopts the state's entries when their operations are assigned to this session.
    func take(_ entries: [StateEntry], of keys: [String]) {
        state.withLock { state in
            let known = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
            for key in keys { state.snapshot.entries[key] = known[key] }
            state.identity.keys?.formUnion(keys)
        }
    }

    var begunOperations: Set<Int> {
        let facts = state.withLock { $0.facts }
        return Set(facts.indices.filter { facts[$0] > 0 })
    }

    func noteMade(_ id: MarketID, by sequence: Int) { state.withLock { $0.made[sequence] = id } }

    /// The product in the reply to a create, if it is not recorded yet.
    func productMade(by sequence: Int) -> MarketID? { state.withLock { $0.made[sequence] } }

    var highWater: MarketID? { state.withLock { $0.highWater } }

    var identity: VendorIdentity { state.withLock { $0.identity } }

    func learn(_ body: (inout VendorIdentity) -> Void) { state.withLock { body(&$0.identity) } }

    func entry(_ key: String) -> StateEntry? {
        state.withLock { $0.snapshot.entries[key] }
    }

    /// The other key that a product belongs to, or that it carries because its id was reused; `nil` if there is none.
    func holder(of id: MarketID, shownAs product: LiveProduct?, besides key: String) -> String? {
        state.withLock { state in
            if let holder = state.held[id] ?? boundKey(of: id, state), holder != key { return holder }
            guard let own = product.flatMap({ state.identity.keys?.key(of: $0) }), own != key,
                let entry = state.snapshot.entries[own], entry.id != id
            else { return nil }
            return own
        }
    }

    /// Claims a product for a key, or returns the other key that it belongs to.
    ///
    /// A product that is newer than everything on the market belongs to no earlier key, even if the state has its id.
    func claim(_ id: MarketID, for key: String, newerThan highWater: MarketID?) -> String? {
        state.withLock { state in
            if let holder = state.held[id], holder != key { return holder }
            let isNew = id.number != nil && highWater.map { id.isNewer(than: $0) } ?? true
            if !isNew, let holder = boundKey(of: id, state), holder != key { return holder }
            state.held[id] = key
            return nil
        }
    }

    /// Notes that the product of a key was searched for and is gone.
    func noteMissing(_ key: String) {
        state.withLock { if $0.snapshot.entries[key] != nil { $0.lost.insert(key) } }
    }

    /// Releases a claimed product that is not adopted.
    func release(_ id: MarketID, for key: String) {
        state.withLock { state in
            guard state.held[id] == key, state.snapshot.entries[key]?.id != id else { return }
            state.held[id] = nil
        }
    }

    /// The changes, and those that detach products from keys that had them before the market was reset (ids reused).
    func releasing(_ mutations: [StateMutation]) -> [StateMutation] {
        state.withLock { state in
            mutations
                + mutations.compactMap { mutation in
                    guard case .put(let entry) = mutation, let key = boundKey(of: entry.id, state), key != entry.key
                    else { return nil }
                    return .release(key: key, id: entry.id)
                }
        }
    }

    /// The event without the vendor number if the state has it: every reply names it, and it is written once.
    func withoutKnownVendor(_ event: JournalEvent) -> JournalEvent {
        guard !event.mutations.isEmpty, let known = state.withLock({ $0.snapshot.vendorID }) else { return event }
        var event = event
        event.mutations.removeAll { $0 == .vendor(known) }
        return event
    }

    private func boundKey(of id: MarketID, _ state: State) -> String? {
        bound[id].flatMap { state.snapshot.entries[$0]?.id == id ? $0 : nil }
    }

    func take(_ event: JournalEvent) {
        if case .sent = event.fact, event.mutations.isEmpty { return }
        state.withLock { state in
            state.made[event.sequence] = nil
            for mutation in event.mutations {
                state.snapshot.apply(mutation)
                // Only replies to own writes prove the number.
                if case .vendor(let number) = mutation { state.identity.confirm(number, by: .reply) }
                if case .put(let entry) = mutation {
                    if let number = entry.id.number, number > state.highWater?.number ?? .min {
                        state.highWater = entry.id
                    }
                    state.held[entry.id] = entry.key
                }
            }
        }
    }

    /// Counts an outcome, where a rate limit is an answer; returns whether so many in a row were none.
    func observe(_ outcome: WriteOutcome, limit: Int) -> Bool {
        state.withLock { state in
            state.failures = outcome.trouble?.isOverload == false ? state.failures + 1 : 0
            return state.failures >= limit
        }
    }
}
