import OpenMarket

extension MarketDescription {
    /// The parts of the description's writing operations that no request can express, one clause each; empty if there
    /// are none.
    ///
    /// The request encoder refuses only these because of their form; other refusals depend on the values.
    var unwritable: [String] {
        [Operation.create, .update, .deleteKey, .delete].flatMap { unwritable(by: $0) }
    }

    /// The parts of an operation's description that no request can express.
    package func unwritable(by operation: Operation) -> [String] {
        guard let write = operations.write(operation) else { return [] }
        var reasons = unreadable(operation, write) + unsupported(operation, write) + collisions(operation)
        if operation == .create, identity.id.chosenBy == .us, identity.id.kind == .integer {
            reasons.append("the chosen id is the product's key in the manifest, which is not a number")
        }
        return reasons
    }

    /// Whether the description leaves open if a change replaces the whole product, as a PUT does by definition.
    package var leavesPutOpen: Bool { operations.update?.method == .put && operations.update?.send == nil }

    /// Whether requests of an operation send back values that were read just before.
    func sendsBack(_ operation: Operation) -> Bool {
        guard operation == .update, operations.update != nil else { return false }
        return alwaysSendsBack || changedPicturesSendBack || bodyParts(of: .update).contains(where: \.sendsBack)
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

    // MARK: Values to read before a write

    private func unreadable(_ operation: Operation, _ write: Write) -> [String] {
        var reasons: [String] = []
        let name = operation.rawValue
        let places = [write.path] + write.query.flatMap(\.value)
        if places.contains(where: { $0.names(.key) }) {
            if operation != .create {
                // A product's key in the manifest may differ from its key on the market.
                reasons.append("'\(name)' names '{key}', and products are changed and deleted by their ids")
            } else if identity.key == nil, identity.id.chosenBy == .market {
                reasons.append("'\(name)' names '{key}', and 'identity.key' is missing")
            }
        }
        guard sendsBack(operation) else { return reasons }
        guard operations.detail != nil else {
            reasons.append("'\(name)' sends back read values, and 'operations.detail' is not described")
            return reasons
        }
        if write.body?.isFlat == true { reasons.append("'\(name)' is a form, which cannot send back read values") }
        if write.sending == .whole, let pictures, pictures.isShownElsewhere {
            reasons.append(
                "'\(name)' sends all fields, and pictures are not shown as they are written: 'write.kept' is missing"
            )
        }
        return reasons
    }

    // MARK: Values that a body cannot express

    private func unsupported(_ operation: Operation, _ write: Write) -> [String] {
        guard operation == .create || operation == .update else { return [] }
        let parts = bodyParts(of: operation)
        var reasons: [String] = []
        if write.body?.form != .parts, parts.contains(where: { if case .files = $0.content { true } else { false } }) {
            reasons.append("'\(operation.rawValue)' lacks parts for pictures")
        }
        guard write.body?.isFlat == true else { return reasons }
        return reasons
            + parts.compactMap { key(ofNullIn: $0) }.unique.map {
                "'\(operation.rawValue)' is a form, which has neither null nor an empty list ('\($0)')"
            }
    }

    /// The key that lets a part be null or an empty list.
    private func key(ofNullIn part: BodyPart) -> String? {
        switch part.content {
        case .constant(.null), .hiding(.null): return "with"
        case .companion(let name, .null): return "fields.\(name.rawValue)"
        case .field(let name):
            let isSale = name == .sale && fields.sale?.ending == .value(.null)
            return isSale || fields.place(of: name)?.unset == .null ? "fields.\(name.rawValue)" : nil
        case .pictures:
            return pictures?.clearing == .emptyList || pictures?.clearing == .value(.null) ? "pictures.clear" : nil
        case .kept, .constant, .hiding, .key, .companion, .credential, .files: return nil
        }
    }

    private func collisions(_ operation: Operation) -> [String] {
        let parts = bodyParts(of: operation)
        var reasons: [String] = []
        for (index, part) in parts.enumerated() {
            for (number, other) in parts.enumerated() where number != index && part.collides(with: other) {
                if part.spot == other.spot, number < index { continue }
                reasons.append(
                    "'\(operation.rawValue)' has two values at '\(part.spot)': \(part.name) and \(other.name)"
                )
            }
        }
        return reasons.unique
    }
}
