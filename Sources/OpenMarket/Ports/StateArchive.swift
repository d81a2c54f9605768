/// All data of one market in a state; ``StateSession/fill(with:)`` copies it into another state.
package struct StateArchive: Sendable {
    package var snapshot: StateSnapshot
    package var acceptedDescription: ContentDigest?
    /// The runs, the oldest first.
    package var runs: [RunSummary]
    package var unresolved: [UnresolvedOperation]
    private let session: any StateSession

    /// Reads the data; `session` has to stay open as long as the archive is used.
    package init(of session: any StateSession) async throws {
        let basis = try await session.basis()
        snapshot = basis.snapshot
        unresolved = basis.leftOver
        acceptedDescription = try await session.acceptedDescription()
        runs = try await session.runs().reversed()
        self.session = session
    }

    /// The operations of a run in their order, read now; empty if they are not kept any more.
    package func operations(of run: RunID) async throws -> [JournalledOperation] {
        try await session.operations(of: run)
    }
}
