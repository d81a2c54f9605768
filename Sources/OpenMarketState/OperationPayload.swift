import OpenMarket

/// An ``Operation`` as the journal keeps it: all of it, in flat lists of texts.
///
/// A run writes down all its operations before its first request, and nested values cost an encoder five times as
/// much as flat ones.
struct OperationPayload: Codable {
    var action: OpenMarket.Operation.Action
    var key: String
    var id: Int64?
    var reason: String
    /// The file, and the line and column where there are any.
    var source: [String]?
    /// Field, kind, base, live and manifest of each change; `=` where the value stands in `live` or `desired`.
    var changes: [String?]?
    var desired: [String?]?
    var carriedOver: [ProductField]?
    var live: [String?]?
    /// Path, file, digest, size, format, width and height of each picture.
    var pictures: [String]?
    var thumbnailImageID: Int64?
    var entry: StateLines.Product?
    var secret: String?
    var isProtected: Bool?

    init(_ operation: OpenMarket.Operation) {
        action = operation.action
        key = operation.key
        id = operation.id?.rawValue
        reason = operation.reason
        source = operation.source.map { source in
            [source.file] + (source.position.map { [String($0.line), String($0.column)] } ?? [])
        }
        if !operation.changes.isEmpty {
            changes = operation.changes.flatMap { change in
                [
                    change.field.rawValue, change.kind.rawValue, change.base?.stateText,
                    Self.text(change.live, in: operation.live, change.field),
                    Self.text(change.manifest, in: operation.desired, change.field),
                ]
            }
        }
        desired = Self.texts(operation.desired)
        carriedOver = operation.carriedOver.isEmpty ? nil : operation.carriedOver
        live = Self.texts(operation.live)
        if !operation.pictures.isEmpty {
            pictures = operation.pictures.flatMap { picture in
                [
                    picture.path, picture.file, picture.digest.hexadecimal, String(picture.byteCount),
                    picture.format.rawValue, String(picture.width), String(picture.height),
                ]
            }
        }
        thumbnailImageID = operation.thumbnailImageID
        entry = operation.entry.map(StateLines.Product.init)
        secret = operation.secret?.stateText
        isProtected = operation.isProtected ? true : nil
    }

    /// The operation; throws when the texts do not make one.
    func operation() throws(StateLines.Fault) -> OpenMarket.Operation {
        let desired = try values(desired)
        let live = try values(live)
        return OpenMarket.Operation(
            action: action,
            key: key,
            id: id.map { ProductID($0) },
            reason: reason,
            source: try source.map(location),
            changes: try changes(desired: desired, live: live),
            desired: desired,
            carriedOver: carriedOver ?? [],
            live: live,
            pictures: try decodedPictures(),
            thumbnailImageID: thumbnailImageID,
            entry: try entry?.entry(),
            secret: try read(secret, SecretReference.init(stateText:)),
            isProtected: isProtected ?? false
        )
    }

    // MARK: - Parts

    private static func text(_ value: FieldValue?, in values: ProductValues, _ field: ProductField) -> String? {
        guard let value else { return nil }
        return value == values[field] ? "=" : value.stateText
    }

    private static func texts(_ values: ProductValues) -> [String?]? {
        guard values != ProductValues() else { return nil }
        return ProductField.allCases.map { values[$0]?.stateText }
    }

    private func read<Value>(_ text: String?, _ read: (String) -> Value?) throws(StateLines.Fault) -> Value? {
        guard let text else { return nil }
        guard let value = read(text) else { throw StateLines.Fault("an operation holds \"\(text)\"") }
        return value
    }

    private func values(_ texts: [String?]?) throws(StateLines.Fault) -> ProductValues {
        var values = ProductValues()
        for (field, text) in zip(ProductField.allCases, texts ?? []) {
            values[field] = try read(text, FieldValue.init(stateText:))
        }
        return values
    }

    private func location(_ texts: [String]) throws(StateLines.Fault) -> SourceLocation {
        guard let file = texts.first else { throw StateLines.Fault("an operation's place is empty") }
        guard texts.count == 3 else { return SourceLocation(file: file) }
        guard let line = UInt32(texts[1]), let column = UInt32(texts[2]) else {
            throw StateLines.Fault("an operation's place is no place")
        }
        return SourceLocation(file: file, position: SourcePosition(line: line, column: column))
    }

    private func changes(desired: ProductValues, live: ProductValues) throws(StateLines.Fault) -> [FieldChange] {
        let texts = changes ?? []
        var result: [FieldChange] = []
        for start in stride(from: 0, to: texts.count, by: 5) {
            guard start + 5 <= texts.count,
                let field = texts[start].flatMap(ProductField.init(rawValue:)),
                let kind = texts[start + 1].flatMap(FieldChange.Kind.init(rawValue:))
            else { throw StateLines.Fault("an operation's change is none") }
            result.append(
                FieldChange(
                    field: field,
                    kind: kind,
                    base: try read(texts[start + 2], FieldValue.init(stateText:)),
                    live: try read(texts[start + 3]) { $0 == "=" ? live[field] : FieldValue(stateText: $0) },
                    manifest: try read(texts[start + 4]) { $0 == "=" ? desired[field] : FieldValue(stateText: $0) }
                )
            )
        }
        return result
    }

    private func decodedPictures() throws(StateLines.Fault) -> [Picture] {
        let texts = pictures ?? []
        var result: [Picture] = []
        for start in stride(from: 0, to: texts.count, by: 7) {
            guard start + 7 <= texts.count,
                let digest = ContentDigest(hexadecimal: texts[start + 2]),
                let byteCount = Int(texts[start + 3]),
                let format = PictureFormat(rawValue: texts[start + 4]),
                let width = Int(texts[start + 5]),
                let height = Int(texts[start + 6])
            else { throw StateLines.Fault("an operation's picture is none") }
            result.append(
                Picture(
                    path: texts[start],
                    file: texts[start + 1],
                    digest: digest,
                    byteCount: byteCount,
                    format: format,
                    width: width,
                    height: height
                )
            )
        }
        return result
    }
}

extension FieldValue {
    /// The kind's name, a colon, the value.
    var stateText: String {
        switch self {
        case .text(let value): "text:" + value
        case .number(let value): "number:" + value.description
        case .integer(let value): "integer:" + String(value)
        case .sale(let value): "sale:" + value.stateText
        case .images(let values): "images:" + TextList.joined(values.lazy.map(\.stateText))
        case .image(let value): "image:" + value.stateText
        }
    }

    /// Reads ``stateText``.
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
