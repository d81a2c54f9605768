import Logging

/// Asks the market about creates without a reply: reads, proves and waits for ``CreateSettlement``.
struct CreateSettler: Sendable {
    let market: any Market
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    let time: RunTime
    let drain: DrainSignal
    /// Products that other operations created and that the state does not contain yet.
    var made: Set<MarketID> = []

    /// Reads once without writing or waiting, for `plan`.
    ///
    /// A product that fits is assumed to be ours. Throws ``MarketError`` if the market cannot be read.
    func preview(
        _ creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot
    ) async throws -> [Int: SettlementVerdict] {
        switch capabilities.lookingMethod(sendsKeys: configuration.sendsKeys) {
        case .uniqueKey, .findableKey: return try await previewByKey(creates, snapshot)
        case .absence: return try await previewByAbsence(creates, snapshot)
        case .repeatedRequest, .risingIDs: break
        }
        var settlement = settlement(of: creates, snapshot)
        var verdicts: [Int: SettlementVerdict] = [:]
        let products = try await candidates(of: &settlement, isLast: false)
        let matches = settlement.matches(products)
        for match in matches { verdicts[match.create.index] = match.verdict }
        let rest = products.filter { product in !matches.contains { $0.product.id == product.id } }
        for create in creates where verdicts[create.index] == nil {
            let doubt =
                settlement.unread.doubt(aboutName: create.product.values.name)?.description
                ?? undecidable(create, among: rest, settlement)
            verdicts[create.index] = doubt.map { .unresolved($0) } ?? .neverHappened
        }
        return verdicts
    }

    /// Why nothing decides whether a product with the create's name but other values belongs to it.
    ///
    /// `nil` if the market can be asked, or has no such product.
    private func undecidable(
        _ create: CreateSettlement.OpenCreate,
        among products: [LiveProduct],
        _ settlement: CreateSettlement
    ) -> String? {
        guard capabilities.ownershipProof == nil else { return nil }
        let namesakes = settlement.namesakes(of: create, among: products)
        return namesakes.first { settlement.ownership(of: $0) != .ours }.map { SettlementVerdict.undecidable($0.id) }
    }

    /// Finds the outcome of creates.
    ///
    /// It looks at once, and searches again for missing ones after the quiet period, because the market may still apply
    /// a request whose reply was lost.
    ///
    /// `rivals` are creates of others that may have made a product that looks like one of these; their indices follow
    /// those of `creates`. `identity` is `nil` unless the market confirmed it in this run.
    ///
    /// The result maps each create's index to its verdict. Throws `CancellationError`.
    func settle(
        _ creates: [CreateSettlement.OpenCreate],
        besides rivals: [CreateSettlement.OpenCreate] = [],
        _ snapshot: StateSnapshot,
        as identity: VendorIdentity? = nil
    ) async throws -> [Int: SettlementVerdict] {
        if case .ordered(let why)? = drain.reason { return creates.all(.unresolved(why)) }
        let method = capabilities.lookingMethod(sendsKeys: configuration.sendsKeys)
        switch method {
        case .uniqueKey, .findableKey:
            return try await settleByKey(creates, snapshot, isUnique: method == .uniqueKey)
        case .absence: return try await settleByAbsence(creates, besides: rivals, snapshot, as: identity)
        case .repeatedRequest, .risingIDs: break
        }
        var settlement = settlement(of: creates + rivals, snapshot, as: identity)
        var verdicts: [Int: SettlementVerdict] = [:]
        let own = Set(creates.map(\.index))
        for isLast in [false, true] {
            let open = settlement.open.filter { own.contains($0.index) }
            guard !open.isEmpty else { break }
            if isLast {
                try await drain.pause(for: remainingQuiet(open), on: time.clock)
                guard drain.reason == nil else {
                    return verdicts.merging(settlement.open.all(.unresolved("the run stopped before it was settled"))) {
                        $1
                    }
                }
            }
            do {
                try await look(&settlement, &verdicts, isLast: isLast)
            } catch let error as MarketError {
                guard isLast else { continue }
                let message = "the market cannot be asked: \(error.message)"
                return verdicts.merging(settlement.open.all(.unresolved(message))) { $1 }
            }
        }
        return verdicts.merging(settlement.open.all(.neverHappened)) { $1 }
    }

    func settlement(
        of creates: [CreateSettlement.OpenCreate],
        _ snapshot: StateSnapshot,
        as identity: VendorIdentity? = nil
    ) -> CreateSettlement {
        guard configuration.sendsKeys else {
            return CreateSettlement(
                creates: creates,
                snapshot: snapshot,
                identity: identity,
                normalised: capabilities.normalisedFields,
                made: made
            )
        }
        let keys = [creates.compactMap(\.carried?.key), Array(snapshot.entries.keys)].joined()
        return CreateSettlement(
            creates: creates,
            snapshot: snapshot,
            identity: identity,
            keys: OwnKeys(keys, capabilities),
            normalised: capabilities.normalisedFields,
            made: made
        )
    }

    private func look(
        _ settlement: inout CreateSettlement,
        _ verdicts: inout [Int: SettlementVerdict],
        isLast: Bool
    ) async throws {
        let products = try await candidates(of: &settlement, isLast: isLast)
        var unclear: [(create: CreateSettlement.OpenCreate, product: LiveProduct, message: String)] = []
        var looksAgain = true
        while looksAgain {
            looksAgain = false
            for match in settlement.matches(products) {
                let (create, product) = (match.create, match.product)
                guard settlement.ownership(of: product) != .foreign else {
                    // It was paired before another one confirmed the vendor identity.
                    looksAgain = true
                    continue
                }
                switch try await proof(ofMatch: product, create.secret, settlement) {
                case .ours:
                    settlement.close(create, with: product.id)
                    verdicts[create.index] = match.verdict
                    settlement.learn(from: product)
                case .foreign:
                    // A new product may be hidden from its owner's requests at first (v1), so this is not yet a no.
                    guard isLast else { continue }
                    settlement.exclude(product.id, for: create)
                    looksAgain = true
                case .unclear(let message):
                    guard isLast else { continue }
                    settlement.close(create, with: product.id)
                    verdicts[create.index] = .unresolved(message)
                    unclear.append((create, product, message))
                }
            }
        }
        guard isLast else { return }
        // The remaining products may have been changed before the search, or be listed but hidden.
        for create in settlement.open {
            if let verdict = try await verdict(create, among: products, settlement) {
                settlement.close(create, with: verdict.product)
                verdicts[create.index] = verdict.verdict
            } else if let hidden = settlement.hidden(create) {
                settlement.close(create, with: nil)
                verdicts[create.index] = .unresolved("product \(hidden) is listed and may be it, but cannot be read")
            } else if let verdict = try await verdictOnAnswer(to: create, settlement) {
                settlement.close(create, with: verdict.product)
                verdicts[create.index] = verdict.verdict
            } else if let doubt = try await doubt(about: create, among: products, settlement) {
                settlement.close(create, with: nil)
                verdicts[create.index] = .unresolved(doubt)
            } else if let rival = unclear.first(where: { settlement.isRival(create, of: $0.create, for: $0.product) }) {
                // A later settlement of the other create must consider this one, because the product may have its
                // pictures.
                settlement.close(create, with: nil)
                verdicts[create.index] = .unresolved(rival.message)
            }
        }
    }

    /// The verdict from products that are provably ours and have the create's name but other values; `nil` if there are
    /// none.
    private func verdict(
        _ create: CreateSettlement.OpenCreate,
        among products: [LiveProduct],
        _ settlement: CreateSettlement
    ) async throws -> (product: MarketID?, verdict: SettlementVerdict)? {
        var ours: [LiveProduct] = []
        for product in settlement.namesakes(of: create, among: products) {
            switch try await proof(of: product, create.secret, settlement) {
            case .ours: ours.append(product)
            case .foreign: break
            case .unclear(let message): return (nil, .unresolved(message))
            }
        }
        let name = create.product.values.name
        guard ours.count <= settlement.open.count(where: { $0.product.values.name == name }) else {
            let ids = ours.map(\.id.description).joined(separator: ", ")
            return (nil, .unresolved("any of products \(ids) may be it; rename or delete there what is not"))
        }
        guard let product = settlement.likeliest(create, among: ours) else { return nil }
        return (product.id, .happened(product, picturesAreCertain: false))
    }

    /// The reason why a create cannot be called failed; `nil` if there is none.
    private func doubt(
        about create: CreateSettlement.OpenCreate,
        among products: [LiveProduct],
        _ settlement: CreateSettlement
    ) async throws -> String? {
        if let doubt = settlement.unread.doubt(aboutName: create.product.values.name) { return doubt.description }
        for product in settlement.unclear(create, among: products) {
            switch try await proof(of: product, create.secret, settlement) {
            case .ours: return "product \(product.id) may be it, and shows too little to decide"
            case .foreign: continue
            case .unclear(let message): return message
            }
        }
        return nil
    }

    /// The verdict from the product that a reply named but that was not accepted; `nil` if it proves nothing.
    ///
    /// It is asked last: a product listed under the create's name is more likely the new one.
    private func verdictOnAnswer(
        to create: CreateSettlement.OpenCreate,
        _ settlement: CreateSettlement
    ) async throws -> (product: MarketID?, verdict: SettlementVerdict)? {
        guard let id = create.answered else { return nil }
        let lookup = ProductLookup(market: market, hiding: capabilities.readAfterWriteDelay) { [drain, time] in
            try await drain.pause(for: $0, on: time.clock)
        }
        guard let product = try await lookup.product(id) else { return nil }
        guard !settlement.isTaken(id), create.mayHaveMade(id) else {
            // Something in front of the market answered with another product, unless it has our name.
            guard product.name == create.product.values.name else { return nil }
            return (
                nil,
                .unresolved("the market answered with product \(id), which was there before; look whether it is it")
            )
        }
        switch try await proof(of: product, create.secret, settlement) {
        case .ours: return (id, .happened(product, picturesAreCertain: false))
        case .foreign: return nil
        case .unclear(let message): return (nil, .unresolved(message))
        }
    }

    private func candidates(of settlement: inout CreateSettlement, isLast: Bool) async throws -> [LiveProduct] {
        var details: [LiveProduct] = []
        settlement.hiddenRows = []
        // The whole list, because v2 sorts by day and leaves the order within a day open.
        let catalog = try await market.catalog()
        settlement.unread = catalog.unreadRowsSinceRequest
        settlement.recognize(in: catalog)
        for row in settlement.shortlist(catalog.products.values.sorted { MarketID.precedes($0.id, $1.id) }) {
            var found = try await market.product(row.id)
            if found == nil, isLast {
                // Products are hidden for a while after any write (v1), ours or another's, so a 404 alone proves
                // nothing.
                try await drain.pause(for: capabilities.readAfterWriteDelay, on: time.clock)
                found = try await market.product(row.id)
                if found == nil { settlement.hiddenRows.append(row) }
            }
            guard let found else { continue }
            let product = row.completed(by: found)
            details.append(product)
            // Pictures distinguish twins if the market keeps their bytes; an unreadable one proves nothing.
            for image in capabilities.keepsPictureBytes ? product.images ?? [] : []
            where settlement.pictureDigests[image.url] == nil {
                do {
                    settlement.pictureDigests[image.url] = try await market.pictureDigest(at: image.url)
                } catch is MarketError {}
            }
        }
        return details
    }

    private enum Proof {
        case ours, foreign
        case unclear(String)
    }

    /// Whether a new product that shows exactly the sent values is ours.
    ///
    /// On a market with only one seller, no further proof exists.
    private func proof(
        ofMatch product: LiveProduct,
        _ secret: SecretReference?,
        _ settlement: CreateSettlement
    ) async throws -> Proof {
        let hasOneSeller =
            capabilities.ownershipProof == nil && !capabilities.listShowsVendor && product.vendorID == nil
        return hasOneSeller ? .ours : try await proof(of: product, secret, settlement)
    }

    /// Whether a product is ours; the market is asked unless the product shows the confirmed vendor number.
    private func proof(
        of product: LiveProduct,
        _ secret: SecretReference?,
        _ settlement: CreateSettlement
    ) async throws -> Proof {
        settlement.ownership(of: product) == .ours ? .ours : try await prove(product, secret, settlement)
    }

    /// Asks the market whether a product is ours, with a request that changes nothing.
    private func prove(
        _ product: LiveProduct,
        _ secret: SecretReference?,
        _ settlement: CreateSettlement
    ) async throws -> Proof {
        guard let proof = capabilities.ownershipProof else {
            return .unclear(SettlementVerdict.undecidable(product.id))
        }
        var attempt = 1
        var wasHidden = false
        while true {
            try Task.checkCancellation()
            switch await market.ask(whoseIs: product.id, by: proof, secret: secret) {
            case .succeeded: return .ours
            case .refused(let refusal):
                // An unsent request, wrong credentials or a redirect prove nothing about the product. If items have
                // passwords, only 404 proves that it is not ours.
                let isVerdict =
                    capabilities.answersDeniedAsMissing
                    ? refusal.kind == .notFound : refusal.kind != .credentials
                guard isVerdict, refusal.status >= 400 else { return .unclear(refusal.message) }
                if refusal.kind == .denied, let own = settlement.ownProduct {
                    // Wrong credentials give the same answer; if they are valid, a product of ours shows it.
                    guard case .succeeded = await market.ask(whoseIs: own) else {
                        return .unclear(refusal.message)
                    }
                }
                // 404 proves as little while the product is hidden, perhaps by the first attempt of this request.
                guard !wasHidden, capabilities.readAfterWriteDelay > .zero, try await market.product(product.id) == nil
                else { return .foreign }
                wasHidden = true
                try await drain.pause(for: capabilities.readAfterWriteDelay, on: time.clock)
            case .notSent(let trouble), .uncertain(let trouble):
                guard attempt < configuration.maximumAttempts, drain.reason == nil else {
                    return .unclear(trouble.message)
                }
                let delay = configuration.delays.delay(
                    attempt: attempt,
                    jitter: 1,
                    retryAfter: trouble.retryAfter.map { min($0, configuration.maximumPause) }
                )
                Logger.current.debug("asking again whose product it is", metadata: ["id": "\(product.id)"])
                try await drain.pause(for: delay, on: time.clock)
                attempt += 1
            }
        }
    }

    /// How long the market may still apply the youngest of the creates.
    func remainingQuiet(_ creates: [CreateSettlement.OpenCreate]) -> Duration {
        let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
        return time.remaining(of: quiet, since: creates.map(\.since).max() ?? .epoch)
    }
}

extension CreateSettlement.Match {
    fileprivate var verdict: SettlementVerdict { .happened(product, picturesAreCertain: picturesAreCertain) }
}

extension [CreateSettlement.OpenCreate] {
    func all(_ verdict: SettlementVerdict) -> [Int: SettlementVerdict] {
        Dictionary(map { ($0.index, verdict) }) { $1 }
    }
}
