/// How the product of a create is searched for whose reply is lost, and that is not repeated.
enum SettlementMethod {
    /// The product is searched for by its key, and the market refuses a second one.
    case uniqueKey
    /// The product is searched for by its key, although the market accepts duplicate keys.
    case findableKey
    /// New products are compared with the sent values: later ones have greater ids.
    case risingIDs
    /// New products are not recognizable, so a create counts as failed only if no listed product may be its product.
    case absence

    var isByKey: Bool { self == .uniqueKey || self == .findableKey }
}

extension MarketCapabilities {
    /// The best method on this market; `sendsKeys` means that products carry the manifest's keys.
    func settlementMethod(sendsKeys: Bool) -> SettlementMethod {
        if sendsKeys, choosesIDs { return .uniqueKey }
        if sendsKeys, let key, key.isFindable { return key.uniqueness == .enforced ? .uniqueKey : .findableKey }
        return idsRise ? .risingIDs : .absence
    }

    /// Whether the outcome of a create is discoverable if its reply is lost.
    func settlesCreates(sendsKeys: Bool) -> Bool {
        switch settlementMethod(sendsKeys: sendsKeys) {
        case _ where repetition != nil: true
        case .uniqueKey, .findableKey: true
        // Rising ids show which product is new, and its name identifies it.
        case .risingIDs: !normalisedFields.contains(.name)
        case .absence: false
        }
    }
}

extension MarketCapabilities.Repetition {
    /// Whether the market certainly still recognizes an idempotency key of this age.
    ///
    /// A tenth of the window is reserved for slow requests and clock differences.
    func isKnown(after age: Duration) -> Bool { age >= .zero && age < window * 9 / 10 }
}

extension Market {
    /// The products that carry a key, in detail; throws `MarketError`.
    ///
    /// If the client chooses ids, it is the product with that id.
    func products(carrying key: String, _ capabilities: MarketCapabilities) async throws -> [LiveProduct] {
        guard capabilities.choosesIDs else { return try await products(withKey: key) }
        guard let id = MarketID(spelled: key, as: capabilities.idKind) else { return [] }
        return try await product(id).map { [$0] } ?? []
    }
}
