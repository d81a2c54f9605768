/// How a create is settled whose reply was lost.
enum SettlementMethod: Hashable, Sendable, CaseIterable {
    /// The same request is sent again: the market carries a repeated one out once.
    case repeatedRequest
    /// The same request is sent again: the market refuses a second product of the key, and shows which one has it.
    case uniqueKey
    /// The product is looked up by its key, which the market does not keep from being given twice.
    case findableKey
    /// New products are compared with what was sent: later ones have greater ids.
    case risingIDs
    /// Nothing shows which product is new: the create did not happen only where nothing is listed that may be it.
    case absence

    /// Whether the create may be sent again while it is unknown what became of it.
    var repeatsRequest: Bool {
        switch self {
        case .repeatedRequest, .uniqueKey: true
        case .findableKey, .risingIDs, .absence: false
        }
    }
}

extension MarketCapabilities {
    /// The methods that settle creates on this market, the best first; never empty.
    ///
    /// The only place that says what a market's abilities are good for; each is a fallback of those before it.
    ///
    /// - Parameter sendsKeys: Whether products carry the manifest's keys.
    /// - Returns: The methods.
    func settlementMethods(sendsKeys: Bool) -> [SettlementMethod] {
        var methods: [SettlementMethod] = []
        if repetition != nil { methods.append(.repeatedRequest) }
        if sendsKeys, choosesIDs {
            methods.append(.uniqueKey)
        } else if sendsKeys, let key, key.isFindable {
            methods.append(key.uniqueness == .enforced ? .uniqueKey : .findableKey)
        }
        // What is new is found by its name.
        methods.append(idsRise && !normalisedFields.contains(.name) ? .risingIDs : .absence)
        return methods
    }

    /// The method that looks for the product of a create, now that it is not sent again.
    func lookingMethod(sendsKeys: Bool) -> SettlementMethod {
        settlementMethods(sendsKeys: sendsKeys).first { $0 != .repeatedRequest } ?? .absence
    }
}

extension MarketCapabilities.Repetition {
    /// Whether the market certainly still knows a request whose key is so old.
    ///
    /// A tenth of the window is left for a request that is slow, and for clocks that disagree.
    func isKnown(after age: Duration) -> Bool { age >= .zero && age < window * 9 / 10 }
}

extension Market {
    /// The products that carry a key of ours, in detail: the one of that id, where we choose ids.
    ///
    /// - Throws: `MarketError`.
    func products(carrying key: String, _ capabilities: MarketCapabilities) async throws -> [LiveProduct] {
        guard capabilities.choosesIDs else { return try await products(withKey: key) }
        guard let id = MarketID(spelled: key, as: capabilities.idKind) else { return [] }
        return try await product(id).map { [$0] } ?? []
    }
}
