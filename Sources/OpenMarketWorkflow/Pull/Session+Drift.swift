package import OpenMarket
import OpenMarketManifest

/// Why drift cannot be written.
package enum DriftError: Error, Hashable, Sendable {
    /// The state knows none of so many products: which side changed cannot be known.
    case stateKnowsNone(of: Int, location: StateLocation)
    /// The manifest has products in this table, which is not edited.
    case table(String)
    /// A manifest changed while it was read.
    case changedWhileRead
    /// This manifest changed before it was written.
    case changedMeanwhile(String)
}

extension DriftError: CustomStringConvertible {
    /// What is wrong, in one sentence, lower case, no full stop.
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

/// A manifest file as it was read.
struct ManifestFile: Sendable {
    /// Its name, as the listings have it.
    var name: String
    /// Its bytes.
    var bytes: [UInt8]

    /// A file.
    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// What was changed on the market as edits of the manifest's files, and what of it is left alone.
package struct DriftEdits: Sendable {
    /// A change, or a product that could not be compared.
    package struct Item: Sendable {
        /// The product as the manifest has it.
        var listing: Listing
        /// What was changed; `nil` where it is about the whole product.
        var change: FieldChange?
        /// Why it is left alone; `nil` where it is written.
        var refusal: Refusal?
    }

    /// Why something is left alone.
    enum Refusal: Hashable, Sendable {
        /// It cannot be written where the product is, or the manifest cannot say it.
        case unwritable(String)
        /// The manifest changed it as well.
        case conflict
        /// The product could not be compared.
        case obstacle(MarketDrift.Obstacle)
    }

    /// A file that changes.
    struct File: Sendable {
        /// Its name.
        var name: String
        /// What it said, the edits, and what it says then.
        var editor: ManifestEditor
    }

    /// In the manifest's order; products that could not be compared first.
    package var items: [Item] = []
    /// The files that change.
    var files: [File] = []
    /// What the state is to know once the files are written.
    var updates: [StateMutation] = []

    /// Whether all drift was written.
    package var isComplete: Bool { items.allSatisfy { $0.refusal == nil } }
}

extension Session {
    /// Finds what was changed on the market, and where the manifest says it.
    ///
    /// Every product is looked at by itself: what is wrong with one keeps no other from being written.
    ///
    /// - Parameters:
    ///   - manifest: the manifest.
    ///   - files: its files, as they were read for it.
    ///   - recovered: what earlier runs left unresolved.
    /// - Returns: the edits, of which nothing is written yet.
    /// - Throws: ``DriftError``, `MarketError`, and what the state throws.
    func drift(
        of manifest: Manifest,
        in files: [ManifestFile],
        after recovered: Recovery.Resolution
    ) async throws -> DriftEdits {
        var input = try await input(manifest, after: recovered, refresh: .full)
        var drift = input.drift(capabilities: capabilities)
        // One reply that is not true would be believed for ever.
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

    /// Records in the state what is in the files by now: what manifest and market have alike does not differ any more.
    ///
    /// A run that is killed before this has written files that are as the market is; the next one finds that out.
    ///
    /// - Parameter edits: the edits, which were written.
    /// - Throws: what the state throws.
    func record(_ edits: DriftEdits) async throws {
        guard !edits.updates.isEmpty else { return }
        try await requireHeld().apply(edits.updates)
    }
}

extension DriftEdits {
    /// Finds the places of the changes.
    fileprivate mutating func place(_ drift: MarketDrift, of manifest: Manifest, in files: [ManifestFile]) {
        var editors: [ExactText: Result<ManifestEditor, ManifestEditor.Refusal>] = [:]
        for file in files {
            editors[ExactText(file.name)] = Result { () throws(ManifestEditor.Refusal) in try ManifestEditor(file.bytes)
            }
        }
        let credentials = CredentialTexts(manifest.credentials)
        var outcomes: [[ManifestDrift.Outcome]] = []
        for product in drift.products {
            let listing = manifest.listings[product.listing]
            let fields = product.changes.filter { $0.kind == .drift }.map(\.field)
            let moved = ManifestDrift(listing: listing, id: product.entry.id, live: product.live, fields: fields)
            let file = ExactText(listing.file)
            switch editors[file] {
            case .success(var editor):
                // One at a time: a second reference would copy the edits.
                editors[file] = nil
                outcomes.append(moved.write(into: &editor, market: manifest.market, credentials: credentials))
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
            let dropped = editor.settle()
            for index in products[ExactText(file.name)] ?? [] { outcomes[index].refuse(dropped) }
            if !editor.edits.isEmpty { self.files.append(File(name: file.name, editor: editor)) }
        }
        for (product, outcomes) in zip(drift.products, outcomes) { take(product, outcomes, manifest) }
    }

    /// Notes what became of a product's changes.
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
    /// None of it can be written.
    fileprivate func refused(_ reason: String) -> [Outcome] { [Outcome(fields: fields, refusal: reason)] }
}
