import OpenMarket
import OpenMarketDescription

/// The writing requests.
///
/// ``MarketDescription/unwritable`` reports impossible requests before planning; errors here depend on values.
extension MarketWire {
    /// The request for a write on this market.
    ///
    /// `document` is the product as the market shows it now, if parts of it are sent back. `isHidden` is whether a new
    /// product is hidden from buyers.
    ///
    /// Throws ``MarketError`` with the code `credentials` if a secret is missing, and `refused` if this market cannot
    /// express a value.
    func request(
        for write: WriteRequest,
        credentials: Credentials,
        sendingBack document: JSONValue? = nil,
        isHidden: Bool = false
    ) throws(MarketError) -> RequestDescription {
        let operation = write.operation
        // All secrets must be set, also those that another request of the same write needs; a picture has only its own.
        for case .field(let field) in market.auth where market.operations.write(operation) != nil {
            _ = try secret(field, for: write, credentials)
        }
        guard let endpoint = endpoint(operation),
            let method = RequestDescription.Method(rawValue: endpoint.method.rawValue)
        else {
            switch write.kind {
            case .deleteKey: throw MarketError(.refused, "\(name) deletes without a key")
            default: throw MarketError(.refused, "\(name) lacks a request for '\(operation.rawValue)'")
            }
        }
        if case .proveOwnership = write.kind, market.identity.proof != .changeOfNothing {
            throw MarketError(.refused, "\(name) lacks a request to prove ownership without effect")
        }
        var headers = try headers(of: operation, credentials) + repeatHeader(endpoint, write)
        let path = try target(endpoint, write)
        guard let body = endpoint.body else {
            return RequestDescription(method: method, path: path, headers: headers, body: .none)
        }
        var builder = BodyBuilder(self, write, sendingBack: document, isHidden: isHidden)
        try builder.put(bodyParts(of: operation)) { field throws(MarketError) in
            try secret(field, for: write, credentials)
        }
        let content = try self.body(body, try builder.root(inside: body.inside), builder.files, operation)
        if case .picture(let picture) = content {
            let name = WireField.Value.text("attachment; filename=\"\(picture.plainName)\"")
            headers.append(RequestDescription.Header(name: "Content-Disposition", value: name))
        }
        return RequestDescription(method: method, path: path, headers: headers, body: content)
    }

    /// Whether deleting a product requires a separate request for a key.
    var deletesWithKey: Bool { market.operations.deleteKey != nil }

    /// The product to read before the request because parts of it are sent back; `nil` if none is.
    func productSentBack(by write: WriteRequest) -> MarketID? {
        guard case .update(let id, let update) = write.kind else { return nil }
        if market.alwaysSendsBack || update.changed.contains(.images) && market.changedPicturesSendBack { return id }
        // A change of one money value may change the others.
        let money: Set<ProductField> = [.price, .salePrice, .currency]
        let touched = update.changed.isDisjoint(with: money) ? update.changed : update.changed.union(money)
        let isPart = bodyParts(of: .update).contains { part in
            part.sendsBack && part.field?.productField.map(touched.contains) ?? false
        }
        return isPart ? id : nil
    }

    /// Whether the request needs names or addresses that pictures get by their upload, before the upload.
    func lacksReferences(_ write: WriteRequest) -> Bool {
        guard market.pictures?.style == .url || market.pictures?.style == .upload else { return false }
        let pictures: [Picture] =
            switch write.kind {
            case .create(_, let pictures): pictures
            case .update(_, let update):
                update.changed.contains(.images) && market.pictures?.change == .inPlace ? update.pictures : []
            case .deleteKey, .delete, .proveOwnership, .upload, .attach: []
            }
        let kept: [Int: MarketID] = if case .update(_, let update) = write.kind { update.keptPictures } else { [:] }
        return pictures.enumerated().contains { index, picture in
            kept[index] == nil && reference(index, picture, write) == nil
        }
    }

    /// The reference to a picture in its product: the reply to its upload, or its address; `nil` if unknown.
    func reference(_ index: Int, _ picture: Picture, _ write: WriteRequest) -> String? {
        if write.references.indices.contains(index), !write.references[index].isEmpty { return write.references[index] }
        return market.pictures?.style == .url ? picture.address : nil
    }

    // MARK: Parts of a request

    private func secret(
        _ field: MarketDescription.Credential.Field,
        for write: WriteRequest,
        _ credentials: Credentials
    ) throws(MarketError) -> Secret {
        if let reference = write.secret, field.perProduct != nil {
            guard let secret = credentials.itemSecrets[reference] else {
                throw MarketError(.input, "the product's own secret is not set (\(reference.words))")
            }
            return secret
        }
        return try Self.secret(field.slot, credentials)
    }

    /// The header with the idempotency key, so that a repeated request is carried out once.
    private func repeatHeader(
        _ endpoint: Endpoint,
        _ write: WriteRequest
    ) throws(MarketError) -> [RequestDescription.Header] {
        guard let name = endpoint.repeatHeader, let key = write.idempotencyKey else { return [] }
        guard !key.isEmpty, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw MarketError(.refused, "the key of a repeated request has characters that no header can carry")
        }
        return [RequestDescription.Header(name: name, value: .text(key))]
    }

    /// Path and query of a write.
    ///
    /// The market answers a request for a delete key with a key, or with a whole path, which must match the
    /// description. Before the key is read, the displayed request has `{key}` instead.
    private func target(_ endpoint: Endpoint, _ write: WriteRequest) throws(MarketError) -> String {
        var deleteKey: String?
        if case .delete(_, let given?) = write.kind, deletesWithKey {
            guard DeleteKey.isSafe(given) else {
                throw MarketError(.unreadable, "the market's delete key is neither a key nor a path")
            }
            if given.hasPrefix("/"), endpoint.path.names(.deleteKey) {
                guard leadsToProducts(given, endpoint.path, write) else {
                    throw MarketError(.unreadable, "the path of the market's delete key leads elsewhere")
                }
                return given
            }
            deleteKey = given
        }
        let target = try self.target(write.operation) { placeholder in
            placeholder == .deleteKey ? deleteKey ?? Self.unknownKey : value(of: placeholder, in: write)
        }
        guard deletesWithKey, deleteKey == nil else { return target }
        return target.replacing(Self.unknownKey.percentEncoded, with: Self.unknownKey)
    }

    /// Replaces a delete key that was not read yet.
    private static let unknownKey = "{key}"

    /// Whether a path from a market equals a path of the description except for its end.
    private func leadsToProducts(_ path: String, _ template: Template, _ write: WriteRequest) -> Bool {
        guard let start = template.start(before: .deleteKey).filled(for: .path, { value(of: $0, in: write) }) else {
            return false
        }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return path.hasPrefix(start) && path.count > start.count && !path.contains("%")
            && segments.allSatisfy { !["", ".", ".."].contains($0) }
    }

    /// The value of a placeholder in a template of a write; `nil` if unknown.
    ///
    /// An id that the client chooses is the product's key in the manifest.
    private func value(of placeholder: Placeholder, in write: WriteRequest) -> String? {
        switch placeholder {
        case .id: write.product?.description ?? (market.identity.id.chosenBy == .us ? write.key : nil)
        case .key: write.key
        default: parameters.value(of: placeholder)
        }
    }

    /// A value of the description in its wire form.
    func value(of literal: Literal, in write: WriteRequest) throws(MarketError) -> WireField.Value {
        switch literal {
        case .text(let template):
            if template.pieces == [.placeholder(.id)], let id = write.product { return .id(id) }
            return .text(try text(template, .verbatim) { value(of: $0, in: write) })
        case .number(let number): return .number(number)
        case .boolean(let truth): return .boolean(truth)
        case .null: return .null
        }
    }

    private func body(
        _ body: MarketDescription.Body,
        _ root: WireField.Value,
        _ pictures: [Picture],
        _ operation: MarketDescription.Operation
    ) throws(MarketError) -> RequestDescription.Body {
        guard pictures.isEmpty || body.form == .parts || body.form == .raw else {
            throw MarketError(
                .refused,
                "the request '\(operation.rawValue)' of \(name) lacks parts for pictures"
            )
        }
        switch body.form {
        case .json: return .json(root, type: body.type ?? "application/json")
        case .form: return .form(try root.flattened())
        case .parts:
            var parts: [RequestDescription.Part] = []
            if let name = body.part {
                parts.append(.json(name: name, root))
            } else {
                parts += try root.flattened().map { .field($0) }
            }
            return .multipart(parts + pictures.map { .picture(name: filesPart(of: operation), $0) })
        case .raw:
            guard let picture = pictures.first, root == .object([]) else {
                throw MarketError(.refused, "the request '\(operation.rawValue)' of \(name) cannot hold values")
            }
            return .picture(picture)
        }
    }

    /// The name of the parts that contain pictures.
    private func filesPart(of operation: MarketDescription.Operation) -> String {
        for case .files(let part) in bodyParts(of: operation).map(\.content) { return part }
        return "file"
    }
}

extension WriteRequest {
    var operation: MarketDescription.Operation {
        switch kind {
        case .create: .create
        case .update, .proveOwnership: .update
        case .deleteKey: .deleteKey
        case .delete: .delete
        case .upload: .upload
        case .attach: .attach
        }
    }

    var product: MarketID? {
        switch kind {
        case .create, .upload: nil
        case .update(let id, _), .proveOwnership(let id), .deleteKey(let id), .delete(let id, _), .attach(let id, _): id
        }
    }
}

extension Picture {
    /// A name for a header, with only letters and digits that every server reads the same way.
    fileprivate var plainName: String {
        let name = uploadName.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": Character(scalar)
            default: "_"
            }
        }
        return String(name.suffix(100))
    }
}

extension SecretReference {
    /// The source of the missing secret, for messages.
    fileprivate var words: String {
        switch self {
        case .environment(let name): "!env \(name)"
        case .file(let path): "!file \(path)"
        case .manifest(let file, let path): "\(path) of \(file)"
        }
    }
}
