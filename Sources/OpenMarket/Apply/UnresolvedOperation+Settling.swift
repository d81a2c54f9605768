extension StopSignal {
    /// Waits until the market can no longer apply a request of these operations; returns whether there was time.
    ///
    /// A late update would undo the values that are read now, or hide the product on v1.
    func outlast(
        _ unresolved: [UnresolvedOperation],
        by quiet: Duration,
        since now: Timestamp,
        _ time: RunTime
    ) async throws -> Bool {
        let youngest = unresolved.filter { !$0.stepSucceeded }.map { $0.unheardSince(now) }.max() ?? .epoch
        try await pause(for: time.remaining(of: quiet, since: youngest), on: time.clock)
        return reason == nil
    }
}

extension UnresolvedOperation {
    func next(_ fact: JournalEvent.Fact, _ mutations: [StateMutation] = []) -> JournalEvent {
        JournalEvent(run: run, sequence: sequence, number: facts + 1, fact: fact, mutations: mutations)
    }

    /// The keys to leave untouched while the operation is unresolved: its own, and those of products with the same
    /// name.
    func keysToLeaveAlone(_ snapshot: StateSnapshot) -> Set<String> {
        let name = nameOfOpenCreate
        let twins = snapshot.entries.values.filter { entry in
            isOpenCreate && entry.applied.name == name && (highWater.map { entry.id.mayBeNewer(than: $0) } ?? true)
        }
        return Set(twins.map(\.key)).union([operation.key])
    }

    /// The created product, and the existing one unless the operation deletes that first.
    var products: [MarketID] {
        [created, operation.replacement?.deletesFirst == true ? nil : operation.id].compactMap(\.self)
    }

    var nameOfOpenCreate: String? { isOpenCreate ? operation.newProduct?.values.name : nil }

    /// The start of the quiet period: since then the market may have worked on the request unobserved.
    ///
    /// It is not before `now`: the clock may have been set since the run ended, and a killed run may have been sending
    /// until just now.
    func unheardSince(_ now: Timestamp) -> Timestamp { max(now, sentAt) }

    /// A copy with its times on this machine's clock.
    func shifted(by skew: Duration) -> UnresolvedOperation {
        var shifted = self
        shifted.sentAt = sentAt + skew
        shifted.runEndedAt = runEndedAt.map { $0 + skew }
        shifted.firstSentAt = firstSentAt.map { $0 + skew }
        return shifted
    }

    /// Whether the effect of the operation's create is unknown.
    var isOpenCreate: Bool {
        operation.newProduct != nil && created == nil
            && ![.upload, .proveOwnership, .deleteKey, .delete].contains(step)
    }
}
