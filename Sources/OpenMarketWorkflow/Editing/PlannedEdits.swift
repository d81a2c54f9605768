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
            /// The product is not edited.
            case nothing
        }

        var key: String
        /// The source of the edit.
        var reason: String
        /// The row or the cell of a table that it comes from.
        var source: SourceLocation?
        /// `nil` for a product that is not listed yet.
        var listing: Listing?
        var what: What
        /// The file that lists it.
        fileprivate(set) var file: String?
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
        var original: [UInt8]
        /// The edits, and the new text.
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
    /// Throws ``CommandFailure``.
    init(
        _ edits: [ProductEdit],
        of manifest: Manifest,
        in files: [ManifestFile],
        into destination: String?,
        head: ManifestHead? = nil
    ) throws {
        var editors = Editors(files, creating: head)
        let keys = Set(edits.map(\.key))
        var listed: [String: Int] = [:]
        for index in manifest.listings.indices {
            let key = manifest.listings.key(at: index)
            if keys.contains(key) { listed[key] = index }
        }
        for edit in edits {
            let listing = listed[edit.key].map { manifest.listings[$0] }
            var item = Item(
                key: edit.key,
                reason: edit.reason,
                source: edit.source,
                listing: listing,
                what: .nothing,
                file: listing?.file
            )
            switch edit.action {
            case .leave(let reason): item.refusal = reason
            case .change(let fields):
                guard var listing else {
                    item.refusal = "no file lists it"
                    break
                }
                listing.adjusted = manifest.adjustedFields[edit.key]
                var outcomes: [ManifestEditor.Outcome] = []
                item.refusal = editors.edit(listing.file) { outcomes = $0.apply(fields, to: listing) }
                for field in fields {
                    item.what = .field(field)
                    item.source = field.source ?? edit.source
                    if let outcome = outcomes.first(where: { $0.fields.contains(field.field) }) {
                        item.refusal = outcome.refusal?.reason
                    } else if item.refusal == nil {
                        continue
                    }
                    items.append(item)
                }
                continue
            case .add(let added, let named):
                item.what = .add(added)
                guard listing == nil || listing?.isAbsent == true && !added.isAbsent else {
                    item.refusal = "it is listed already"
                    break
                }
                let file = try listing?.file ?? Self.destination(named ?? destination, of: manifest)
                item.file = file
                item.refusal = editors.edit(file) { editor throws(ManifestEditor.Refusal) in
                    guard let listing else { return try editor.add(added, key: edit.key) }
                    // The product takes the place of its tombstone.
                    var edited = editor
                    try edited.removeProduct(at: listing.position)
                    try edited.add(added, key: edit.key)
                    editor = edited
                }
            case .remove(let base):
                guard let listing else { continue }
                item.what = .remove
                if let base, !listing.isUnchanged(since: base) {
                    let isAdjusted = manifest.adjustedFields[edit.key] != nil
                    item.refusal =
                        isAdjusted ? "its values came from 'adjust' for this market" : "the manifest was also changed"
                    break
                }
                item.refusal = editors.edit(listing.file) { editor throws(ManifestEditor.Refusal) in
                    try editor.removeProduct(at: listing.position)
                }
            }
            items.append(item)
        }
        for file in files {
            guard var editor = editors[file.name], !editor.edits.isEmpty else { continue }
            // A market alone does not justify a new file.
            let isEdited = items.contains { $0.refusal == nil && $0.file.isExactly(file.name) }
            guard isEdited || !file.bytes.isEmpty else { continue }
            do throws(ManifestEditor.Refusal) {
                try editor.settle()
                self.files.append(File(name: file.name, original: file.bytes, editor: editor))
            } catch {
                for index in items.indices where items[index].refusal == nil && items[index].file.isExactly(file.name) {
                    items[index].refusal = error.reason
                }
            }
        }
    }

    /// The file that lists a new product: the named one, else the only one that lists products, else the first.
    static func destination(_ named: String?, of manifest: Manifest) throws(CommandFailure) -> String {
        if let named {
            guard let file = manifest.files.first(where: { $0.isExactly(named) }) else {
                throw .noDestination("\(named) is not a file of the manifest")
            }
            return file
        }
        var files: [ExactText] = []
        for listing in manifest.listings where files.last != ExactText(listing.file) {
            if !files.contains(ExactText(listing.file)) { files.append(ExactText(listing.file)) }
        }
        guard files.count < 2, let file = files.first?.text ?? manifest.files.first else {
            throw .noDestination("several files list products, and new ones need one of them")
        }
        return file
    }
}

extension Manifest {
    /// The file that lists new products: the named one, or the only one that lists products; `nil` for several.
    package func destination(_ named: String?) -> String? {
        if let named { return files.first { FileSystem.areSame($0, named) } ?? named }
        return try? PlannedEdits.destination(nil, of: self)
    }
}

extension Listing {
    /// Whether the manifest has the values of an earlier time, as far as both have them.
    fileprivate func isUnchanged(since base: ProductValues) -> Bool {
        ProductField.allCases.allSatisfy { field in
            guard let value = values[field], let earlier = base[field] else { return true }
            return value == earlier
        }
    }
}

/// The editors of the manifest's files.
private struct Editors {
    private var editors: [ExactText: ManifestEditor] = [:]
    /// The reasons why files lack an editor.
    private var unreadable: [ExactText: String] = [:]

    /// A single file that is to be created begins with `head`.
    init(_ files: [ManifestFile], creating head: ManifestHead?) {
        let isNew = files.count == 1 && files[0].bytes.isEmpty
        var writer = head.flatMap { isNew ? ManifestWriter($0) : nil }
        writer?.finish()
        let text = try? writer?.takeBytes()
        for file in files {
            do throws(ManifestEditor.Refusal) {
                editors[ExactText(file.name)] = try ManifestEditor(text ?? file.bytes)
            } catch {
                unreadable[ExactText(file.name)] = error.reason
            }
        }
    }

    /// Edits a file; returns why it cannot be edited, or `nil`.
    mutating func edit(
        _ file: String,
        _ body: (inout ManifestEditor) throws(ManifestEditor.Refusal) -> Void
    ) -> String? {
        let file = ExactText(file)
        // The editor leaves the dictionary first: a second reference would copy the edits.
        guard var editor = editors.removeValue(forKey: file) else { return unreadable[file] ?? "it is in no file" }
        defer { editors[file] = editor }
        do throws(ManifestEditor.Refusal) {
            try body(&editor)
            return nil
        } catch {
            return error.reason
        }
    }

    subscript(file: String) -> ManifestEditor? { editors[ExactText(file)] }
}
