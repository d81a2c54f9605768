package import OpenMarket
import OpenMarketFiles
package import OpenMarketManifest

/// Writes drift into the existing manifests, then into the state; with ``pull``, also new products and pictures.
///
/// Pictures come first, then files: if the run ends in between, these match the market, and the next run recognizes
/// that.
package struct DriftRun: Sendable {
    private let manifest: Manifest
    package private(set) var edits: EditRun
    /// Paths of patches; if there are any, no file is edited.
    package let patches: [String]
    private var pull: PullRun?

    /// `patches` are paths of patches to write instead of the edits.
    ///
    /// `options` are the options that read the manifest.
    package init(_ manifest: Manifest, options: ManifestOptions = ManifestOptions(), patches: [String] = []) throws {
        self.manifest = manifest
        self.patches = patches
        edits = try EditRun(manifest, options: options)
    }

    /// Also takes in new products and pictures.
    ///
    /// `destination` is the file that lists new products; needed if several files list products.
    package mutating func add(_ pull: PullRun, into destination: String?) {
        self.pull = pull
        edits.destination = destination
    }

    /// Whether the state is to be held.
    ///
    /// A missing one is not held for drift alone, because holding creates it.
    private func changesState(of scope: MarketScope, in backend: any StateBackend) async throws -> Bool {
        guard patches.isEmpty else { return false }
        guard pull == nil else { return true }
        return try await backend.markets().contains { $0.scope == scope }
    }

    /// Finds the drift of a market, and writes it into the manifests and the state once `confirm` returns.
    ///
    /// It writes patches instead if any are requested, or if the state does not have the market.
    package func run(
        with work: MarketWork<some MarketConnection>,
        accepting acceptance: DescriptionAcceptance? = nil,
        confirming confirm: (DriftEdits) throws -> Void = { _ in }
    ) async throws -> DriftEdits {
        guard try await changesState(of: work.target.scope, in: work.state.backend) else {
            return try await work.reading { session, _ in try await preview(in: session) }
        }
        return try await work.holding(for: "pull", accepting: acceptance) { session in
            if pull != nil { try await session.requireAccepted() }
            return try await write(in: session, confirming: confirm)
        }
    }

    /// Finds the drift and writes a patch of it; does not change manifests and state.
    private func preview(in session: Session) async throws -> DriftEdits {
        let drift = try await session.drift(of: manifest, with: edits, after: session.preview(), pulling: pull)
        try await edits.requireValid(drift.planned)
        let patch = edits.patch(drift.planned)
        for path in patches { try AtomicFile.write(patch, to: path, permissions: AtomicFile.readableByAll) }
        return drift
    }

    /// Finds the drift, writes it into the manifests, and then into the state.
    func write(in session: Session, confirming confirm: (DriftEdits) throws -> Void) async throws -> DriftEdits {
        let recovered = try await session.settle()
        if pull != nil, manifest.listings.isEmpty { try recovered.requireResolved() }
        var drift = try await session.drift(of: manifest, with: edits, after: recovered, pulling: pull)
        let edited = try await edits.requireValid(drift.planned)
        var adoptions: Session.Adoptions?
        // An adjusted manifest does not have the market's values, so a run that was killed before this is left to
        // `apply`.
        if !drift.unknownKeys.isEmpty, !manifest.isAdjusted {
            var session = session
            session.pictureDigests = drift.digests
            adoptions = try await session.adoptions(of: drift.unknownKeys, as: edited)
        }
        try confirm(drift)
        let source = EditSource(.market, session.scope.url)
        drift.edit = try edits.write(drift.planned, from: source, tool: session.tool)
        try await session.record(drift)
        if let (planned, digest, hasMoved) = adoptions {
            if !planned.plan.operations.isEmpty || !planned.plan.stateUpdates.isEmpty {
                _ = try await session.apply(planned, as: session.runRecord(manifest: digest), asksOwners: false)
            }
            if hasMoved { drift.shop?.catalogMoved = true }
        }
        return drift
    }
}
