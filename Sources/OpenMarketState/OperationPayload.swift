import OpenMarket

/// What the journal kept of an operation for good before version 5, in flat lists of texts; only read.
///
/// What settling needed besides is in ``OperationDetails``.
struct OperationPayload {
    var action: PlannedOperation.Action
    var key: String
    var id: Int64?
    var reason: String
    /// The file, and the line and column where there are any.
    var source: [String]?
    /// Field, kind, base, live and manifest of each change; in rows of version 1 `=` where the value stands in the
    /// details' `live` or `desired`.
    var changes: [String?]?
    /// What a product was called that came or went.
    var name: String?
    /// Pictures that a change is about.
    var pictures: [String]?

    init(_ row: JSONValue) throws(DocumentError) {
        guard let action = row["action"]?.text.flatMap(PlannedOperation.Action.init(rawValue:)),
            let key = row["key"]?.text, let reason = row["reason"]?.text
        else { throw DocumentError("is none", at: "an operation") }
        self.action = action
        self.key = key
        self.reason = reason
        id = row["id"]?.integer
        source = row["source"]?.texts
        changes = row["changes"]?.optionalTexts
        name = row["name"]?.text
        pictures = row["pictures"]?.texts
    }

    /// The operation; throws when the texts do not make one.
    func operation(_ details: OperationDetails) throws(DocumentError) -> PlannedOperation {
        PlannedOperation(
            // A run before version 3 wrote its keys as they stood in the manifest.
            key: key.composed,
            reason: reason,
            source: try source.map(location),
            secret: try OperationDetails.read(details.secret, SecretReference.init(stateText:)),
            work: try work(details)
        )
    }

    private func work(_ details: OperationDetails) throws(DocumentError) -> PlannedOperation.Work {
        let desired = try OperationDetails.values(details.desired)
        let live = try OperationDetails.values(details.live)
        let changes = try changes(desired: desired, live: live)
        let pictures = try OperationDetails.pictures(details.pictures ?? pictures)
        let isProtected = details.isProtected
        switch action {
        case .create:
            var values = desired
            for change in changes where values[change.field] == nil { values[change.field] = change.manifest }
            values.name = values.name ?? name
            return .create(NewProduct(values: values, pictures: pictures, isProtected: isProtected))
        case .adopt:
            // Once it is over nothing but the product's number is kept of what the state was to know.
            guard let known = details.entry else {
                let entry = StateEntry(key: key.composed, id: try product(), applied: ProductValues())
                return .adopt(entry, name: name)
            }
            return .adopt(known, name: name ?? live.name)
        case .update:
            return .update(
                PlannedOperation.Update(
                    id: try product(),
                    changes: changes,
                    desired: desired,
                    ignored: details.ignored,
                    live: live,
                    pictures: pictures,
                    thumbnailImageID: details.thumbnailImageID,
                    isProtected: isProtected
                )
            )
        case .replace:
            return .replace(
                PlannedOperation.Replacement(
                    id: try product(),
                    changes: changes,
                    product: NewProduct(values: desired, pictures: pictures, isProtected: isProtected),
                    carriedOver: details.carriedOver,
                    live: live
                )
            )
        case .delete:
            var live = live
            live.name = live.name ?? name
            return .delete(PlannedOperation.Deletion(id: try product(), live: live))
        case .forget: return .forget(try product(), name: name)
        }
    }

    private func product() throws(DocumentError) -> ProductID {
        guard let id else { throw DocumentError("names no product", at: "an operation") }
        return ProductID(id)
    }

    // MARK: - Parts

    private func location(_ texts: [String]) throws(DocumentError) -> SourceLocation {
        guard let file = texts.first else { throw DocumentError("is empty", at: "source") }
        guard texts.count == 3 else { return SourceLocation(file: file) }
        guard let line = UInt32(texts[1]), let column = UInt32(texts[2]) else {
            throw DocumentError("is no place", at: "source")
        }
        return SourceLocation(file: file, position: SourcePosition(line: line, column: column))
    }

    private func changes(desired: ProductValues, live: ProductValues) throws(DocumentError) -> [FieldChange] {
        let texts = changes ?? []
        var result: [FieldChange] = []
        for start in stride(from: 0, to: texts.count, by: 5) {
            guard start + 5 <= texts.count,
                let field = texts[start].flatMap(ProductField.init(rawValue:)),
                let kind = texts[start + 1].flatMap(FieldChange.Kind.init(rawValue:))
            else { throw DocumentError("is none", at: "changes") }
            result.append(
                FieldChange(
                    field: field,
                    kind: kind,
                    base: try OperationDetails.read(texts[start + 2], FieldValue.init(stateText:)),
                    live: try OperationDetails.read(texts[start + 3]) {
                        $0 == "=" ? live[field] : FieldValue(stateText: $0)
                    },
                    manifest: try OperationDetails.read(texts[start + 4]) {
                        $0 == "=" ? desired[field] : FieldValue(stateText: $0)
                    }
                )
            )
        }
        return result
    }
}

extension FieldValue {
    /// Reads the kind's name, a colon, the value.
    init?(stateText text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = String(text[text.utf8.index(after: colon)...])
        let value: FieldValue? =
            switch text[..<colon] {
            case "text": .text(rest)
            case "number": ExactDecimal(rest).map(FieldValue.number)
            case "integer": Int64(rest).map(FieldValue.integer)
            case "sale": Sale(stateText: rest).map(FieldValue.sale)
            case "images": TextList.split(rest) { PictureIdentity(stateText: $0) }.map(FieldValue.images)
            case "image": PictureIdentity(stateText: rest).map(FieldValue.image)
            default: nil
            }
        guard let value else { return nil }
        self = value
    }
}
