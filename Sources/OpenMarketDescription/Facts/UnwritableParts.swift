import OpenMarket

extension MarketDescription {
    /// The parts of the description's writing operations that no request can express, one clause each; empty if there
    /// are none.
    ///
    /// The request encoder refuses nothing else because of its form; other refusals depend on the values.
    var unwritable: [String] {
        [Operation.create, .update, .deleteKey, .delete].flatMap { unwritable(by: $0) }
    }

    /// The parts of an operation's description that no request can express.
    package func unwritable(by operation: Operation) -> [String] {
        guard let write = operations.write(operation) else { return [] }
        var reasons = unreadable(operation, write) + unsaid(operation, write) + collisions(operation, write)
        if operation == .create, identity.id.chosenBy == .us, identity.id.kind == .integer {
            reasons.append("the id that we choose is the product's key in the manifest, which is not a number")
        }
        return reasons
    }

    /// Whether it leaves open if a change replaces the whole product, as a PUT does by its definition.
    package var leavesPutOpen: Bool { operations.update?.method == .put && operations.update?.send == nil }

    /// Whether requests of an operation send back values that were read just before.
    func sendsBack(_ operation: Operation) -> Bool {
        guard operation == .update, operations.update != nil else { return false }
        return alwaysSendsBack || fields.order.contains { sendsBack($0, operation) } || changedPicturesSendBack
    }

    /// Whether every change sends back values that were read.
    package var alwaysSendsBack: Bool {
        guard let update = operations.update else { return false }
        return update.sending != .changed || !update.kept.isEmpty || update.values.contains { $0.name.array != nil }
    }

    /// Whether a change of the pictures sends back values that were read.
    package var changedPicturesSendBack: Bool {
        operations.update != nil && pictures?.change == .inPlace && pictures?.written?.place.array != nil
    }

    /// Whether a field is sent back as a whole, because markets replace its container: a map of languages, or an array.
    package func sendsBack(_ name: Fields.Name, _ operation: Operation) -> Bool {
        guard operation == .update, let place = fields.place(of: name), place.writing != nil,
            place.isSaid(by: operation)
        else { return false }
        return place.item != nil
            || (place.companions.map(\.name) + [place.writing].compactMap(\.self)).contains { $0.array != nil }
            || name == .name && fields.name?.kind == .languageMap
            || name == .description && fields.description?.kind == .languageMap
    }

    // MARK: What has to be read

    private func unreadable(_ operation: Operation, _ write: Write) -> [String] {
        var reasons: [String] = []
        let name = operation.rawValue
        let places = [write.path] + write.query.flatMap(\.value)
        if places.contains(where: { $0.names(.key) }) {
            if operation != .create {
                // A product's key in the manifest may differ from its key on the market.
                reasons.append("'\(name)' names '{key}', and products are changed and deleted by their ids")
            } else if identity.key == nil, identity.id.chosenBy == .market {
                reasons.append("'\(name)' names '{key}', and products carry no key of ours")
            }
        }
        guard sendsBack(operation) else { return reasons }
        guard operations.detail != nil else {
            reasons.append("'\(name)' sends back what was read, and 'operations.detail' is not described")
            return reasons
        }
        if write.body?.isFlat == true { reasons.append("'\(name)' is a form, which cannot send back what was read") }
        if write.sending == .whole, let pictures, pictures.isShownElsewhere {
            reasons.append(
                "'\(name)' sends all fields, and pictures are not shown as they are written: 'write.kept' is missing"
            )
        }
        return reasons
    }

    // MARK: What a body cannot hold

    private func unsaid(_ operation: Operation, _ write: Write) -> [String] {
        guard operation == .create || operation == .update else { return [] }
        var reasons: [String] = []
        let changesPictures = operation == .create || pictures?.change == .inPlace
        if let pictures, pictures.style == .parts, changesPictures, write.body?.form != .parts {
            reasons.append("'\(operation.rawValue)' has no parts that could be pictures")
        }
        guard write.body?.isFlat == true else { return reasons }
        var nulls: [String] = []
        if (write.values + write.hidden).contains(where: { $0.value == .null }) { nulls.append("with") }
        for name in fields.order {
            guard let place = fields.place(of: name), place.writing != nil, place.isSaid(by: operation) else {
                continue
            }
            var literals = place.companions.map(\.value) + [place.unset].compactMap(\.self)
            if name == .sale, case .value(let literal)? = fields.sale?.ending { literals.append(literal) }
            if literals.contains(.null) { nulls.append("fields.\(name.rawValue)") }
        }
        if let pictures, pictures.written != nil, changesPictures {
            if pictures.clearing == .emptyList || pictures.clearing == .value(.null) { nulls.append("pictures.clear") }
        }
        return reasons
            + nulls.map { "'\(operation.rawValue)' is a form, which has neither null nor an empty list ('\($0)')" }
    }

    // MARK: Two values at one place

    private struct Leaf {
        /// The name in messages.
        var name: String
        var tokens: [JSONPointer.Token]
        /// The array element that contains it, if any; other elements may use the same path.
        var element: String?
        var content = Content.value

        enum Content: Equatable {
            /// A value of the product, which excludes any other at the same path.
            case value
            /// A constant of every body; a constant that hides the product replaces it.
            case always(Literal)
            /// A constant that hides a new product.
            case hiding(Literal)
            /// A constant beside a field; other fields may have it too.
            case beside(Literal)

            var literal: Literal? {
                switch self {
                case .value: nil
                case .always(let literal), .hiding(let literal), .beside(let literal): literal
                }
            }
        }

        func collides(with other: Leaf) -> Bool {
            if tokens == other.tokens {
                guard element == other.element else { return false }
                switch (content, other.content) {
                case (.always, .hiding), (.hiding, .always): return false
                default: return content == .value || content.literal != other.content.literal
                }
            }
            // A value inside an element is not at the array's own path.
            guard element == nil else { return false }
            return tokens.count < other.tokens.count && other.tokens.starts(with: tokens)
        }
    }

    /// The constants that the description itself sets.
    private func constants(
        _ values: [PlacedValue],
        _ name: String,
        _ content: (Literal) -> Leaf.Content
    ) -> [Leaf] {
        values.map { Leaf(name: name, tokens: $0.name.tokens, content: content($0.value)) }
    }

    private func collisions(_ operation: Operation, _ write: Write) -> [String] {
        let leaves = leaves(operation, write)
        var reasons: [String] = []
        for (index, leaf) in leaves.enumerated() {
            for (number, other) in leaves.enumerated() where number != index && leaf.collides(with: other) {
                if leaf.tokens == other.tokens, number < index { continue }
                let reason =
                    "'\(operation.rawValue)' has two values at '\(JSONPointer(tokens: leaf.tokens))': \(leaf.name) and \(other.name)"
                if !reasons.contains(reason) { reasons.append(reason) }
            }
        }
        return reasons
    }

    private func leaves(_ operation: Operation, _ write: Write) -> [Leaf] {
        var leaves = constants(write.values, "'with'", Leaf.Content.always)
        for credential in auth {
            guard case .field(let field) = credential, field.audience.includes(operation) else { continue }
            leaves.append(Leaf(name: "a credential", tokens: field.place.tokens))
        }
        guard operation == .create || operation == .update else { return leaves }
        if operation == .create { leaves += constants(write.hidden, "'hidden'", Leaf.Content.hiding) }
        if let key = identity.key, key.isSent(by: operation, write) {
            leaves.append(Leaf(name: "the key", tokens: key.place.tokens))
        }
        for name in fields.order {
            guard let place = fields.place(of: name), let pointer = place.writing, place.isSaid(by: operation) else {
                continue
            }
            let words = "'\(name.rawValue)'"
            leaves += constants(place.companions, "'\(name.rawValue).with'", Leaf.Content.beside)
            let language = (name == .name ? fields.name : name == .description ? fields.description : nil)?.language
            let suffix = language.map { [JSONPointer.Token.member("\($0)")] } ?? []
            if let item = place.item {
                let element = "\(item.place) \(item.value)"
                leaves.append(
                    Leaf(name: words, tokens: pointer.tokens + item.inside.tokens + suffix, element: element)
                )
            } else {
                leaves.append(Leaf(name: words, tokens: pointer.tokens + suffix))
            }
        }
        if let written = pictures?.written, operation == .create || pictures?.change == .inPlace {
            leaves.append(Leaf(name: "pictures", tokens: written.place.tokens))
        }
        return leaves
    }
}

extension MarketDescription.Body {
    /// Whether it consists of names and texts, with nested members named as `a[b]`.
    var isFlat: Bool { form == .form || form == .parts && part == nil }
}

extension MarketDescription.Place {
    /// Whether requests of an operation include it.
    package func isSaid(by operation: MarketDescription.Operation) -> Bool { operations?.contains(operation) ?? true }
}
