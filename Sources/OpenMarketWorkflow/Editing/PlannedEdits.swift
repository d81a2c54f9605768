package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Edits as changes of the manifest's files, and the edits that are left alone.
package struct PlannedEdits: Sendable {
    package struct Item: Sendable {
        enum What: Hashable, Sendable {
            case field(FieldEdit)
            case add(AddedProduct)
            case remove
            /// Nothing of the product is edited.
            case nothing
        }

        var key: String
        /// Where the edit comes from.
        var reason: String
        /// `nil` for a product that is not listed yet.
        var listing: Listing?
        var what: What
        /// The file, and the step of its editor.
        fileprivate var step: (file: ExactText, number: Int)?
        /// Why it is left alone; `nil` if it is written.
        var refusal: String?

        var place: Place {
            if case .field(let edit) = what { Place(key: key, field: edit.field) } else { Place(key: key) }
        }
    }

    /// What an item is about: a field, or a whole product.
    struct Place: Hashable {
        var key: String
        var field: FieldEdit.Field?
    }

    struct File: Sendable {
        var name: String
        /// The old text, the edits, and the new text.
        var editor: ManifestEditor
    }

    /// In the order of the edits.
    package private(set) var items: [Item] = []
    /// The files that change.
    private(set) var files: [File] = []

    package var isEmpty: Bool { files.isEmpty }

    package var isComplete: Bool { items.allSatisfy { $0.refusal == nil } }

    /// Finds the place of each edit; `destination` is the file that lists new products.
    ///
    /// Throws ``EditError``.
    init(
        _ edits: [ProductEdit],
        of manifest: Manifest,
        in files: [ManifestFile],
        into destination: String?,
        filling head: ManifestHead? = nil
    ) throws {
        var editors = Editors(files)
        if let head { editors.fillMarket(head) }
        let keys = Set(edits.map(\.key))
        var listed: [String: Int] = [:]
        for index in manifest.listings.indices {
            let key = manifest.listings.key(at: index)
            if keys.contains(key) { listed[key] = index }
        }
        for edit in edits {
            let listing = listed[edit.key].map { manifest.listings[$0] }
            var item = Item(key: edit.key, reason: edit.reason, listing: listing, what: .nothing)
            switch edit.action {
            case .leave(let reason): item.refusal = reason
            case .change(let fields):
                guard let listing else {
                    item.refusal = "no file lists it"
                    break
                }
                items += editors.apply(fields, to: listing, item)
                continue
            case .add(let added, let file):
                item.what = .add(added)
                guard listing == nil else {
                    item.refusal = "it is listed already"
                    break
                }
                let file = try Self.file(file ?? destination, of: manifest)
                item.take(
                    editors.step(in: file) { editor throws(ManifestEditor.Refusal) in
                        try editor.add(added, key: edit.key)
                    },
                    in: file
                )
            case .remove(let base):
                guard let listing else { continue }
                item.what = .remove
                if let base, !listing.isUnchanged(since: base) {
                    item.refusal = "the manifest was changed, too"
                    break
                }
                item.take(
                    editors.step(in: listing.file) { editor throws(ManifestEditor.Refusal) in
                        try editor.remove(listing)
                    },
                    in: listing.file
                )
            }
            items.append(item)
        }
        let refused = editors.settle()
        for index in items.indices {
            guard let step = items[index].step, refused[step.file]?.contains(step.number) == true else { continue }
            items[index].refusal = "the value cannot be written there"
        }
        self.files = files.compactMap { file in editors.edited(file.name) }
    }

    /// The file that lists a new product.
    static func file(_ named: String?, of manifest: Manifest) throws(EditError) -> String {
        if let named {
            guard let file = manifest.files.first(where: { $0.isExactly(named) }) else {
                throw .unknownDestination(named)
            }
            return file
        }
        var files: [ExactText] = []
        for listing in manifest.listings where files.last != ExactText(listing.file) {
            if !files.contains(ExactText(listing.file)) { files.append(ExactText(listing.file)) }
        }
        guard files.count < 2, let file = files.first?.text ?? manifest.files.first else { throw .severalDestinations }
        return file
    }
}

extension Manifest {
    /// The file that lists new products: the named one, or the only one that lists products; `nil` for several.
    package func destination(_ named: String?) -> String? {
        if let named { return files.first { FileSystem.areSame($0, named) } ?? named }
        return try? PlannedEdits.file(nil, of: self)
    }
}

extension PlannedEdits.Item {
    fileprivate mutating func take(_ step: Result<Int, ManifestEditor.Refusal>, in file: String) {
        switch step {
        case .success(let number): self.step = (ExactText(file), number)
        case .failure(let error): refusal = error.reason
        }
    }
}

extension Listing {
    /// Whether the manifest has the values of an earlier time, as far as both say them.
    fileprivate func isUnchanged(since base: ProductValues) -> Bool {
        ProductField.allCases.allSatisfy { field in
            guard let value = values[field], let earlier = base[field] else { return true }
            return value == earlier
        }
    }
}

/// The editors of the manifest's files.
private struct Editors {
    private var editors: [ExactText: Result<ManifestEditor, ManifestEditor.Refusal>] = [:]

    init(_ files: [ManifestFile]) {
        for file in files {
            editors[ExactText(file.name)] = Result { () throws(ManifestEditor.Refusal) in
                try ManifestEditor(file.bytes)
            }
        }
    }

    mutating func apply(_ fields: [FieldEdit], to listing: Listing, _ item: PlannedEdits.Item) -> [PlannedEdits.Item] {
        let outcomes = with(listing.file) { $0.apply(fields, to: listing) }
        var items: [PlannedEdits.Item] = []
        for field in fields {
            var item = item
            item.what = .field(field)
            switch outcomes {
            case .failure(let error): item.refusal = error.reason
            case .success(let outcomes):
                guard let outcome = outcomes.first(where: { $0.fields.contains(field.field) }) else { continue }
                item.take(outcome.step, in: listing.file)
            }
            items.append(item)
        }
        return items
    }

    mutating func fillMarket(_ head: ManifestHead) {
        for file in editors.keys { _ = with(file.text) { $0.fillMarket(head) } }
    }

    mutating func step(
        in file: String,
        _ body: (inout ManifestEditor) throws(ManifestEditor.Refusal) -> Int
    ) -> Result<Int, ManifestEditor.Refusal> {
        with(file) { editor in
            Result { () throws(ManifestEditor.Refusal) in try body(&editor) }
        }.flatMap(\.self)
    }

    private mutating func with<Value>(
        _ file: String,
        _ body: (inout ManifestEditor) -> Value
    ) -> Result<Value, ManifestEditor.Refusal> {
        let file = ExactText(file)
        switch editors[file] {
        case .success(var editor):
            // The editor leaves the dictionary first: a second reference would copy the edits.
            editors[file] = nil
            let value = body(&editor)
            editors[file] = .success(editor)
            return .success(value)
        case .failure(let refusal): return .failure(refusal)
        case nil: return .failure(ManifestEditor.Refusal(reason: "it is in no file"))
        }
    }

    mutating func settle() -> [ExactText: Set<Int>] {
        var refused: [ExactText: Set<Int>] = [:]
        for (file, editor) in editors {
            guard case .success(var editor) = editor else { continue }
            refused[file] = editor.settle()
            editors[file] = .success(editor)
        }
        return refused
    }

    func edited(_ file: String) -> PlannedEdits.File? {
        guard case .success(let editor)? = editors[ExactText(file)], !editor.edits.isEmpty else { return nil }
        return PlannedEdits.File(name: file, editor: editor)
    }
}
