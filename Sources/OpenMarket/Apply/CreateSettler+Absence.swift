/// Creates on a market that shows neither keys nor the order of ids.
extension CreateSettler {
    /// Finds the creates that certainly did not happen, because no listed product may be theirs.
    ///
    /// `rivals` are creates of others that may have made a product that looks like one of these. `identity` is `nil`
    /// unless the market confirmed it in this run.
    ///
    /// The result maps each create's index to its verdict. Throws `CancellationError`.
    func settleByAbsence(
        _ creates: [CreateSettlement.OpenCreate],
        besides rivals: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot,
        as identity: VendorIdentity?
    ) async throws -> [Int: SettlementVerdict] {
        guard !creates.isEmpty else { return [:] }
        try await drain.pause(for: remainingQuiet(creates), on: time.clock)
        guard drain.reason == nil else {
            return creates.all(.unresolved("the run stopped before it was settled"))
        }
        do {
            return try await absences(of: creates, settlement(of: creates + rivals, snapshot, as: identity))
        } catch let error as MarketError {
            return creates.all(.unresolved("the market cannot be asked: \(error.message)"))
        }
    }

    /// The verdicts according to the current list; throws `MarketError`.
    func previewByAbsence(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot
    ) async throws -> [Int: SettlementVerdict] {
        guard !creates.isEmpty else { return [:] }
        return try await absences(of: creates, settlement(of: creates, snapshot))
    }

    private func absences(
        of creates: [CreateSettlement.OpenCreate],
        _ settlement: CreateSettlement
    ) async throws -> [Int: SettlementVerdict] {
        let catalog = try await market.catalog()
        let rows = Array(catalog.products.values)
        let rewritesNames = capabilities.normalisedFields.contains(.name)
        var verdicts: [Int: SettlementVerdict] = [:]
        for create in creates {
            let suspects = settlement.suspects(of: create, among: rows, ofAnyName: rewritesNames)
            if let answered = create.answered, !settlement.isTaken(answered), create.mayHaveMade(answered),
                try await market.product(answered) != nil
            {
                // Its name on the list does not matter: the market named it in reply to the create.
                verdicts[create.index] = .unresolved(SettlementVerdict.undecidable(answered))
            } else if let doubt = catalog.unreadRowsSinceRequest.doubt(aboutName: create.product.values.name) {
                verdicts[create.index] = .unresolved(doubt.description)
            } else if let suspect = suspects.map(\.id).min(by: MarketID.precedes) {
                verdicts[create.index] = .unresolved(SettlementVerdict.undecidable(suspect))
            } else {
                verdicts[create.index] = .neverHappened
            }
        }
        return verdicts
    }
}
