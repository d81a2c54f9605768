/// An operation in documents: all that is shown, and all that apply needs.
///
/// A changing field is in `changes`. The other fields of an existing product are in `unchanged`, with `value` if the
/// market shows the manifest's values. So each value appears once.
package struct OperationDocument: DocumentRecord {
    private var action = PlannedOperation.Action.forget
    private var key = ""
    private var id: MarketID?
    private var name: String?
    private var reason = ""
    private var source: SourceLocation?
    private var changes: [ShownChange] = []
    private var unchanged: [UnchangedField] = []
    private var entry: StateEntry?
    /// The picture files, in the form that the enclosing document chooses.
    private var pictures: [JSONValue] = []
    private var thumbnailID: MarketID?
    private var formerKey: String?
    private var live: ProductValues?
    private var livePictures = LivePictures()
    private var isProtected = false
    private var deletesFirst = false
    private var secret: SecretReference?
    private var renamedFrom: String?
    private var adjusted: [AdjustedField] = []

    package static var blank: OperationDocument { OperationDocument() }

    private init() {}

    package mutating func describe(_ members: inout DocumentMembers) {
        members.required("action", &action)
        members.key("key", &key)
        members.optional("renamed_from", &renamedFrom)
        if action != .create { members.required("id", &id) }
        members.optional("name", &name)
        members.required("reason", &reason)
        members.optional("source", &source)
        members.required("changes", &changes)
        members.optional("adjusted", &adjusted, default: [])
        switch action {
        case .adopt: members.required("entry", &entry)
        case .create: members.optional("pictures", &pictures, default: [])
        case .update:
            members.required("unchanged", &unchanged)
            members.optional("pictures", &pictures, default: [])
            members.optional("thumbnail_id", &thumbnailID)
            members.optional("former_key", &formerKey)
            members.optional("live_pictures", &livePictures, default: LivePictures())
        case .replace:
            members.required("unchanged", &unchanged)
            members.optional("pictures", &pictures, default: [])
            members.optional("live_pictures", &livePictures, default: LivePictures())
            members.optional("deletes_first", &deletesFirst, default: false)
        case .delete:
            members.required("live", &live)
            members.optional("live_pictures", &livePictures, default: LivePictures())
        case .forget, .rename: break
        }
        if action == .create || action == .update || action == .replace {
            members.optional("protected", &isProtected, default: false)
        }
        members.optional("secret", &secret)
        if members.isReading { check(&members) }
    }

    /// Reports repeated fields, a missing key, and a product that differs from its entry's.
    private mutating func check(_ members: inout DocumentMembers) {
        var seen: Set<ProductField> = []
        for field in changes.map(\.change.field) + unchanged.map(\.field) where !seen.insert(field).inserted {
            members.refuse("has the field \(field.rawValue) twice")
        }
        if action == .rename, renamedFrom == nil { members.refuse("is missing", at: "renamed_from") }
        if renamedFrom?.isEmpty == true { members.refuse("is empty", at: "renamed_from") }
        renamedFrom = renamedFrom?.composed
        if let entry, entry.id != id { members.refuse("is not the product that is adopted", at: "entry.id") }
    }
}

// MARK: - From an operation

extension OperationDocument {
    package init(_ operation: PlannedOperation, picture: (Picture) -> JSONValue) {
        let work = operation.work
        action = work.action
        key = operation.key
        id = work.id
        name = work.name
        reason = operation.reason
        source = operation.source
        secret = operation.secret
        renamedFrom = operation.renamedFrom
        pictures = work.pictures.map(picture)
        var shown: ProductValues?
        switch work {
        case .adopt(let entry, _): self.entry = entry
        case .create(let product): isProtected = product.isProtected
        case .update(let update):
            shown = update.live
            unchanged = Self.unchanged(update.changes, live: update.live, wanted: update.desired) { field in
                field.isIgnored = update.ignored.contains(field.field)
            }
            thumbnailID = update.thumbnailImageID
            formerKey = update.formerKey
            livePictures = update.livePictures
            isProtected = update.isProtected
        case .replace(let replacement):
            let wanted = replacement.product.values
            shown = replacement.live
            unchanged = Self.unchanged(replacement.changes, live: replacement.live, wanted: wanted) { field in
                field.isCarriedOver = replacement.carriedOver.contains(field.field)
            }
            livePictures = replacement.livePictures
            deletesFirst = replacement.deletesFirst
            isProtected = replacement.product.isProtected
        case .delete(let deletion):
            live = deletion.live
            livePictures = deletion.livePictures
        case .forget, .rename: break
        }
        adjusted = work.changes.compactMap { change in
            operation.adjusted?.location(of: change.field).map { AdjustedField(field: change.field, location: $0) }
        }
        changes = work.changes.map { change in
            ShownChange(change, isShown: shown == nil || change.live == nil || shown?[change.field] != nil)
        }
    }

    private static func unchanged(
        _ changes: [FieldChange],
        live: ProductValues,
        wanted: ProductValues,
        marking mark: (inout UnchangedField) -> Void
    ) -> [UnchangedField] {
        let changed = Set(changes.map(\.field))
        return ProductField.allCases.compactMap { field in
            guard !changed.contains(field) else { return nil }
            var value = UnchangedField(field: field, live: live[field], wanted: wanted[field])
            mark(&value)
            return value.isEmpty ? nil : value
        }
    }
}

// MARK: - To an operation

extension PlannedOperation {
    /// Refuses contradictions, and content that is unknown to this version.
    package init(
        document: DocumentValue,
        picture: (DocumentValue) throws(DocumentError) -> Picture = Picture.init(document:)
    ) throws(DocumentError) {
        self = try OperationDocument(document: document).operation(at: document.place, picture: picture)
    }
}

extension OperationDocument {
    /// Throws if the document contradicts itself.
    package func operation(
        at place: String,
        picture: (DocumentValue) throws(DocumentError) -> Picture
    ) throws(DocumentError) -> PlannedOperation {
        let pictures = try DocumentValue(.array(pictures), at: Self.path(to: "pictures", in: place)).list(picture)
        var operation = PlannedOperation(
            key: key,
            reason: reason,
            source: source,
            secret: secret,
            work: work(pictures: pictures)
        )
        if let renamedFrom { operation.renamedFrom = renamedFrom }
        if let file = adjusted.first?.location.file {
            var fields = AdjustedFields(file: file)
            for field in adjusted { fields.positions[field.field] = field.location.position }
            operation.adjusted = fields
        }
        guard operation.name.isExactly(name) else {
            throw DocumentError("differs from the fields", at: Self.path(to: "name", in: place))
        }
        guard operation.changes == changes.map(\.change) else {
            throw DocumentError("do not match the operation", at: Self.path(to: "changes", in: place))
        }
        return operation
    }

    private static func path(to name: String, in place: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    private func work(pictures: [Picture]) -> PlannedOperation.Work {
        let id = id ?? MarketID(0)
        var (wanted, live) = (ProductValues(), ProductValues())
        for change in changes {
            wanted[change.change.field] = change.change.manifest
            if change.isShown { live[change.change.field] = change.change.live }
        }
        for field in unchanged {
            wanted[field.field] = field.wanted
            live[field.field] = field.live
        }
        let product = NewProduct(values: wanted, pictures: pictures, isProtected: isProtected)
        return switch action {
        case .adopt: .adopt(entry ?? .blank, name: name)
        case .create: .create(product)
        case .update:
            .update(
                PlannedOperation.Update(
                    id: id,
                    changes: changes.map(\.change),
                    desired: wanted,
                    ignored: unchanged.filter(\.isIgnored).map(\.field),
                    live: live,
                    livePictures: livePictures,
                    pictures: pictures,
                    thumbnailImageID: thumbnailID,
                    formerKey: formerKey,
                    isProtected: isProtected
                )
            )
        case .replace:
            .replace(
                PlannedOperation.Replacement(
                    id: id,
                    changes: changes.map(\.change),
                    product: product,
                    carriedOver: unchanged.filter(\.isCarriedOver).map(\.field),
                    live: live,
                    livePictures: livePictures,
                    deletesFirst: deletesFirst
                )
            )
        case .delete:
            .delete(PlannedOperation.Deletion(id: id, live: self.live ?? ProductValues(), livePictures: livePictures))
        case .forget: .forget(id, name: name)
        case .rename: .rename(id, name: name)
        }
    }
}

// MARK: - Fields

package struct ShownChange: DocumentRecord {
    fileprivate(set) var change: FieldChange
    /// `false` if the market does not show the field; `live` is then the value last applied.
    fileprivate(set) var isShown: Bool

    package init(_ change: FieldChange, isShown: Bool = true) {
        self.change = change
        self.isShown = isShown
    }

    package static var blank: ShownChange {
        ShownChange(FieldChange(field: .name, kind: .change, base: nil, live: nil, manifest: nil))
    }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.required("field", &change.field)
        members.required("kind", &change.kind)
        members.optional("base", &change.base, of: change.field)
        members.optional("live", &change.live, of: change.field)
        members.optional("shown", &isShown, default: true)
        members.optional("manifest", &change.manifest, of: change.field)
    }
}

/// A changing field whose value is from `adjust`.
private struct AdjustedField: DocumentRecord, Equatable {
    var field = ProductField.name
    var location = SourceLocation.blank

    static var blank: AdjustedField { AdjustedField() }

    mutating func describe(_ members: inout DocumentMembers) {
        members.required("field", &field)
        location.describe(&members)
    }
}

private struct UnchangedField: DocumentRecord {
    var field = ProductField.name
    var live: FieldValue?
    var wanted: FieldValue?
    var isIgnored = false
    var isCarriedOver = false

    static var blank: UnchangedField { UnchangedField() }

    var isEmpty: Bool { live == nil && wanted == nil && !isIgnored && !isCarriedOver }

    mutating func describe(_ members: inout DocumentMembers) {
        members.required("field", &field)
        var both = live == wanted ? live : nil
        var (shown, manifest) = both == nil ? (live, wanted) : (nil, nil)
        members.optional("value", &both, of: field)
        members.optional("live", &shown, of: field)
        members.optional("manifest", &manifest, of: field)
        members.optional("ignored", &isIgnored, default: false)
        members.optional("carried_over", &isCarriedOver, default: false)
        if both != nil, shown != nil || manifest != nil { members.refuse("has several values") }
        (live, wanted) = (shown ?? both, manifest ?? both)
    }
}
