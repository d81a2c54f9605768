import OpenMarket

/// A task that users need a market for.
package enum Capability: String, CaseIterable, Sendable {
    case export
    /// Proving that all products were read.
    case certified
    /// Reading the fields that only details show.
    case details
    case pictures
    case create
    case update
    case delete
    case sendPictures = "send_pictures"
    /// Changing a product's pictures while it keeps its id.
    case changePictures = "change_pictures"
    case keys
    /// Determining for each product whether it belongs to the vendor.
    case ownership
    /// Determining the result of a create whose reply was lost.
    case settle

    /// The reasons why a market does not support it; empty if it does.
    package func obstacles(in market: MarketDescription) -> [String] {
        let operations = market.operations
        func needs(_ operation: MarketDescription.Operation) -> [String] {
            market.describes(operation) ? [] : ["'operations.\(operation.rawValue)' is not described"]
        }
        switch self {
        case .export: return []
        case .certified:
            return market.proofs.attempts.isEmpty ? ["the description has 'complete: never'"] : []
        case .details: return needs(.detail)
        case .pictures: return market.pictures?.shown == nil ? ["'pictures.read' is not described"] : []
        case .create:
            return needs(.create) + (market.describes(.create) ? unsaid(in: market) : [])
                + unsupervised(.create, market)
        case .update: return needs(.update) + unsupervised(.update, market)
        case .delete: return needs(.delete) + unsupervised(.delete, market)
        case .sendPictures:
            guard let pictures = market.pictures else { return ["'pictures' is not described"] }
            if pictures.style == .none { return ["'pictures.style' is 'none'"] }
            return operations.create == nil && operations.update == nil ? needs(.create) : []
        case .changePictures:
            guard let pictures = market.pictures else { return ["'pictures' is not described"] }
            if pictures.style == .none { return ["'pictures.style' is 'none'"] }
            return needs(.update) + (market.describes(.update) ? unsupervised(.update, market) : [])
                + (pictures.change == .inPlace ? [] : ["'pictures.change' is 'replace'"])
                + (pictures.style == .attach ? ["'pictures.attach' adds a picture, and cannot remove one"] : [])
        case .keys:
            let carriesKeys = market.identity.key != nil || market.identity.id.chosenBy == .us
            return carriesKeys ? [] : ["'identity.key' is not described"]
        case .ownership:
            let hasKey = market.identity.key?.find != nil
            guard !hasKey, market.identity.proof == nil else { return [] }
            return switch market.identity.owner?.kind {
            case .integer: []
            case .text: ["an owner that is a text is shown, and not compared with the vendor's ('identity.owner')"]
            case nil: ["rows show neither owner nor key, so a product cannot be proved to be the vendor's"]
            }
        case .settle:
            return market.grade == .e ? ["'identity.repeat', 'identity.key' and rising ids are missing"] : []
        }
    }

    /// The fields that a new product needs but no request can set.
    private func unsaid(in market: MarketDescription) -> [String] {
        // A product cannot be found again without its name.
        let needed: [MarketDescription.Limits.RequiredField] = [.name] + market.limits.required.filter { $0 != .name }
        return needed.filter { !market.provides($0) { market.fields.takes($0, in: .create) } }
            .map { "'create' cannot send '\($0.rawValue)'" }
    }

    /// Obstacles to reading the catalog: plans need all of it, and each product is read again just before a write.
    private func unsupervised(_ operation: MarketDescription.Operation, _ market: MarketDescription) -> [String] {
        var reasons = market.proofs.attempts.isEmpty ? ["plans need a catalog that is proved to be complete"] : []
        if market.describes(operation), !market.describes(.detail) {
            reasons.append("a product is read right before a change: 'operations.detail' is not described")
        }
        reasons += market.unwritable(by: operation)
        if operation == .delete { reasons += market.unwritable(by: .deleteKey) }
        return reasons
    }
}

extension MarketDescription {
    /// Whether a product gets a field that the market may require, because a request sends it or all products have it.
    func provides(_ field: Limits.RequiredField, _ takes: (Fields.Name) -> Bool) -> Bool {
        if field == .currency, fields.currency?.fixed != nil { return true }
        return Fields.Name(rawValue: field.rawValue).map(takes) ?? pictures.map { $0.style != .none } ?? false
    }
}
