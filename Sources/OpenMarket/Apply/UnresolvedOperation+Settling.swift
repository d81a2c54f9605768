extension UnresolvedOperation {
    /// The keys that must not be touched while the operation is unresolved: its own, and those of products that may turn out
    /// to be its twins.
    func keysToLeaveAlone(_ snapshot: StateSnapshot) -> Set<String> {
        let name = nameOfOpenCreate
        let twins = snapshot.entries.values.filter { entry in
            isOpenCreate && entry.applied.name == name && (highWater.map { entry.id.mayBeNewer(than: $0) } ?? true)
        }
        return Set(twins.map(\.key)).union([operation.key])
    }

    /// The name of the product that was made, or was not.
    var nameOfOpenCreate: String? { isOpenCreate ? operation.newProduct?.values.name : nil }

    /// From when on the market may have worked on its request without anybody listening.
    ///
    /// A run that was killed may have listened, or still have sent, until just now: a slow upload may be older than any
    /// delay when its connection breaks.
    func unheardSince(_ now: Timestamp) -> Timestamp {
        runEndedAt.map { max($0, sentAt) } ?? now
    }

    /// The same with its times on this machine's clock.
    func shifted(by skew: Duration) -> UnresolvedOperation {
        var shifted = self
        shifted.sentAt = sentAt + skew
        shifted.runEndedAt = runEndedAt.map { $0 + skew }
        shifted.imprintedAt = imprintedAt.map { $0 + skew }
        return shifted
    }

    /// Whether it is unknown if the operation's create took effect.
    var isOpenCreate: Bool {
        operation.newProduct != nil && created == nil
            && ![.upload, .proveOwnership, .deleteKey, .delete].contains(step)
    }
}
