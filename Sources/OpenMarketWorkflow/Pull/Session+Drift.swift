package import OpenMarket
import OpenMarketManifest

package enum DriftError: Error, Hashable, Sendable {
    /// The state has none of this many products, so it is unknown which side changed.
    case stateKnowsNone(of: Int, location: StateLocation)
    /// The manifest has products in this table, which is not edited.
    case table(String)
    case changedWhileRead
    /// This manifest changed before it was written.
    case changedMeanwhile(String)
}

extension DriftError: CustomStringConvertible {
    /// The error in one sentence, lower case, no full stop.
    package var description: String {
        switch self {
        case .stateKnowsNone(let products, let location):
            "\(location) knows none of the manifest's \(counted(products, "product")), so which side changed cannot be "
                + "known; nothing was written"
        case .table(let path): "drift is written into YAML, and \(path) is a table"
        case .changedWhileRead: "a manifest changed while it was read; nothing was written"
        case .changedMeanwhile(let file): "\(file) changed meanwhile, and was not written"
        }
    }
}

struct ManifestFile: Sendable {
    /// The file's name, as in the listings.
    var name: String
    var bytes: [UInt8]
}

/// Drift as edits of the manifest's files, and the drift that is not written.
package struct DriftEdits: Sendable {
    /// A change, or a product that could not be compared.
    package struct Item: Sendable {
        var listing: Listing
        /// `nil` if the item is about the whole product.
        var change: FieldChange?
        /// Why it is not written; `nil` if it is.
        var refusal: Refusal?
    }

    enum Refusal: Hashable, Sendable {
        /// It cannot be written at the product's position, or a manifest cannot express it.
        case unwritable(String)
        /// The manifest changed it, too.
        case conflict
        case obstacle(MarketDrift.Obstacle)
    }

    struct File: Sendable {
        var name: String
        /// The old text, the edits, and the new text.
        var editor: ManifestEditor
    }

    /// In the manifest's order; products that could not be compared come first.
    package var items: [Item] = []
    var files: [File] = []
    /// Changes to the state, made after the files are written.
    var updates: [StateMutation] = []

    package var isComplete: Bool { items.allSatisfy { $0.refusal == nil || $0.refusal == .obstacle(.otherKind) } }
}

extension Session {
    /// Finds drift and its positions in the manifest, without writing anything.
    ///
    /// Every product is handled separately, so a fault of one does not affect the others.
    ///
    /// `files` are the manifest's files as read for it. `recovered` are the unresolved operations of earlier runs.
    func drift(
        of manifest: Manifest,
        in files: [ManifestFile],
        after recovered: Recovery.Resolution
    ) async throws -> DriftEdits {
        var input = try await input(manifest, after: recovered, refresh: .full)
        var drift = input.drift(capabilities: capabilities)
        // Otherwise a single wrong reply would be believed forever.
        let agreeing = drift.products.filter { $0.agreed != nil }.map(\.entry.id)
        if try await readAgain(agreeing, &input) { drift = input.drift(capabilities: capabilities) }
        let unknown = drift.obstacles.count { $0.obstacle == .unknown }
        guard drift.knownCount > 0 || unknown == 0 else {
            throw DriftError.stateKnowsNone(of: unknown, location: state.location)
        }
        var edits = DriftEdits()
        edits.items = drift.obstacles.map { index, obstacle in
            DriftEdits.Item(listing: manifest.listings[index], change: nil, refusal: .obstacle(obstacle))
        }
        edits.place(drift, of: manifest, in: files)
        return edits
    }

    /// Records in the state the values that manifest and market now share.
    ///
    /// If a run is killed before this, its files match the market already, and the next run recognizes that.
    func record(_ edits: DriftEdits) async throws {
        guard !edits.updates.isEmpty else { return }
        try await requireHeld().apply(edits.updates)
    }
}

extension DriftEdits {
    fileprivate mutating func place(_ drift: MarketDrift, of manifest: Manifest, in files: [ManifestFile]) {
        var editors: [ExactText: Result<ManifestEditor, ManifestEditor.Refusal>] = [:]
        for file in files {
            editors[ExactText(file.name)] = Result { () throws(ManifestEditor.Refusal) in try ManifestEditor(file.bytes)
            }
        }
        var outcomes: [[ManifestDrift.Outcome]] = []
        for product in drift.products {
            let listing = manifest.listings[product.listing]
            let fields = product.changes.filter { $0.kind == .drift }.map(\.field)
            let moved = ManifestDrift(listing: listing, id: product.entry.id, live: product.live, fields: fields)
            let file = ExactText(listing.file)
            switch editors[file] {
            case .success(var editor):
                // The editor leaves the dictionary first: a second reference would copy the edits.
                editors[file] = nil
                outcomes.append(moved.write(into: &editor, market: manifest.market))
                editors[file] = .success(editor)
            case .failure(let refusal): outcomes.append(moved.refused(refusal.reason))
            case nil: outcomes.append(moved.refused("it is in no file"))
            }
        }
        let products = Dictionary(grouping: drift.products.indices) {
            ExactText(manifest.listings[drift.products[$0].listing].file)
        }
        for file in files {
            guard case .success(var editor) = editors[ExactText(file.name)] else { continue }
            if !editor.settle() { for index in products[ExactText(file.name)] ?? [] { outcomes[index].refuse() } }
            if !editor.edits.isEmpty { self.files.append(File(name: file.name, editor: editor)) }
        }
        for (product, outcomes) in zip(drift.products, outcomes) { take(product, outcomes, manifest) }
    }

    private mutating func take(
        _ product: MarketDrift.Product,
        _ outcomes: [ManifestDrift.Outcome],
        _ manifest: Manifest
    ) {
        let listing = manifest.listings[product.listing]
        var known = product.agreed ?? product.entry
        for change in product.changes {
            let own = outcomes.filter { $0.fields.contains(change.field) }
            let refusal = own.lazy.compactMap(\.refusal).first.map { Refusal.unwritable($0) }
            let item = Item(listing: listing, change: change, refusal: change.kind == .conflict ? .conflict : refusal)
            items.append(item)
            if item.refusal == nil { known.applied[change.field] = change.live }
        }
        if known != product.entry { updates.append(.put(known)) }
    }
}

extension ManifestDrift {
    fileprivate func refused(_ reason: String) -> [Outcome] { [Outcome(fields: fields, refusal: reason)] }
}
