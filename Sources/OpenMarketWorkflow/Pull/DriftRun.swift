package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest

/// Writes drift into the existing manifests, then into the state.
///
/// Files come first: if the run ends in between, they match the market, and the next run recognizes that.
package struct DriftRun: Sendable {
    private let manifest: Manifest
    private let edits: EditRun
    /// Paths of patches; if there are any, no file is edited.
    package var patches: [String]

    /// `patches` are paths of patches to write instead of the edits.
    ///
    /// `options` are those with which the manifest was read.
    package init(_ manifest: Manifest, options: ManifestOptions = ManifestOptions(), patches: [String] = []) throws {
        self.manifest = manifest
        self.patches = patches
        edits = try EditRun(manifest, options: options)
    }

    /// Whether the state is to be held.
    ///
    /// A missing one is not held, because holding creates it.
    private func changesState(of scope: MarketScope, in backend: any StateBackend) async throws -> Bool {
        guard patches.isEmpty else { return false }
        return try await backend.markets().contains { $0.scope == scope }
    }

    /// Finds the drift of a market, and writes it into the manifests and the state.
    ///
    /// It writes patches instead if any are requested, or if the state does not have the market.
    package func run(with work: MarketWork<some MarketConnection>) async throws -> DriftEdits {
        guard try await changesState(of: work.target.scope, in: work.state.backend) else {
            return try await work.reading { session, _ in try await preview(in: session) }
        }
        return try await work.holding(for: "pull") { try await write(in: $0) }
    }

    /// Finds the drift and writes a patch of it; does not change manifests and state.
    private func preview(in session: Session) async throws -> DriftEdits {
        let drift = try await session.drift(of: manifest, with: edits, after: session.preview())
        try await edits.requireValid(drift.planned)
        let patch = edits.patch(drift.planned)
        for path in patches { try AtomicFile.write(patch, to: path, permissions: AtomicFile.readableByAll) }
        return drift
    }

    /// Finds the drift, writes it into the manifests, and then into the state.
    private func write(in session: Session) async throws -> DriftEdits {
        var drift = try await session.drift(of: manifest, with: edits, after: session.settle())
        try await edits.requireValid(drift.planned)
        drift.edit = try edits.write(drift.planned, from: EditSource(.market, session.scope.url), tool: session.tool)
        try await session.record(drift)
        return drift
    }
}
