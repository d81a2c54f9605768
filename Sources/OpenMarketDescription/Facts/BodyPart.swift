import OpenMarket

/// A value in the body of a request, and its position.
///
/// Requests are built from these parts, the texts for people list them, and checks compare them.
package struct BodyPart: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// A value that was read and is sent back.
        case kept
        /// A constant in every body.
        case constant(Literal)
        /// A constant that hides a new product.
        case hiding(Literal)
        /// The vendor's key.
        case key
        /// A constant that is sent with a field.
        case companion(MarketDescription.Fields.Name, Literal)
        case field(MarketDescription.Fields.Name)
        case pictures
        case credential(MarketDescription.Credential.Field)
        /// Files outside the values, in parts of this name.
        case files(String)
    }

    package var content: Content
    /// The position among the body's values; unused for files.
    package var place = JSONPointer.whole
    /// The array element at that position that contains the field.
    package var item: MarketDescription.Place.Item?
    /// The language of a text in a map of languages.
    package var language: Template?
    /// Whether an update sends the field's container back as a whole: a map of languages, or an array.
    package var sendsBack = false

    package var field: MarketDescription.Fields.Name? { if case .field(let name) = content { name } else { nil } }

    var literal: Literal? {
        switch content {
        case .constant(let literal), .hiding(let literal), .companion(_, let literal): literal
        case .kept, .key, .field, .pictures, .credential, .files: nil
        }
    }
}

extension MarketDescription {
    /// The parts of the body of an operation's requests, in the order of sending.
    package func bodyParts(of operation: Operation) -> [BodyPart] {
        let credentials = auth.compactMap { credential -> BodyPart? in
            guard case .field(let field) = credential, field.audience.includes(operation) else { return nil }
            return BodyPart(content: .credential(field), place: field.place)
        }
        switch operation {
        case .list, .total, .detail, .find, .health: return []
        case .upload: return credentials + files(pictures?.upload)
        case .attach: return credentials + files(pictures?.attach)
        case .create, .update, .deleteKey, .delete: break
        }
        guard let write = operations.write(operation), write.body != nil else { return [] }
        var parts = write.kept.map { BodyPart(content: .kept, place: $0) }
        parts += write.values.map { BodyPart(content: .constant($0.value), place: $0.name) }
        guard operation == .create || operation == .update else { return parts + credentials }
        if operation == .create {
            parts += write.hidden.map { BodyPart(content: .hiding($0.value), place: $0.name) }
        }
        if let key = identity.key, key.isSent(by: operation, write) {
            parts.append(BodyPart(content: .key, place: key.place))
        }
        for name in fields.order { parts += bodyParts(of: name, in: operation) }
        if let pictures {
            let isSent = operation == .create || pictures.change == .inPlace
            // If all fields are sent, the market would remove missing pictures.
            if isSent || write.sending == .whole, let written = pictures.written {
                parts.append(BodyPart(content: .pictures, place: written.place))
            }
            if isSent, pictures.style == .parts {
                return parts + credentials + [BodyPart(content: .files(pictures.part ?? "picture"))]
            }
        }
        return parts + credentials
    }

    private func files(_ request: Pictures.Upload?) -> [BodyPart] {
        request?.body == .parts ? [BodyPart(content: .files(request?.part ?? "file"))] : []
    }

    private func bodyParts(of name: Fields.Name, in operation: Operation) -> [BodyPart] {
        guard fields.takes(name, in: operation), let place = fields.place(of: name), let pointer = place.writing else {
            return []
        }
        let text = name == .name ? fields.name : name == .description ? fields.description : nil
        let places = place.companions.map(\.name) + [pointer]
        let sendsBack =
            place.item != nil || text?.kind == .languageMap || places.contains { $0.array != nil }
        let field = BodyPart(
            content: .field(name),
            place: pointer,
            item: place.item,
            language: text?.language,
            sendsBack: operation == .update && sendsBack
        )
        return place.companions.map { BodyPart(content: .companion(name, $0.value), place: $0.name) } + [field]
    }
}

extension BodyPart {
    /// The position, with the object around all values, for people.
    func words(in body: MarketDescription.Body?) -> String {
        if case .files(let part) = content { part } else { (body?.inside?.description ?? "") + place.description }
    }

    /// The name in messages.
    var name: String {
        switch content {
        case .constant: "'with'"
        case .hiding: "'hidden'"
        case .kept: "'keep'"
        case .key: "the key"
        case .companion(let name, _): "'\(name.rawValue).with'"
        case .field(let name): "'\(name.rawValue)'"
        case .pictures, .files: "pictures"
        case .credential: "a credential"
        }
    }

    /// The steps to the value itself, in an element and a language.
    private var steps: [JSONPointer.Token] {
        place.tokens + (item?.inside.tokens ?? []) + (language.map { [.member("\($0)")] } ?? [])
    }

    /// Whether two parts exclude each other.
    func collides(with other: BodyPart) -> Bool {
        // Values sent back yield to other values, and files are outside the values.
        switch (content, other.content) {
        case (.kept, _), (.files, _), (_, .kept), (_, .files): return false
        // A constant that hides the product replaces a constant of every body.
        case (.constant, .hiding) where place == other.place, (.hiding, .constant) where place == other.place:
            return false
        default: break
        }
        let (own, others) = (steps, other.steps)
        if own == others {
            // Other elements of an array may use the same path.
            guard item?.place == other.item?.place, item?.value == other.item?.value else { return false }
            return literal == nil || literal != other.literal
        }
        // A value inside an element is not at the array's own path.
        return item == nil && own.count < others.count && others.starts(with: own)
    }

    /// The position of a collision, for messages.
    var spot: JSONPointer { JSONPointer(tokens: steps) }
}

extension MarketDescription.Body {
    /// Whether the body consists of names and texts, with nested members named as `a[b]`.
    var isFlat: Bool { form == .form || form == .parts && part == nil }
}

extension MarketDescription.Place {
    /// Whether requests of an operation include it.
    func isSaid(by operation: MarketDescription.Operation) -> Bool { operations?.contains(operation) ?? true }
}
