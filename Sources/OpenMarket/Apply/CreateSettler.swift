/// Finds the outcomes of creates without a reply: reads, proves and waits for ``CreateSettlement``.
struct CreateSettler: Sendable {
    let market: any Market
    let capabilities: MarketCapabilities
    let configuration: ExecutorConfiguration
    let time: RunTime
    let drain: StopSignal

    /// Reads once without writing or waiting, for `plan`.
    ///
    /// A product that fits is assumed to be this vendor's. Throws ``MarketError`` if the market cannot be read.
    func preview(
        _ creates: [CreateSettlement.OpenCreate],
        _ known: Knowledge
    ) async throws -> [Int: SettlementVerdict] {
        var verdicts: [Int: SettlementVerdict] = [:]
        if capabilities.settlementMethod(sendsKeys: configuration.sendsKeys).isByKey {
            let holders = holders(known.snapshot)
            for create in creates { verdicts[create.index] = try await carrier(of: create, holders) }
        }
        let rest = creates.filter { verdicts[$0.index] == nil }
        guard !rest.isEmpty else { return verdicts }
        var settlement = settlement(of: rest, known)
        let products = try await candidates(of: &settlement, in: market.catalog(), isLast: true, waits: false)
        if capabilities.idsRise {
            for match in settlement.matches(products) {
                settlement.close(match.create, with: match.product.id)
                verdicts[match.create.index] = match.verdict
            }
        }
        for create in settlement.open {
            let doubtful = products.filter { product in
                // For other products, apply asks the market whether they are this vendor's.
                (capabilities.ownershipProof == nil || !capabilities.idsRise
                    || settlement.ownership(of: product) == .ours)
                    && settlement.mayBe(product, of: create)
            }
            verdicts[create.index] =
                if let doubt = settlement.unread.doubt(aboutName: create.product.values.name) {
                    .unresolved(doubt.description)
                } else { doubtful.isEmpty ? create.missing : .undecided(doubtful.map(\.id)) }
        }
        return verdicts
    }

    /// Finds the outcomes of creates.
    ///
    /// It reads the list at once. For missing products it reads again after the quiet period, because the market may
    /// still apply a request whose reply was lost.
    ///
    /// `knowledge` is read after each list, so that it includes what other sessions recorded about it.
    /// `identity` is `nil` unless the market confirmed it in this run.
    ///
    /// The result maps each create's index to its verdict. Throws `CancellationError`.
    func settle(
        _ creates: [CreateSettlement.OpenCreate],
        as identity: VendorIdentity? = nil,
        _ knowledge: () async throws -> Knowledge
    ) async throws -> [Int: SettlementVerdict] {
        if case .ordered(let why)? = drain.reason { return creates.all(.unresolved(why)) }
        let method = capabilities.settlementMethod(sendsKeys: configuration.sendsKeys)
        if method.isByKey {
            return try await settleByKey(creates, as: identity, isUnique: method == .uniqueKey, knowledge)
        }
        var verdicts: [Int: SettlementVerdict] = [:]
        for isLast in method == .absence ? [true] : [false, true] {
            let open = creates.filter { verdicts[$0.index] == nil }
            guard !open.isEmpty else { break }
            if isLast {
                try await drain.pause(for: remainingQuiet(open), on: time.clock)
                guard drain.reason == nil else {
                    return verdicts.merging(open.all(.unresolved("the run stopped before it was settled"))) { $1 }
                }
            }
            do {
                let catalog = try await market.catalog()
                var settlement = settlement(of: open, try await knowledge(), as: identity)
                for create in creates where !open.contains(create) {
                    settlement.close(create, with: verdicts[create.index]?.product)
                }
                try await look(in: catalog, &settlement, &verdicts, isLast: isLast)
            } catch let error as MarketError {
                guard isLast else { continue }
                let message = "the market cannot be read: \(error.message)"
                return creates.all(.unresolved(message)).merging(verdicts) { $1 }
            }
        }
        return creates.all(.neverHappened).merging(verdicts) { $1 }
    }

    struct Knowledge {
        var snapshot: StateSnapshot
        /// Creates of other sessions that may have created one of the wanted products; their indices differ from this
        /// session's.
        var rivals: [CreateSettlement.OpenCreate] = []
        /// Products of other operations, which the state may not contain.
        var taken: Set<MarketID> = []
    }

    func settlement(
        of creates: [CreateSettlement.OpenCreate],
        _ known: Knowledge,
        as identity: VendorIdentity? = nil
    ) -> CreateSettlement {
        let all = creates + known.rivals
        let keys = [all.compactMap(\.carried), Array(known.snapshot.entries.keys)].joined()
        return CreateSettlement(
            creates: all,
            snapshot: known.snapshot,
            identity: identity,
            keys: configuration.sendsKeys ? ManagedKeys(keys, capabilities) : nil,
            on: capabilities,
            made: known.taken
        )
    }

    /// Searches the list for the creates' products; after the last search, those without a verdict did not happen.
    func look(
        in catalog: LiveCatalog,
        _ settlement: inout CreateSettlement,
        _ verdicts: inout [Int: SettlementVerdict],
        isLast: Bool
    ) async throws {
        let products = try await candidates(of: &settlement, in: catalog, isLast: isLast)
        var unclear: [(create: CreateSettlement.OpenCreate, product: LiveProduct, message: String, Bool)] = []
        // Unless ids rise, new products are not recognizable.
        var looksAgain = capabilities.idsRise
        while looksAgain {
            looksAgain = false
            for match in settlement.matches(products) {
                let (create, product) = (match.create, match.product)
                guard settlement.ownership(of: product) != .foreign else {
                    // It was paired before another product confirmed the vendor identity.
                    looksAgain = true
                    continue
                }
                switch try await proof(of: product, create, settlement, isMatch: true) {
                case .ours:
                    settlement.close(create, with: product.id)
                    verdicts[create.index] = match.verdict
                    settlement.learn(from: product, with: create.secret)
                case .foreign:
                    // A new product may be hidden from its owner's requests at first (v1), so the refusal is
                    // inconclusive at first.
                    guard isLast else { continue }
                    settlement.exclude(product.id, for: create)
                    looksAgain = true
                case .unclear(let message, let isRefusal):
                    guard isLast else { continue }
                    // It may prove to be the product of a create with another password.
                    settlement.exclude(product.id, for: create)
                    unclear.append((create, product, message, isRefusal))
                    looksAgain = true
                }
            }
        }
        guard isLast else { return }
        for (create, product, message, isRefusal) in unclear
        where settlement.open.contains(create) && !settlement.isTaken(product.id)
            && !(isRefusal && settlement.validSecrets.contains(create.secret))
        {
            settlement.close(create, with: product.id)
            verdicts[create.index] = .undecided([product.id], message)
        }
        // The remaining products may have been changed before the search, or be listed but hidden.
        let waiting = settlement
        for create in settlement.open {
            let likely = products.filter { !settlement.isTaken($0.id) && waiting.mayBe($0, of: create) }
            let doubtful = try await doubtful(create, among: likely, settlement)
            if let verdict = edited(create, among: doubtful.ours, settlement) {
                settlement.close(create, with: verdict.product)
                verdicts[create.index] = verdict
            } else if let hidden = settlement.hidden(create) {
                settlement.close(create, with: nil)
                verdicts[create.index] = .unresolved("product \(hidden) is listed and may be it, but cannot be read")
            } else if let verdict = try await verdictOnAnswer(to: create, settlement) {
                settlement.close(create, with: verdict.product)
                verdicts[create.index] = verdict
            } else if let doubt = settlement.unread.doubt(aboutName: create.product.values.name) {
                settlement.close(create, with: nil)
                verdicts[create.index] = .unresolved(doubt.description)
            } else if !doubtful.all.isEmpty {
                settlement.close(create, with: nil)
                verdicts[create.index] = .undecided(doubtful.all, doubtful.why)
            } else if let rival = unclear.first(where: { settlement.isRival(create, of: $0.create, for: $0.product) }) {
                // A later settlement of the other create must consider this one, because the product may have its
                // pictures.
                settlement.close(create, with: nil)
                verdicts[create.index] = .undecided([rival.product.id], rival.message)
            }
        }
    }

    private struct Doubtful {
        var ours: [LiveProduct] = []
        var all: [MarketID] = []
        /// Why one of them may be another vendor's.
        var why = ""
    }

    /// The products that a create may have produced, except those that prove to be another vendor's.
    private func doubtful(
        _ create: CreateSettlement.OpenCreate,
        among products: [LiveProduct],
        _ settlement: CreateSettlement
    ) async throws -> Doubtful {
        var found = Doubtful()
        for product in products where settlement.likeness(of: product, to: create) != nil {
            switch try await proof(of: product, create, settlement) {
            case .ours: found.ours.append(product)
            case .foreign: continue
            case .unclear(let message, _): found.why = message
            }
            found.all.append(product.id)
        }
        if !found.ours.isEmpty, found.why.isEmpty { found.why = "its values do not decide whether it is" }
        return found
    }

    /// The verdict from products that are provably this vendor's and have the create's name but other values; `nil` if
    /// there are none.
    private func edited(
        _ create: CreateSettlement.OpenCreate,
        among ours: [LiveProduct],
        _ settlement: CreateSettlement
    ) -> SettlementVerdict? {
        func isEdited(_ product: LiveProduct, _ create: CreateSettlement.OpenCreate) -> Bool {
            settlement.likeness(of: product, to: create).map { $0 <= .edited } ?? false
        }
        let edited = ours.filter { isEdited($0, create) }
        guard capabilities.idsRise, !edited.isEmpty else { return nil }
        let creates = settlement.open.count { other in edited.contains { isEdited($0, other) } }
        guard edited.count <= creates else {
            return .undecided(edited.map(\.id), "their values do not decide which")
        }
        return settlement.likeliest(create, among: edited).map { .happened($0, picturesAreCertain: false) }
    }

    /// The verdict from the product that a reply named but that was not accepted; `nil` if it is inconclusive.
    ///
    /// It comes last: a product listed under the create's name is more likely the new one.
    private func verdictOnAnswer(
        to create: CreateSettlement.OpenCreate,
        _ settlement: CreateSettlement
    ) async throws -> SettlementVerdict? {
        // A product under another key is not the create's, or a person decided so.
        guard let id = create.answered, !settlement.isTaken(id) else { return nil }
        let lookup = ProductLookup(market: market, hiding: capabilities.readAfterWriteDelay) { [drain, time] in
            try await drain.pause(for: $0, on: time.clock)
        }
        guard let product = try await lookup.product(id) else {
            // A later run may find that a person deleted it.
            guard create.isOwn, create.mayHaveMade(id) else { return nil }
            return .unresolved("the market answered with product \(id), and does not show it")
        }
        guard create.mayHaveMade(id) else {
            // A proxy answered with another product, unless that one has the sent name.
            guard product.name == create.product.values.name else { return nil }
            return .undecided([id], "the market answered with it, although it existed before")
        }
        // Another create's product, which a proxy answered with.
        guard settlement.mayCarryKey(product, create) else { return nil }
        switch try await proof(of: product, create, settlement) {
        case .ours where capabilities.idsRise: return .happened(product, picturesAreCertain: false)
        case .ours: return .undecided([id], "the market answered with it")
        case .foreign: return nil
        case .unclear(let message, _): return .undecided([id], message)
        }
    }

    /// The details of the rows that may belong to a create; `waits` permits waiting for those that v1 hides.
    private func candidates(
        of settlement: inout CreateSettlement,
        in catalog: LiveCatalog,
        isLast: Bool,
        waits: Bool = true
    ) async throws -> [LiveProduct] {
        var details: [LiveProduct] = []
        settlement.hiddenRows = []
        settlement.isLast = isLast
        settlement.unread = catalog.unreadRowsSinceRequest
        settlement.recognize(in: catalog)
        // The whole list, because v2 sorts by day and the order within a day is undefined.
        let rows = catalog.products.values.sorted { MarketID.precedes($0.id, $1.id) }
        for row in settlement.shortlist(rows, least: isLast ? .possible : .edited) {
            var found = try await market.product(row.id)
            if found == nil, isLast {
                // Products are hidden for a while after any write (v1), of this or another client, so a 404 alone is
                // inconclusive.
                if waits { try await drain.pause(for: capabilities.readAfterWriteDelay, on: time.clock) }
                found = try await market.product(row.id)
                if found == nil { settlement.hiddenRows.append(row) }
            }
            guard let found else { continue }
            let product = row.completed(by: found)
            details.append(product)
            // Pictures distinguish equal creates if the market keeps their bytes; an unreadable one is inconclusive.
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
        /// `isRefusal` means that it is another vendor's if the credentials are right.
        case unclear(String, isRefusal: Bool = false)
    }

    /// Asks the market whether a product that a person assigned to a create is another vendor's.
    func isForeign(
        _ product: LiveProduct,
        _ create: CreateSettlement.OpenCreate,
        _ known: Knowledge
    ) async throws -> Bool {
        if case .foreign = try await proof(of: product, create, settlement(of: [create], known)) { true } else { false }
    }

    /// Whether a product is this vendor's; asks the market unless the product shows the confirmed vendor number.
    ///
    /// `isMatch` means that it is new and shows exactly the sent values: then, on a market with a single seller, no
    /// further proof exists.
    private func proof(
        of product: LiveProduct,
        _ create: CreateSettlement.OpenCreate,
        _ settlement: CreateSettlement,
        isMatch: Bool = false
    ) async throws -> Proof {
        if settlement.ownership(of: product) == .ours { return .ours }
        guard let proof = capabilities.ownershipProof else {
            if isMatch, !capabilities.listShowsVendor, product.vendorID == nil { return .ours }
            return .unclear("this market cannot show whether it is")
        }
        var wasHidden = false
        while true {
            try Task.checkCancellation()
            let answer = try await drain.untilAnswered(configuration, on: time.clock) {
                await market.ask(whoseIs: product.id, by: proof, secret: create.secret)
            }
            switch answer {
            case .succeeded?: return .ours
            case .refused(let refusal)?:
                // An unsent request, wrong credentials or a redirect is inconclusive. If items have passwords, only 404
                // proves that it is another vendor's.
                let isVerdict =
                    capabilities.answersDeniedAsMissing
                    ? refusal.kind == .notFound : refusal.kind != .credentials
                guard isVerdict, refusal.status >= 400 else { return .unclear(refusal.message) }
                guard try await credentialsAreValid(by: proof, for: create, after: refusal, settlement) else {
                    return .unclear(
                        "none of your products shows that the credentials are right: \(refusal.message)",
                        isRefusal: true
                    )
                }
                // A 404 is also inconclusive while the product is hidden, perhaps by the first attempt of this request.
                guard !wasHidden, capabilities.readAfterWriteDelay > .zero, try await market.product(product.id) == nil
                else { return .foreign }
                wasHidden = true
                try await drain.pause(for: capabilities.readAfterWriteDelay, on: time.clock)
            case .notSent?, .uncertain?, nil: return .unclear(answer?.trouble?.message ?? "")
            }
        }
    }

    /// Whether the credentials are valid, so that a refusal is about the product.
    ///
    /// Wrong credentials give the same reply, so this asks the market about an own product.
    private func credentialsAreValid(
        by proof: MarketCapabilities.OwnershipProof,
        for create: CreateSettlement.OpenCreate,
        after refusal: WriteRefusal,
        _ settlement: CreateSettlement
    ) async throws -> Bool {
        let isPassword = capabilities.answersDeniedAsMissing
        guard isPassword ? !create.isOwn && !settlement.validSecrets.contains(create.secret) : refusal.kind == .denied
        else { return true }
        guard let own = settlement.ownProduct(with: create.secret) else { return !isPassword }
        for isLast in [false, true] {
            if case .succeeded = await market.ask(whoseIs: own, by: proof, secret: create.secret) { return true }
            guard !isLast, capabilities.readAfterWriteDelay > .zero else { break }
            try await drain.pause(for: capabilities.readAfterWriteDelay, on: time.clock)
        }
        return false
    }

    /// How long the market may still apply the youngest of the creates.
    func remainingQuiet(_ creates: [CreateSettlement.OpenCreate]) -> Duration {
        let quiet = configuration.quietPeriod(on: capabilities)
        return time.remaining(of: quiet, since: creates.map(\.since).max() ?? .epoch)
    }
}

extension [CreateSettlement.OpenCreate] {
    func all(_ verdict: SettlementVerdict) -> [Int: SettlementVerdict] {
        Dictionary(map { ($0.index, verdict) }) { $1 }
    }
}
