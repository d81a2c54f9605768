import Crypto
import OpenMarket
import OpenMarketApply
import OpenMarketManifest
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Writes what somebody changed on the market into the manifests that exist.
///
/// The state is only read: what manifest and market say alike, the next apply takes for known.
struct DriftRun: Sendable {
    private let manifest: Manifest
    /// The bytes that the manifest was read from, by file.
    private let files: [(name: String, bytes: [UInt8])]
    /// Where patches go; none edits the files.
    private let patches: [String]

    /// - Throws: ``CommandFailure`` where a file changed since it was read.
    init(_ manifest: Manifest, patches: [String]) throws {
        self.manifest = manifest
        self.patches = patches
        files = try manifest.files.map { ($0, try FileBytes.read($0)) }
        var hash = SHA256()
        for file in files { hash.update(data: file.bytes) }
        guard ContentDigest(bytes: hash.finalize()) == manifest.digest else {
            throw CommandFailure(.failure, "a manifest changed while it was read; nothing was written")
        }
    }

    /// Finds the drift, and writes it.
    func run(in session: Session, console: Console) async throws -> DriftReport {
        let planned = try await plan(in: session)
        let errors = planned.plan.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else {
            console.report(errors)
            throw CommandFailure(
                .invalidInput,
                "the market cannot be compared: \(DiagnosticRenderer.count(errors)); nothing was written"
            )
        }
        var report = DriftReport(isPatch: !patches.isEmpty)
        var editors: [ExactText: Result<ManifestEditor, ManifestEditor.Refusal>] = [:]
        for file in files {
            editors[file.name] = Result { () throws(ManifestEditor.Refusal) in try ManifestEditor(file.bytes) }
        }
        let listings = Dictionary(manifest.listings.enumerated().map { ($1.key, $0) }) { first, _ in first }
        var placed: [(item: DriftReport.Item, outcomes: [ManifestDrift.Outcome])] = []
        for operation in planned.plan.operations {
            guard let index = listings[operation.key] else { continue }
            let listing = manifest.listings[index]
            let known = [listing.key] + listing.previously
            if operation.action == .create, known.contains(where: { planned.snapshot.entries[$0] != nil }) {
                report.items.append(DriftReport.Item(gone: listing))
            }
            guard let id = operation.id, let live = operation.live else { continue }
            for change in operation.changes where change.kind == .conflict {
                let reason = "the manifest was changed, too"
                report.items.append(DriftReport.Item(listing, change, live: live, refusal: reason))
            }
            let changes = operation.changes.filter { $0.kind == .drift }
            guard !changes.isEmpty else { continue }
            let drift = ManifestDrift(listing: listing, id: id, live: live, fields: changes.map(\.field))
            let outcomes: [ManifestDrift.Outcome]
            switch editors[listing.file] {
            case .success(var editor):
                // One at a time: a second reference would copy the edits.
                editors[listing.file] = nil
                outcomes = drift.write(into: &editor, market: manifest.market)
                editors[listing.file] = .success(editor)
            case .failure(let refusal): outcomes = drift.refused(refusal.reason)
            case nil: outcomes = drift.refused("it stands in no file")
            }
            for change in changes {
                let own = outcomes.filter { $0.fields.contains(change.field) }
                placed.append((DriftReport.Item(listing, change, live: live), own))
            }
        }
        var edited: [ManifestEditorFile] = []
        for file in files {
            guard case .success(var editor) = editors[file.name] else { continue }
            let dropped = editor.settle()
            for index in placed.indices where placed[index].item.file.isExactly(file.name) {
                placed[index].outcomes.refuse(dropped)
            }
            edited.append(ManifestEditorFile(name: file.name, editor: editor))
        }
        report.items += placed.map { item, outcomes in
            var item = item
            item.refusal = outcomes.lazy.compactMap(\.refusal).first
            return item
        }
        report.files = try write(edited)
        return report
    }

    /// The plan as if nothing held it back: policies and protection are about writing to the market.
    private func plan(in session: Session) async throws -> PlannedChanges {
        var manifest = manifest
        manifest.listings = Listings(
            manifest.listings.map { listing in
                var listing = listing
                listing.isProtected = false
                return listing
            }
        )
        return try await session.plan(manifest, options: PlannerOptions(), refresh: .full)
    }

    /// Writes the files, or the patches.
    ///
    /// - Returns: the files that change.
    private func write(_ edited: [ManifestEditorFile]) throws -> [String] {
        let changed = edited.filter { !$0.editor.edits.isEmpty }
        guard patches.isEmpty else {
            let patch = changed.flatMap { UnifiedDiff($0.editor.original, $0.editor.edits, name: $0.patchName).bytes }
            for path in patches {
                try AtomicFile.write(patch, to: path, permissions: AtomicFile.readableByAll)
            }
            return changed.map(\.name)
        }
        for file in changed {
            guard try FileBytes.read(file.name) == file.editor.original else {
                throw CommandFailure(
                    .failure,
                    "\(file.name) changed meanwhile, and was left alone",
                    help: "run it again"
                )
            }
            // Whoever could read the file can read it again.
            try AtomicFile.write(file.editor.bytes, to: file.name, permissions: FilePermissions(rawValue: 0o777))
        }
        return changed.map(\.name)
    }
}

/// A manifest file that is edited.
private struct ManifestEditorFile {
    var name: String
    var editor: ManifestEditor

    /// Its name in a patch, which is applied where the command ran.
    var patchName: String {
        var name = name[...]
        while name.hasPrefix("./") { name = name.dropFirst(2) }
        return String(name.drop { $0 == "/" })
    }
}

extension ManifestDrift {
    /// None of it can be written.
    fileprivate func refused(_ reason: String) -> [Outcome] { [Outcome(fields: fields, refusal: reason)] }
}

extension PlannedOperation {
    /// What the market shows of the product; `nil` where the operation is about none that stays.
    fileprivate var live: ProductValues? {
        switch work {
        case .update(let update): update.live
        case .replace(let replacement): replacement.live
        case .adopt, .create, .delete, .forget: nil
        }
    }
}
