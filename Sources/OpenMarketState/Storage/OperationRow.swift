import OpenMarket

/// An operation as the journal stores it, in parts with different lifetimes.
struct OperationRow {
    /// The part that `history` shows, which pruning alone deletes.
    let payload: String
    /// The part that only settling needs, kept until the operation is over; `nil` afterwards, or if there is none.
    let details: String?
    /// The values of a create; `nil` for all others.
    let contents: CreateContents?

    /// The format of the rows.
    ///
    /// Most are the operation's document in plans, split in two. A create is a list of what its entry lacks: format,
    /// file, line, column and reason, then the paths of the pictures. The column of a table's cell is a list of its
    /// number and name; that of a whole row is empty. The reason is a list with the former key if there is one.
    private static let format = JSONValue.integer(1)

    /// The reason that a create's row omits.
    private static let usualReason = "new in the manifest"

    /// Members that neither `history` nor `undo` needs once the operation is over.
    private static let passing: Set<String> = ["unchanged", "entry", "thumbnail_id"]
    /// Members that they need only of an operation that takes pictures away.
    private static let ofPictures: Set<String> = ["pictures", "live_pictures"]
    /// Members that they need only of an operation that deletes a product.
    private static let ofDeletes: Set<String> = ["secret", "protected"]

    init(payload: String, details: String?, contents: CreateContents? = nil) {
        self.payload = payload
        self.details = details
        self.contents = contents
    }

    init(_ operation: PlannedOperation) {
        if case .create(let product) = operation.work {
            self.init(operation, creating: product)
        } else {
            self.init(document: operation)
        }
    }

    private init(document operation: PlannedOperation) {
        var details = Self.passing
        if !operation.takesPictures { details.formUnion(Self.ofPictures) }
        if operation.action != .delete, operation.action != .replace { details.formUnion(Self.ofDeletes) }
        var lasting = [JSONValue.Member("format", Self.format)]
        var passing: [JSONValue.Member] = []
        var operation = operation
        operation.adjusted = nil
        for member in OperationDocument(operation, picture: \.document).document.members ?? [] {
            if details.contains(member.name) {
                passing.append(member)
            } else {
                lasting.append(member)
            }
        }
        payload = String(decoding: JSONValue.object(lasting).bytes(), as: UTF8.self)
        self.details = String(decoding: JSONValue.object(passing).bytes(), as: UTF8.self)
        contents = nil
    }

    private init(_ operation: PlannedOperation, creating product: NewProduct) {
        var lasting = JSONWriter()
        lasting.array { writer in
            writer.value(Self.format)
            writer.value(operation.source.map { .string($0.file) } ?? .null)
            writer.value(operation.source?.position.map { .integer($0.line) } ?? .null)
            writer.value(Self.column(of: operation.source))
            let reason = JSONValue.string(operation.reason)
            if let former = operation.renamedFrom {
                writer.value(.array([reason, .string(former)]))
            } else {
                writer.value(operation.reason.isExactly(Self.usualReason) ? .null : reason)
            }
            for picture in product.pictures { writer.string(picture.path) }
        }
        payload = lasting.text
        if product.isProtected || product.isTrial || operation.secret != nil {
            var passing = JSONWriter()
            passing.object { writer in
                if product.isProtected { writer.member("protected", true) }
                if product.isTrial { writer.member("trial", true) }
                writer.member("secret", operation.secret?.stateText)
            }
            details = passing.text
        } else {
            details = nil
        }
        contents = CreateContents(product)
    }

    /// Restores the operation; of a finished one only the kept part.
    ///
    /// `key` is passed because a create's row does not repeat it. Throws if the row is not a valid operation.
    func operation(key: String) throws -> PlannedOperation {
        let kept = try JSONValue.parse(Array(payload.utf8))
        let rest = try details.map { try JSONValue.parse(Array($0.utf8)) }
        if let kept = kept.elements { return try create(kept, passing: rest ?? .object([]), key: key) }
        guard kept["format"] == Self.format else { throw DocumentError("is unknown", at: "format") }
        let members =
            (kept.members ?? []).filter { $0.name != "format" } + ((rest ?? Self.rest(of: kept)).members ?? [])
        return try PlannedOperation(document: DocumentValue(.object(members), at: ""))
    }

    private func create(_ kept: [JSONValue], passing: JSONValue, key: String) throws -> PlannedOperation {
        guard kept.count >= 5, kept[0] == Self.format else {
            throw DocumentError("is unknown", at: "format")
        }
        guard let contents else { throw DocumentError("are missing", at: "contents") }
        let values = try contents.values()
        let paths = kept.dropFirst(5).compactMap(\.text)
        let pictures = try contents.files() ?? CreateContents.pictures(paths, of: values.images ?? [])
        var product = NewProduct(values: values, pictures: pictures, isProtected: passing["protected"] == .bool(true))
        product.isTrial = passing["trial"] == .bool(true)
        let renaming = kept[4].elements
        var operation = PlannedOperation(
            key: key,
            reason: (renaming?.first ?? kept[4]).text ?? Self.usualReason,
            source: kept[1].text.map { Self.location(in: $0, line: kept[2], column: kept[3]) },
            secret: try passing["secret"].map { try SecretReference(document: DocumentValue($0, at: "secret")) },
            work: .create(product)
        )
        if let former = renaming?.last?.text { operation.renamedFrom = former }
        return operation
    }

    private static func column(of source: SourceLocation?) -> JSONValue {
        guard let source, let position = source.position else { return .null }
        return switch source.table {
        case nil: .integer(position.column)
        case .row: .array([])
        case .cell(let name): .array([.integer(position.column), .string(name)])
        }
    }

    private static func location(in file: String, line: JSONValue, column: JSONValue) -> SourceLocation {
        func number(_ value: JSONValue?) -> UInt32? { value?.integer.flatMap { UInt32(exactly: $0) } }
        guard let line = number(line) else { return SourceLocation(file: file) }
        if let column = number(column) {
            return SourceLocation(file: file, position: SourcePosition(line: line, column: column))
        }
        guard let cell = column.elements else { return SourceLocation(file: file) }
        return SourceLocation(
            file: file,
            position: SourcePosition(line: line, column: number(cell.first) ?? 1),
            table: cell.dropFirst().first?.text.map { .cell(column: $0) } ?? .row
        )
    }

    /// Placeholders for the details that were dropped when the operation was over.
    private static func rest(of kept: JSONValue) -> JSONValue {
        switch kept["action"]?.text {
        case "adopt":
            .object(
                of: ("entry", .object(of: ("key", kept["key"]), ("id", kept["id"]), ("applied", .object([]))))
            )
        case "update", "replace":
            .object(of: ("unchanged", .array(changesName(kept) ? [] : [name(kept)].compactMap(\.self))))
        default: .object([])
        }
    }

    private static func changesName(_ kept: JSONValue) -> Bool {
        (kept["changes"]?.elements ?? []).contains { $0["field"] == .string("name") }
    }

    private static func name(_ kept: JSONValue) -> JSONValue? {
        kept["name"].map { .object(of: ("field", .string("name")), ("live", $0)) }
    }
}
