extension JSONValue {
    /// An operation: what is shown, and all that carrying it out takes.
    ///
    /// A field that changes stands in `changes`; the others of a product that exists are in `unchanged`, with `value` where
    /// the market shows what the manifest wants. So each value stands once.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - picture: How a picture file is written.
    package init(_ operation: PlannedOperation, picture: (Picture) -> JSONValue) {
        var members: [Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(Member(name, value)) }
        }
        let work = operation.work
        add("action", .string(work.action.rawValue))
        add("key", .string(operation.key))
        add("id", work.id.map { .integer($0.rawValue) })
        add("name", work.name.map(JSONValue.string))
        add("reason", .string(operation.reason))
        add("source", operation.source.map { JSONValue($0) })
        add("changes", .array(Self.changes(work)))
        members += Self.members(of: work, picture: picture)
        add("secret", operation.secret.map { .string($0.stateText) })
        self = .object(members)
    }

    /// What only operations of its kind have.
    private static func members(of work: PlannedOperation.Work, picture: (Picture) -> JSONValue) -> [Member] {
        var members: [Member] = []
        func add(_ name: String, _ value: JSONValue?) {
            if let value { members.append(Member(name, value)) }
        }
        func addPictures(_ pictures: [Picture]) {
            if !pictures.isEmpty { add("pictures", .array(pictures.map(picture))) }
        }
        switch work {
        case .adopt(let entry, _): add("entry", JSONValue(entry))
        case .create(let product):
            addPictures(product.pictures)
            if product.isProtected { add("protected", .bool(true)) }
        case .update(let update):
            let unchanged = Self.unchanged(update.changes, live: update.live, wanted: update.desired) { field in
                update.ignored.contains(field) ? Member("ignored", .bool(true)) : nil
            }
            add("unchanged", .array(unchanged))
            addPictures(update.pictures)
            add("thumbnail_id", update.thumbnailImageID.map { .integer($0) })
            add("live_pictures", Self(update.livePictures))
            if update.isProtected { add("protected", .bool(true)) }
        case .replace(let replacement):
            let wanted = replacement.product.values
            let unchanged = Self.unchanged(replacement.changes, live: replacement.live, wanted: wanted) { field in
                replacement.carriedOver.contains(field) ? Member("carried_over", .bool(true)) : nil
            }
            add("unchanged", .array(unchanged))
            addPictures(replacement.product.pictures)
            add("live_pictures", Self(replacement.livePictures))
            if replacement.product.isProtected { add("protected", .bool(true)) }
        case .delete(let deletion):
            add("live", JSONValue(deletion.live))
            add("live_pictures", Self(deletion.livePictures))
        case .forget: break
        }
        return members
    }

    private static func changes(_ work: PlannedOperation.Work) -> [JSONValue] {
        let live: ProductValues? =
            switch work {
            case .update(let update): update.live
            case .replace(let replacement): replacement.live
            case .adopt, .create, .delete, .forget: nil
            }
        return work.changes.map { change in
            JSONValue(change, isShown: live == nil || change.live == nil || live?[change.field] != nil)
        }
    }

    private static func unchanged(
        _ changes: [FieldChange],
        live: ProductValues,
        wanted: ProductValues,
        mark: (ProductField) -> Member?
    ) -> [JSONValue] {
        let changed = Set(changes.map(\.field))
        return ProductField.allCases.compactMap { field in
            guard !changed.contains(field) else { return nil }
            var members = [Member("field", .string(field.rawValue))]
            if let value = live[field], value == wanted[field] {
                members.append(Member("value", JSONValue(value)))
            } else {
                if let value = live[field] { members.append(Member("live", JSONValue(value))) }
                if let value = wanted[field] { members.append(Member("manifest", JSONValue(value))) }
            }
            if let mark = mark(field) { members.append(mark) }
            return members.count > 1 ? .object(members) : nil
        }
    }

    /// `nil` where nothing is known of them.
    private init?(_ pictures: LivePictures) {
        guard pictures != LivePictures() else { return nil }
        self = .object(
            of: ("thumbnail", pictures.thumbnailURL.map(JSONValue.string)),
            (
                "images",
                pictures.images.map { images in
                    .array(
                        images.map { image in
                            .object(of: ("id", image.id.map { .integer($0) }), ("url", .string(image.url)))
                        }
                    )
                }
            )
        )
    }
}

extension DocumentRead {
    /// An operation; refuses what this version does not know, and what contradicts itself.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - picture: Reads a picture file.
    /// - Returns: The operation.
    /// - Throws: ``DocumentError``.
    package static func operation(
        _ value: DocumentValue,
        picture: (DocumentValue) throws(DocumentError) -> Picture
    ) throws(DocumentError) -> PlannedOperation {
        try value.object { object throws(DocumentError) in
            var reader = OperationReader(
                action: try object.required("action", choice),
                id: try object.optional("id", id),
                name: try object.optional("name", text)
            )
            let key = try object.required("key", text).composed
            let reason = try object.required("reason", text)
            let source = try object.optional("source", location)
            try reader.readFields(&object)
            let work = try reader.work(&object) { value throws(DocumentError) in try value.list(picture) }
            let operation = PlannedOperation(
                key: key,
                reason: reason,
                source: source,
                secret: try object.optional("secret", secret),
                work: work
            )
            guard operation.name.isExactly(reader.name) else {
                throw DocumentError("is not what the fields say", at: object.path(to: "name"))
            }
            guard operation.changes == reader.changes else {
                throw DocumentError("are not what the operation does", at: object.path(to: "changes"))
            }
            return operation
        }
    }
}

/// What the parts of an operation's document have in common while it is read.
private struct OperationReader {
    let action: PlannedOperation.Action
    let id: ProductID?
    let name: String?
    private(set) var changes: [FieldChange] = []
    private var wanted = ProductValues()
    private var live = ProductValues()
    private var ignored: [ProductField] = []
    private var carriedOver: [ProductField] = []

    init(action: PlannedOperation.Action, id: ProductID?, name: String?) {
        self.action = action
        self.id = id
        self.name = name
    }

    /// Reads the fields that change and those that do not, each at most once.
    mutating func readFields(_ object: inout DocumentObject) throws(DocumentError) {
        var seen: Set<ProductField> = []
        func note(_ field: ProductField) throws(DocumentError) {
            guard seen.insert(field).inserted else {
                throw DocumentError("has the field \(field.rawValue) twice", at: object.place)
            }
        }
        let changes = try object.required("changes") { value throws(DocumentError) in
            try value.list(DocumentRead.change)
        }
        for (change, isShown) in changes {
            try note(change.field)
            self.changes.append(change)
            wanted[change.field] = change.manifest
            if isShown { live[change.field] = change.live }
        }
        guard action == .update || action == .replace else { return }
        let unchanged = try object.required("unchanged") { value throws(DocumentError) in
            try value.list(Unchanged.init)
        }
        for field in unchanged {
            try note(field.field)
            live[field.field] = field.live
            wanted[field.field] = field.wanted
            if field.isIgnored { ignored.append(field.field) }
            if field.isCarriedOver { carriedOver.append(field.field) }
        }
    }

    func work(
        _ object: inout DocumentObject,
        pictures read: (DocumentValue) throws(DocumentError) -> [Picture]
    ) throws(DocumentError) -> PlannedOperation.Work {
        switch action {
        case .adopt:
            let entry = try object.required("entry", DocumentRead.entry)
            guard entry.id == id else {
                throw DocumentError("is not the product that is adopted", at: object.path(to: "entry.id"))
            }
            return .adopt(entry, name: name)
        case .create: return .create(try product(&object, read))
        case .update:
            return .update(
                PlannedOperation.Update(
                    id: try product(object),
                    changes: changes,
                    desired: wanted,
                    ignored: ignored,
                    live: live,
                    livePictures: try livePictures(&object),
                    pictures: try object.optional("pictures", read) ?? [],
                    thumbnailImageID: try object.optional("thumbnail_id", DocumentRead.integer),
                    isProtected: try object.optional("protected", DocumentRead.truth) ?? false
                )
            )
        case .replace:
            return .replace(
                PlannedOperation.Replacement(
                    id: try product(object),
                    changes: changes,
                    product: try product(&object, read),
                    carriedOver: carriedOver,
                    live: live,
                    livePictures: try livePictures(&object)
                )
            )
        case .delete:
            let live = try object.required("live", DocumentRead.values)
            return .delete(
                PlannedOperation.Deletion(id: try product(object), live: live, livePictures: try livePictures(&object))
            )
        case .forget: return .forget(try product(object), name: name)
        }
    }

    private func product(
        _ object: inout DocumentObject,
        _ read: (DocumentValue) throws(DocumentError) -> [Picture]
    ) throws(DocumentError) -> NewProduct {
        var values = wanted
        // What buyers pay is the price where the sale price is no other.
        if action == .replace { values.sale = values.sale?.normalized(price: values.price) }
        return NewProduct(
            values: values,
            pictures: try object.optional("pictures", read) ?? [],
            isProtected: try object.optional("protected", DocumentRead.truth) ?? false
        )
    }

    private func product(_ object: DocumentObject) throws(DocumentError) -> ProductID {
        guard let id else { throw DocumentError("is missing", at: object.path(to: "id")) }
        return id
    }

    private func livePictures(_ object: inout DocumentObject) throws(DocumentError) -> LivePictures {
        try object.optional("live_pictures") { value throws(DocumentError) in
            try value.object { object throws(DocumentError) in
                LivePictures(
                    thumbnailURL: try object.optional("thumbnail", DocumentRead.text),
                    images: try object.optional("images") { value throws(DocumentError) in
                        try value.list { value throws(DocumentError) in
                            try value.object { object throws(DocumentError) in
                                LivePictures.Image(
                                    id: try object.optional("id", DocumentRead.integer),
                                    url: try object.required("url", DocumentRead.text)
                                )
                            }
                        }
                    }
                )
            }
        } ?? LivePictures()
    }
}

/// A field that an operation leaves as it is.
private struct Unchanged {
    var field: ProductField
    var live: FieldValue?
    var wanted: FieldValue?
    var isIgnored: Bool
    var isCarriedOver: Bool

    init(_ value: DocumentValue) throws(DocumentError) {
        self = try value.object { object throws(DocumentError) in
            let field: ProductField = try object.required("field", DocumentRead.choice)
            let read = { (value: DocumentValue) throws(DocumentError) in try DocumentRead.value(value, of: field) }
            let both = try object.optional("value", read)
            let live = try object.optional("live", read)
            let wanted = try object.optional("manifest", read)
            guard both == nil || live == nil && wanted == nil else {
                throw DocumentError("has several values", at: object.place)
            }
            return Unchanged(
                field: field,
                live: live ?? both,
                wanted: wanted ?? both,
                isIgnored: try object.optional("ignored", DocumentRead.truth) ?? false,
                isCarriedOver: try object.optional("carried_over", DocumentRead.truth) ?? false
            )
        }
    }

    private init(field: ProductField, live: FieldValue?, wanted: FieldValue?, isIgnored: Bool, isCarriedOver: Bool) {
        self.field = field
        self.live = live
        self.wanted = wanted
        self.isIgnored = isIgnored
        self.isCarriedOver = isCarriedOver
    }
}
