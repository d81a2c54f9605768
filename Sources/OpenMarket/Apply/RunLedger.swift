import Synchronization

/// What the operations of a run share: the state as it grows, the newest id, and whether the market answers.
final class RunLedger: Sendable {
    private struct State {
        var snapshot: StateSnapshot
        var identity: VendorIdentity
        var highWater: MarketID?
        var breaker: CircuitBreaker
        /// Products that a key came to mean in this run, or that a reply names and that are being looked at.
        var held = MarketIDMap<String>()
        /// Keys whose products were looked for and are gone.
        var lost: Set<String> = []
        /// Products that replies to creates name and that are not written down yet, by the operation.
        var made: [Int: MarketID] = [:]
        /// How many facts were written about each operation, as far as any was.
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
    /// The keys of products as the state had them at the beginning.
    private let bound: [MarketID: String]

    init(
        _ snapshot: StateSnapshot,
        _ identity: VendorIdentity,
        _ highWater: MarketID?,
        _ breaker: CircuitBreaker
    ) {
        bound = Dictionary(snapshot.entries.values.lazy.map { ($0.id, $0.key) }, uniquingKeysWith: min)
        state = Mutex(State(snapshot: snapshot, identity: identity, highWater: highWater, breaker: breaker))
    }

    /// The state as the journal has it.
    var snapshot: StateSnapshot { state.withLock { $0.snapshot } }

    /// A state without products that are gone: a market that began again gives their numbers out once more.
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

    /// The number of the next fact about an operation.
    func nextFact(of sequence: Int) -> Int {
        state.withLock { state in
            state[factsOf: sequence] += 1
            return state[factsOf: sequence]
        }
    }

    /// Takes the number of a fact back that was not written.
    func takeBackFact(of sequence: Int) { state.withLock { $0[factsOf: sequence] -= 1 } }

    /// Takes note of how many facts another session wrote about an operation that is this one's now.
    func resume(_ sequence: Int, behind facts: Int) {
        guard facts > 0 else { return }
        state.withLock { $0[factsOf: sequence] = facts }
    }

    /// Takes over what the state knows of keys at the moment when their operations become this session's.
    func take(_ entries: [StateEntry], of keys: [String]) {
        state.withLock { state in
            let known = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
            for key in keys { state.snapshot.entries[key] = known[key] }
            state.identity.keys?.formUnion(keys)
        }
    }

    /// The operations that something was written about.
    var begunOperations: Set<Int> {
        let facts = state.withLock { $0.facts }
        return Set(facts.indices.filter { facts[$0] > 0 })
    }

    /// Takes note of the product that the reply to a create names.
    func noteMade(_ id: MarketID, by sequence: Int) { state.withLock { $0.made[sequence] = id } }

    /// The product that the reply to a create named and that is not written down.
    func productMade(by sequence: Int) -> MarketID? { state.withLock { $0.made[sequence] } }

    /// The newest id known.
    var highWater: MarketID? { state.withLock { $0.highWater } }

    /// Who we are, and what of it the market has confirmed.
    var identity: VendorIdentity { state.withLock { $0.identity } }

    /// Takes over what the market says of who we are.
    func learn(_ body: (inout VendorIdentity) -> Void) { state.withLock { body(&$0.identity) } }

    /// What the state knows under a key.
    func entry(_ key: String) -> StateEntry? {
        state.withLock { $0.snapshot.entries[key] }
    }

    /// The key that a product belongs to, where that is another.
    func holder(of id: MarketID, besides key: String) -> String? {
        state.withLock { state in
            guard let holder = state.held[id] ?? boundKey(of: id, state), holder != key else { return nil }
            return holder
        }
    }

    /// The other key that a product carries and that the state knows: an id that was given out again.
    func holder(ofKeyOf product: LiveProduct, besides key: String) -> String? {
        state.withLock { state in
            guard let own = state.identity.keys?.key(of: product), own != key, let entry = state.snapshot.entries[own],
                entry.id != product.id
            else { return nil }
            return own
        }
    }

    /// Holds a product for a key, unless it is another's, which is then returned.
    ///
    /// A product that is newer than all that was on the market belongs to no key of before the run, whatever the state says.
    func claim(_ id: MarketID, for key: String, newerThan highWater: MarketID?) -> String? {
        state.withLock { state in
            if let holder = state.held[id], holder != key { return holder }
            let isNew = id.number != nil && highWater.map { id.isNewer(than: $0) } ?? true
            if !isNew, let holder = boundKey(of: id, state), holder != key { return holder }
            state.held[id] = key
            return nil
        }
    }

    /// Takes note that the product which the state knows under a key was looked for and is gone.
    func noteMissing(_ key: String) {
        state.withLock { if $0.snapshot.entries[key] != nil { $0.lost.insert(key) } }
    }

    /// Gives a product back that was held and is not taken.
    func release(_ id: MarketID, for key: String) {
        state.withLock { state in
            guard state.held[id] == key, state.snapshot.entries[key]?.id != id else { return }
            state.held[id] = nil
        }
    }

    /// The changes with those that take a product from the key that meant it before the market began again.
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

    /// The event without the vendor number that the state has: each reply names it, and it is written once.
    func withoutKnownVendor(_ event: JournalEvent) -> JournalEvent {
        guard !event.mutations.isEmpty, let known = state.withLock({ $0.snapshot.vendorID }) else { return event }
        var event = event
        event.mutations.removeAll { $0 == .vendor(known) }
        return event
    }

    private func boundKey(of id: MarketID, _ state: State) -> String? {
        bound[id].flatMap { state.snapshot.entries[$0]?.id == id ? $0 : nil }
    }

    /// Takes over what was just recorded.
    func take(_ event: JournalEvent) {
        if case .sent = event.fact, event.mutations.isEmpty { return }
        state.withLock { state in
            state.made[event.sequence] = nil
            for mutation in event.mutations {
                state.snapshot.apply(mutation)
                // Only replies to our own writes teach the number.
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

    /// Takes note of an outcome; says whether the market is plainly down.
    func observe(_ outcome: WriteOutcome) -> Bool {
        state.withLock { state in
            state.breaker.observe(outcome)
            return state.breaker.isOpen
        }
    }
}
