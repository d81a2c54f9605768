import Logging

/// Settles the unresolved operations of earlier runs before a plan.
///
/// It must run before the catalog is read, so that the catalog contains its findings.
package struct Recovery: Sendable {
    /// A product that must still be deleted.
    ///
    /// It is the old one of a replace whose new one exists, or the new one if it differs from the sent values.
    package struct PendingDelete: Hashable, Sendable {
        package var operation: PlannedOperation
        package var origin: UnresolvedOperation

        /// Whether the new product is deleted instead of the old one, because it differs from the sent values.
        package var takesBack: Bool { operation.id != origin.operation.id }
    }

    package struct Settled: Hashable, Sendable {
        package var operation: UnresolvedOperation
        package var outcome: String
        package var isOpen: Bool
        /// The possible products of an open create.
        var mayBe: Set<MarketID> = []
    }

    package struct Resolution: Sendable {
        /// The state to plan with; for `plan`, the state after the recovery that `apply` would do.
        package var snapshot: StateSnapshot
        package var settled: [Settled]
        /// Deletes that complete unfinished replaces: to add to the plan, and to pass to the executor.
        package var pendingDeletes: [PendingDelete]
        /// Deletes of products that sessions created after their end: to add to the plan.
        package var orphanDeletes: [PlannedOperation] = []
        /// Keys that must not be touched, because it is unknown whether their product exists.
        package var blockedKeys: Set<String>
        /// Trials of a description whose products may still be on the market; see ``Recovery/remove(_:as:in:drain:)``.
        package var trials: [UnresolvedOperation] = []
        /// Names of products that may have been created; no other listing may adopt such a product now.
        package var blockedNames: Set<String> = []
        /// The possible products of such a create, under any name: no other listing may adopt one by its name.
        package var inQuestion = ProductsInQuestion()

        /// The messages for `plan`: one for each run with unresolved operations.
        package var notes: [String] {
            let runs = Dictionary(grouping: settled, by: \.operation.run.rawValue).sorted { $0.key < $1.key }
            return runs.map { run, items in
                "\(counted(items.count, "operation")) of run \(run) \(items.count == 1 ? "is" : "are") unresolved"
            }
        }
    }

    let market: any Market
    let state: any StateReader
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    let environment: ExecutionEnvironment
    /// The product id that the manifest states for a key (`id:`).
    let pinnedID: @Sendable (_ key: String) -> MarketID?

    package init(
        market: any Market,
        state: any StateReader,
        capabilities: MarketCapabilities,
        configuration: ExecutorConfiguration = ExecutorConfiguration(),
        environment: ExecutionEnvironment,
        pinnedID: @escaping @Sendable (_ key: String) -> MarketID? = { _ in nil }
    ) {
        self.market = market
        self.state = state
        self.capabilities = capabilities
        self.configuration = configuration
        self.environment = environment
        self.pinnedID = pinnedID
    }

    /// Reads without writing to the market or the journal, for `plan`.
    ///
    /// Throws ``MarketError`` if the market cannot be read, and rethrows the state's errors.
    package func preview() async throws -> Resolution {
        try await resolve(writingTo: nil, drain: StopSignal())
    }

    /// Settles as much as possible and records it, for `apply`.
    ///
    /// `session` must be of the same state. `drain` ends the waiting; the rest stays unresolved. Throws ``MarketError``
    /// if the market cannot be read, and rethrows the state's errors.
    package func settle(in session: any StateSession, drain: StopSignal = StopSignal()) async throws -> Resolution {
        try await resolve(writingTo: session, drain: drain)
    }

    private func resolve(writingTo session: (any StateSession)?, drain: StopSignal) async throws -> Resolution {
        var basis = try await state.basis()
        if let delay = session?.takeoverDelay, delay > .zero, basis.leftOver.contains(where: { $0.runEndedAt == nil }) {
            // An ended session may not have noticed its end yet.
            try await drain.pause(for: delay, on: environment.clock)
            basis = try await state.basis()
        }
        var resolution = try await resolve(basis, writingTo: session, drain: drain)
        resolution.orphanDeletes = try await deletes(
            of: state.orphans(),
            after: resolution,
            writingTo: session,
            drain: drain
        )
        return resolution
    }

    private func resolve(
        _ basis: StateBasis,
        writingTo session: (any StateSession)?,
        drain: StopSignal
    ) async throws -> Resolution {
        let isPreview = session == nil
        let snapshot = basis.snapshot
        var resolution = Resolution(snapshot: snapshot, settled: [], pendingDeletes: [], blockedKeys: [])
        // The operations' times are the backend's, whose clock may differ from this machine's.
        let time = RunTime(environment)
        let now = time.wall()
        let skew = now - basis.now
        let found = basis.leftOver.map { $0.shifted(by: skew) }
        resolution.trials = found.filter(\.operation.isTrial)
        var unresolved = found.filter { !$0.operation.isTrial }
        guard !unresolved.isEmpty else { return resolution }
        Logger.current.debug("unresolved operations", metadata: ["count": "\(unresolved.count)"])

        let settler = CreateSettler(
            market: market,
            capabilities: capabilities,
            configuration: configuration,
            time: time,
            drain: drain
        )
        var repeated: [Int: SettlementVerdict] = [:]
        if let session, capabilities.repetition != nil {
            for index in unresolved.indices {
                repeated[index] = try await settler.repeated(&unresolved[index], in: session, snapshot)
            }
        }
        let looked = try await verdicts(unresolved, beside: repeated, snapshot, settler, isPreview: isPreview)
        let verdicts = looked.merging(repeated) { $1 }
        let quiet = configuration.quietPeriod(on: capabilities)
        if !isPreview, try await !drain.outlast(unresolved, by: quiet, since: now, time) {
            resolution.settled = unresolved.map { Settled(operation: $0, outcome: Stopped.outcome, isOpen: true) }
            resolution.blockedKeys = Set(unresolved.map(\.operation.key))
            resolution.blockedNames = Set(unresolved.compactMap(\.nameOfOpenCreate))
            return resolution
        }
        let lookup = lookup(isPreview: isPreview, drain)
        for (index, unresolved) in unresolved.enumerated() {
            var open = unresolved
            var step: Step
            do {
                step = try await Settling(
                    open: open,
                    snapshot: resolution.snapshot,
                    capabilities: capabilities,
                    lookup: lookup
                ).step(verdicts[index])
            } catch is Stopped {
                step = Step(outcome: Stopped.outcome)
            }
            step.mutations = configuration.withOrigin(step.mutations, of: open.operation)
            if let session { try await record(step, of: &open, in: session, drain) }
            resolution.take(step, of: open)
        }
        resolution.block()
        return resolution
    }

    private func record(
        _ step: Step,
        of open: inout UnresolvedOperation,
        in session: any StateSession,
        _ drain: StopSignal
    ) async throws {
        guard let fact = step.fact else { return }
        if let why = try await session.record(open.next(fact, step.mutations)).stop { drain.stop(.ordered(why)) }
        open.facts += 1
    }

    /// The run stopped before the outcome was certain.
    struct Stopped: Error {
        static let outcome = "the run stopped before it was settled"
    }

    /// Reads products whose absence decides the recorded fact; it throws ``Stopped`` if the run stops during a wait.
    func lookup(isPreview: Bool, _ drain: StopSignal) -> ProductLookup {
        ProductLookup(
            market: market,
            hiding: capabilities.readAfterWriteDelay,
            // A preview does not record.
            quiet: isPreview
                ? .zero : configuration.quietPeriod(on: capabilities)
        ) { [clock = environment.clock] in
            try await drain.pause(for: $0, on: clock)
            if drain.reason != nil { throw Stopped() }
        }
    }

    /// Settles all creates without a reply together, so that equal ones are counted.
    ///
    /// Creates with a reply are not searched for, and their products belong to no other create.
    private func verdicts(
        _ unresolved: [UnresolvedOperation],
        beside answered: [Int: SettlementVerdict],
        _ snapshot: StateSnapshot,
        _ settler: CreateSettler,
        isPreview: Bool
    ) async throws -> [Int: SettlementVerdict] {
        let creates = unresolved.enumerated().compactMap { index, open in
            answered[index] != nil
                ? nil
                : CreateSettlement.OpenCreate(
                    open,
                    capabilities,
                    configuration,
                    index: index,
                    since: open.unheardSince(settler.time.wall())
                )
        }
        var verdicts: [Int: SettlementVerdict] = [:]
        for create in creates {
            guard let key = create.key, let id = pinnedID(key), let product = try await market.product(id),
                snapshot.entries.values.allSatisfy({ $0.id != id || $0.key == key })
            else { continue }
            let isForeign = isPreview ? false : try await settler.isForeign(product, create, .init(snapshot: snapshot))
            verdicts[create.index] =
                isForeign
                ? .unresolved("product \(id), which the manifest names, is another vendor's")
                : .happened(product, picturesAreCertain: false)
        }
        let rest = creates.filter { verdicts[$0.index] == nil }
        guard !rest.isEmpty else { return verdicts }
        let known = CreateSettler.Knowledge(
            snapshot: snapshot,
            taken: Set(
                [answered, verdicts].flatMap { $0.values.compactMap(\.product) } + unresolved.flatMap(\.products)
            )
        )
        let found = try await isPreview ? settler.preview(rest, known) : settler.settle(rest) { known }
        return verdicts.merging(found) { $1 }
    }

    /// The record for one operation, and the remaining work.
    struct Step {
        /// `nil` if the operation stays unresolved.
        var fact: JournalEvent.Fact?
        var mutations: [StateMutation] = []
        var pendingDelete: PlannedOperation?
        var outcome: String
        /// The possible products of an open create.
        var mayBe: Set<MarketID> = []
    }

    /// An operation to settle, with the state that earlier ones left.
    struct Settling {
        let open: UnresolvedOperation
        let snapshot: StateSnapshot
        let capabilities: MarketCapabilities
        let lookup: ProductLookup

        var previous: StateEntry? { snapshot.entries[open.operation.key] }
    }
}

extension Recovery.Settling {
    typealias Step = Recovery.Step

    func step(_ verdict: SettlementVerdict?) async throws -> Step {
        if try await isCarriedOut() { return carriedOut }
        let attached = try await attachedPicture()
        // An upload alone does not create a product, nor does a delete before the create.
        guard let wanted = open.operation.newProduct, open.created != nil || open.isOpenCreate else {
            // Market and manifest are compared again, and the differences are planned again.
            return Step(fact: .failed("settled: planned again"), mutations: attached, outcome: "planned again")
        }
        if let created = open.created {
            var step = try await step(madeAs: created)
            if case .succeeded? = step.fact { step.mutations += attached }
            return step
        }
        switch verdict {
        case .happened(let product, let picturesAreCertain):
            return try await step(wanted, madeAs: product, picturesAreCertain)
        case .neverHappened:
            return Step(
                fact: .failed("settled: the market never created it; planned again"),
                outcome: "was not created"
            )
        case .unresolved(let message, let products): return Step(outcome: message, mayBe: products)
        case nil: return Step(outcome: "outcome unknown")
        }
    }

    private func step(madeAs created: MarketID) async throws -> Step {
        guard let replacement = open.operation.succession else {
            // The state never assigned the key to a product that contradicted the vendor identity.
            let isKnown = snapshot.entries.ids.contains(created)
            return isKnown
                ? Step(fact: .succeeded(created), outcome: "it was created as \(created)") : try await undone(created)
        }
        // The state never assigned the key to a new product that differed from the sent values.
        if previous?.id == replacement.id { return try await undone(created) }
        return try await replaced(replacement, by: created, mutations: [])
    }

    private func step(
        _ wanted: NewProduct,
        madeAs product: LiveProduct,
        _ picturesAreCertain: Bool
    ) async throws -> Step {
        let replacement = open.operation.succession
        // The key may now refer to another product, which this one must not displace.
        if let previous, previous.id != product.id, previous.id != replacement?.id,
            let other = try await lookup.proved(previous.id),
            // A product adopted under a wrong vendor number is another vendor's.
            Ownership(showing: other.vendorID, ours: product.vendorID) != .foreign
        {
            return Step(outcome: "it was created as \(product.id), but its key means product \(previous.id) now")
        }
        let vendor: [StateMutation] = product.vendorID.map { [.vendor($0)] } ?? []
        let differences = wanted.asMade(capabilities).differences(of: product, capabilities).map(\.description)
        if let replacement, !differences.isEmpty, let previous, previous.id == replacement.id,
            try await lookup.proved(previous.id) != nil
        {
            return Step(outcome: replacement.unresolvedMessage(about: product.id, differences))
        }
        if let replacement, previous?.id == replacement.id, capabilities.pictureStyle == .attach,
            !wanted.pictures.isEmpty
        {
            // The old product is the better one until the new one has its pictures, and attaching them may fail.
            var step = try await undone(product.id)
            if step.fact == nil { step.fact = .advanced(.create, created: product.id) }
            return step
        }
        let entry = StateEntry(
            created: product,
            as: wanted,
            by: open.operation,
            previous: previous,
            on: capabilities,
            picturesAreCertain: picturesAreCertain
        )
        // A market may reuse a deleted id that the state still has under another key.
        let former = snapshot.entries.values.filter { $0.id == product.id && $0.key != entry.key }
        let mutations = [.put(entry)] + vendor + former.map { StateMutation.release(key: $0.key, id: $0.id) }
        guard let replacement else {
            return Step(
                fact: .succeeded(product.id),
                mutations: mutations,
                outcome: "it was created as \(product.id)"
            )
        }
        return try await replaced(replacement, by: product.id, mutations: mutations)
    }
}

extension Recovery.Resolution {
    fileprivate mutating func take(_ step: Recovery.Step, of open: UnresolvedOperation) {
        let isOpen = step.fact == nil || step.pendingDelete != nil
        for mutation in step.mutations { snapshot.apply(mutation) }
        if let delete = step.pendingDelete {
            pendingDeletes.append(Recovery.PendingDelete(operation: delete, origin: open))
        }
        settled.append(.init(operation: open, outcome: step.outcome, isOpen: isOpen, mayBe: step.mayBe))
    }

    /// Blocks keys and names after all operations were examined.
    fileprivate mutating func block() {
        let owed = Set(pendingDeletes.map(\.origin))
        for item in settled where item.isOpen && !owed.contains(item.operation) {
            blockedKeys.formUnion(item.operation.keysToLeaveAlone(snapshot))
            if let name = item.operation.nameOfOpenCreate { blockedNames.insert(name) }
            inQuestion.ids.formUnion(item.mayBe)
            // The market did not answer, or the product may still appear.
            if item.operation.isOpenCreate, item.mayBe.isEmpty { inQuestion.newerThan.append(item.operation.highWater) }
        }
        // There must never be a third product, so the leftover of the last attempt must be gone before the next
        // replace.
        for pending in pendingDeletes where pending.takesBack { blockedKeys.insert(pending.operation.key) }
    }
}
