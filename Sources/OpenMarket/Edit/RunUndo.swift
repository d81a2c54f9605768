/// Past runs as a source of edits that take back their changes.
package struct RunUndo: Sendable {
    /// The picture file of a picture of a product, by key, as the manifest writes its path; `nil` if none was kept.
    package typealias PicturePath = (String, PictureIdentity, LiveProduct.Image?) -> String?

    /// In the order of the operations.
    package private(set) var edits: [ProductEdit] = []
    /// Keys of products that come back without their own password, because a manifest had it written out.
    package private(set) var withoutPassword: [String] = []

    /// Undoes `operations`, the oldest first: those of a run, or those of all runs after one.
    ///
    /// `later` are those of the runs after them; a product that these touched is left alone. `file` is the file that
    /// lists a deleted product again, by key; `nil` for the only one that lists products.
    package init(
        _ operations: [JournalledOperation],
        before later: [JournalledOperation] = [],
        in manifest: Manifest,
        filter: KeyFilter = KeyFilter(),
        file: (String) -> String? = { _ in nil },
        pictures: PicturePath
    ) {
        let touched = Dictionary(
            later.filter {
                $0.progress.isUnresolved || $0.status == .succeeded && $0.operation.action != .rename
            }
            .map { ($0.operation.key, $0) }
        ) { first, _ in first }
        var pasts: [String: ProductPast] = [:]
        var keys: [String] = []
        for operation in operations where filter.takes(operation.operation.key) {
            let key = operation.operation.key
            if pasts[key] == nil { keys.append(key) }
            pasts[key, default: ProductPast(run: operation.run)].take(operation)
        }
        for key in keys {
            guard let past = pasts[key], let action = past.action({ pictures(key, $0, $1) }) else { continue }
            var edit = ProductEdit(key: key, action, reason: past.reason)
            if case .leave = action {
            } else if let other = touched[key] {
                let isCreated = past.isDeleted && other.operation.makesProduct
                edit.action = .leave(because: "a later run \(isCreated ? "created" : "changed") it (\(other.run))")
            } else if case .add(let added, _) = action {
                if manifest.isAdjusted {
                    edit.action = .leaveAdjusted
                } else {
                    edit.action = .add(added, file: file(key))
                }
            }
            edits.append(edit)
        }
        withoutPassword = edits.dropWrittenPasswords()
    }
}

extension [JournalledOperation] {
    /// The operations, the oldest first, under the keys that their products have by now: renames are followed.
    package func underPresentKeys(in manifest: Manifest) -> [JournalledOperation] {
        let listings = manifest.listings
        let listed = Set(listings.map(\.key))
        var present: [String: String] = [:]
        for index in listings.indices {
            for former in listings.previously(at: index) where !listed.contains(former) {
                present[former] = listings.key(at: index)
            }
        }
        var operations = self
        for index in operations.indices.reversed() {
            let operation = operations[index].operation
            let key = present[operation.key] ?? operation.key
            operations[index].operation.key = key
            if let former = operation.renamedFrom, operations[index].status == .succeeded { present[former] = key }
        }
        return operations
    }
}

/// What some operations did to one product, in their order.
private struct ProductPast {
    typealias PicturePath = (PictureIdentity, LiveProduct.Image?) -> String?

    private struct Change {
        /// Before the first operation; `nil` for no value.
        var earlier: FieldValue?
        /// After the last one.
        var applied: FieldValue?
        var pictures: [LiveProduct.Image]?
    }

    private let run: RunID
    private var first: PlannedOperation?
    private var last: PlannedOperation?
    private var deletion: PlannedOperation?
    /// The product that the last create or replace created.
    private var made: MarketID?
    private var changes: [ProductField: Change] = [:]
    private var isUnresolved = false
    private var isOnlyRecorded = false

    init(run: RunID) { self.run = run }

    var isDeleted: Bool { last?.action == .delete }

    var reason: String {
        switch last?.action {
        case .create where first?.action == .create: "created by \(run)"
        case .delete: "deleted by \(run)\((last?.id).map { " (was product \($0))" } ?? "")"
        default: "changed by \(run)"
        }
    }

    mutating func take(_ journalled: JournalledOperation) {
        if journalled.progress.isUnresolved { isUnresolved = true }
        guard journalled.status == .succeeded else { return }
        let operation = journalled.operation
        var pictures: [LiveProduct.Image]?
        switch operation.work {
        case .adopt, .forget, .rename:
            isOnlyRecorded = true
            return
        case .delete(let deleted):
            // Leftovers of an unfinished create or replace are also deleted under the product's key.
            guard made == nil || made == deleted.id else { return }
            deletion = deletion ?? operation
            (first, last) = (first ?? operation, operation)
            return
        case .create: break
        case .update(let update): pictures = update.livePictures.images
        case .replace(let replacement): pictures = replacement.livePictures.images
        }
        if operation.makesProduct { made = journalled.product }
        let deleted = isDeleted ? deletion?.deletion : nil
        for change in operation.changes {
            var known =
                changes[change.field]
                ?? Change(
                    earlier: deleted.map { $0.live[change.field] } ?? change.live,
                    pictures: deleted?.livePictures.images ?? pictures
                )
            known.applied = change.manifest
            changes[change.field] = known
        }
        (first, last) = (first ?? operation, operation)
    }

    /// `nil` without a change to take back.
    func action(_ pictures: PicturePath) -> ProductEdit.Action? {
        guard !isUnresolved else {
            return .leave(because: "its outcome is unknown; 'openmarket apply' settles it")
        }
        guard let first, let last else { return isOnlyRecorded ? .leave(because: "no change was sent") : nil }
        switch (first.action == .create, last.action == .delete) {
        case (true, true): return nil
        case (true, false):
            var base = ProductValues()
            for (field, change) in changes { base[field] = change.applied }
            return .remove(base: base)
        case (false, true): return restored(pictures)
        case (false, false):
            let fields = changes.sorted { $0.key < $1.key }.map { field, change in
                edit(of: field, change, pictures)
            }
            return fields.isEmpty ? nil : .change(fields)
        }
    }

    private func edit(of field: ProductField, _ change: Change, _ path: PicturePath) -> FieldEdit {
        let base = FieldEdit.Base.value(change.applied)
        func pictures(_ paths: [String]?) -> FieldEdit {
            let refusal = paths == nil ? "its earlier pictures were not kept here" : nil
            return FieldEdit(.value(field), paths.map(FieldEdit.Value.paths), base: base, refusal: refusal)
        }
        switch change.earlier {
        case .images(let images): return pictures(Self.paths(of: images, change.pictures, path))
        case .image(let image): return pictures(path(image, nil).map { [$0] })
        case .sale(.fullPrice): return FieldEdit(.value(field), nil, base: base)
        case let value?: return FieldEdit(.value(field), .value(value), base: base)
        case nil:
            let isSale = field == .salePrice
            return FieldEdit(.value(field), nil, base: base, refusal: isSale ? nil : "its earlier value is unknown")
        }
    }

    private func restored(_ path: PicturePath) -> ProductEdit.Action {
        guard let operation = deletion, let deleted = operation.deletion, deleted.live.price != nil else {
            return .leave(because: "the market did not show its price")
        }
        var values = deleted.live
        var shown = deleted.livePictures.images
        for (field, change) in changes {
            values[field] = change.earlier
            if field == .images { shown = change.pictures }
        }
        let images = values.images ?? []
        guard values.images != nil || deleted.livePictures.thumbnailURL == nil,
            let paths = Self.paths(of: images, shown, path)
        else {
            return .leave(because: "its pictures were not kept here")
        }
        let place = values.thumbnail.flatMap { images.firstIndex(of: $0) }
        return .add(
            AddedProduct(
                values: values,
                images: images.isEmpty ? nil : paths,
                thumbnail: place.flatMap { $0 > 0 ? paths[$0] : nil },
                secret: operation.secret
            ),
            file: nil
        )
    }

    /// `nil` unless all are known.
    private static func paths(
        of images: [PictureIdentity],
        _ shown: [LiveProduct.Image]?,
        _ path: PicturePath
    ) -> [String]? {
        let paths = images.indices.compactMap { index in
            path(images[index], shown.flatMap { index < $0.count ? $0[index] : nil })
        }
        return paths.count == images.count ? paths : nil
    }
}
