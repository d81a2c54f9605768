package import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import OpenMarketManifest

/// A plan with its context, to be shown, saved and applied.
///
/// It holds no secret, only references to secrets.
package struct SavedPlan: Sendable {
    /// The facts of the state at planning time, so that the plan is not applied to another state.
    struct Known: Hashable, Sendable {
        var products = 0
        /// The product of each key of the plan; keys without a product are missing.
        var ids: [String: MarketID] = [:]
        /// The newest run; `nil` if there was none.
        var lastRun: RunID?
    }

    /// The tool that wrote it, with its version.
    var tool = ""
    var url = ""
    /// The market's profile, whose description is saved in the plan.
    var profile = MarketProfile.standard
    package var manifestFiles: [String] = []
    /// The file that has the section `market`; `nil` if it is the first.
    package var marketFile: String?
    /// The table whose edits the manifest has in this plan.
    var editedBy: String?
    var manifestDigest = ContentDigest.zero
    package var plan = Plan.blank
    /// The number of unresolved operations of earlier runs at planning time.
    var unresolved = 0
    /// The reference to the vendor's identifier (v2).
    var identifier: SecretReference?
    var secret: SecretReference?
    var identifierDigest: ContentDigest?
    /// Hosts besides the market's own that its pictures may be fetched from.
    var pictureHosts: [String] = []
    /// Whether new products are sent with the manifest's keys.
    var sendsKeys = false
    package var state = ""
    var known = Known()
}

extension SavedPlan {
    /// Creates a plan to save.
    ///
    /// `tool` includes its version, and `scope` is the market and the vendor. `profile` is that of the market's
    /// description. The last run is the newest one in the state, and `folder` is the absolute base of the manifests'
    /// names.
    init(
        _ planned: PlannedChanges,
        tool: String,
        scope: MarketScope,
        profile: MarketProfile,
        manifest: Manifest,
        state: StateLocation,
        lastRun: RunID?,
        in folder: String
    ) {
        let paths = DocumentPaths(folder: folder)
        let keys = planned.plan.keys
        let capabilities = profile.capabilities
        let usesIdentifier = capabilities.credentials.contains(.identifier) || capabilities.identifierIsScope
        let identifier = usesIdentifier ? manifest.market.identifier : nil
        let entries = planned.snapshot.entries
        self.init(
            tool: tool,
            url: scope.url,
            profile: profile,
            manifestFiles: manifest.files.map { $0 == "-" ? $0 : paths.absolute($0) },
            marketFile: manifest.market.file.isExactly(manifest.files.first)
                ? nil : manifest.market.file.map(paths.absolute),
            editedBy: manifest.editedBy.map(paths.absolute),
            manifestDigest: manifest.digest,
            plan: planned.plan,
            unresolved: planned.recovery.settled.count,
            identifier: identifier?.reference.mappingPath(paths.absolute),
            secret: manifest.market.secret?.reference.mappingPath(paths.absolute),
            identifierDigest: scope.identifier,
            pictureHosts: manifest.market.readablePictureHosts,
            sendsKeys: manifest.market.sendsKeys && profile.capabilities.carriesKeys,
            state: paths.absolute(state.description),
            known: Known(
                products: entries.count,
                ids: Dictionary(keys.compactMap { key in entries[key].map { (key, $0.id) } }) { first, _ in first },
                lastRun: lastRun
            )
        )
    }
}

extension Session {
    /// A plan with its context, to be saved or compared; errors come from the state.
    package func saved(_ planned: PlannedChanges, _ manifest: Manifest) async throws -> SavedPlan {
        var saved = SavedPlan(
            planned,
            tool: "openmarket \(tool)",
            scope: scope,
            profile: market.profile,
            manifest: manifest,
            state: state.location,
            lastRun: try await state.runs(limit: 1).first?.record.id,
            in: DocumentFolder.current
        )
        // An apply may have settled some of them since.
        if saved.unresolved > 0 { saved.unresolved = try await state.counts().unresolved }
        return saved
    }
}

// MARK: - Before it is applied

extension SavedPlan {
    /// Notes the plan's sources and the files that apply needs, even if they are not read.
    ///
    /// No output of the same command may replace them.
    package func noteInputs() {
        let register = FileRegister.current
        // Without outputs the check is needless, and manifests may be large.
        guard register.hasOutputs else { return }
        let manifests = manifestFiles.filter { $0 != "-" && $0 != "<stdin>" }
        for file in manifests { register.note(file, as: .manifest) }
        for picture in Set(plan.operations.lazy.flatMap(\.pictures).map { ExactText($0.file) }) {
            register.note(picture.text, as: .named)
        }
        for reference in secretReferences {
            if case .file(let path) = reference { register.note(path, as: .secret) }
        }
        // Further files that the manifests name: unchanged pictures and texts.
        var options = ManifestOptions()
        options.toleratesUnset = .market
        options.allowOutside = true
        options.readsPictures = false
        _ = ManifestLoader(options: options).load(manifests)
    }
}

/// Refuses stale operations of a plan.
///
/// A plan belongs to the state that it was created from. If another run or command changed a key since then, the plan's
/// operations on that key are stale. An update is stale only if one of the fields that it writes changed.
extension SavedPlan {
    /// The operations that must not begin, by their index, with the reasons.
    ///
    /// `recovered` has the current state and the keys that must not be changed. `doneSince` has the keys of operations
    /// that later runs carried out.
    func refusals(_ recovered: Recovery.Resolution, doneSince: Set<String>) -> [Int: OperationRefusal] {
        var refusals: [Int: OperationRefusal] = [:]
        for (index, operation) in plan.operations.enumerated() {
            let keys = [operation.key] + (operation.renamedFrom.map { [$0] } ?? [])
            if !recovered.blockedKeys.isDisjoint(with: keys) {
                refusals[index] = OperationRefusal(.skipped, "not started: an earlier operation on it is unresolved")
            } else if operation.action != .update, !doneSince.isDisjoint(with: keys) {
                refusals[index] = OperationRefusal(.stale, "another run has changed it since the plan")
            } else if let key = keys.first(where: { !isKnown($0, in: recovered.snapshot) }) {
                let now = recovered.snapshot.entries[key].map { "product \($0.id)" } ?? "no product"
                let what = key == operation.key ? "its key" : "its former key '\(key)'"
                refusals[index] = OperationRefusal(.stale, "\(what) means \(now) now, unlike in the plan")
            } else if let (field, isAccepted) = fieldApplied(since: operation, recovered.snapshot) {
                let reason =
                    isAccepted
                    ? "the market's '\(field.rawValue)' was accepted since the plan"
                    : "another run has changed its '\(field.rawValue)' since the plan"
                refusals[index] = OperationRefusal(.stale, reason)
            }
        }
        return refusals
    }

    /// The plan's facts that the state can still record.
    func stateUpdates(_ recovered: Recovery.Resolution, doneSince: Set<String>) -> [StateMutation] {
        plan.updatesOfPresentKeys.compactMap { update in
            guard update.keys.allSatisfy({ isKnown($0, in: recovered.snapshot) }) else { return nil }
            return update.leavingOut { recovered.blockedKeys.contains($0) || doneSince.contains($0) }
        }
    }

    /// A field of the operation that was applied since the plan.
    ///
    /// `isAccepted` is whether the applied value is drift that `pull --drift` wrote into the manifest.
    private func fieldApplied(
        since operation: PlannedOperation,
        _ snapshot: StateSnapshot
    ) -> (ProductField, isAccepted: Bool)? {
        guard let entry = snapshot.entries[operation.renamedFrom ?? operation.key] else { return nil }
        let change = operation.changes.first { change in
            // Without a base, the product was not applied at planning time, so only the market shows a change.
            guard let base = change.base else { return false }
            return entry.applied[change.field] != base
        }
        return change.map { ($0.field, $0.kind == .drift && entry.applied[$0.field] == $0.live) }
    }

    private func isKnown(_ key: String, in snapshot: StateSnapshot) -> Bool {
        snapshot.entries[key]?.id == known.ids[key]
    }

    /// The keys of operations that later runs carried out.
    ///
    /// If the journal no longer has one of these runs, its operations are unknown, and the result is all of the plan's
    /// keys.
    func doneSince(_ state: any StateReader) async throws -> Set<String> {
        if let keys = try await state.keysDone(since: known.lastRun) { return keys }
        return plan.keys
    }
}

extension SavedPlan {
    /// Refuses a plan whose state is missing: without it, the new state would have only the plan's results.
    ///
    /// Throws ``CommandFailure``, and errors of the state.
    func requireKnown(in state: any StateReader) async throws {
        guard known.products > 0, try await state.counts() == StateCounts(products: 0, unresolved: 0) else { return }
        throw CommandFailure(
            .stalePlan,
            "the plan comes from a state with \(counted(known.products, "product")), which \(state.location) lacks; "
                + "no change was sent",
            help: "bring that state here, or name it with --state"
        )
    }
}
