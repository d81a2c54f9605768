import OpenMarket
import OpenMarketDescription

struct TrialRun {
    let session: Session
    let state: any StateSession
    let description: MarketDescription
    let mark: TrialMark
    /// The picture of the create, and the one that is added to it or replaces it.
    let picture: Picture?
    let second: Picture?
    /// Whether a product has room for both.
    let hasRoom: Bool
    let record: RunRecord
    let values: TrialValues
    var trial: WriteProbe

    private var facts = 0
    /// Whether a change removed fields that it did not name, so that no other change is sent.
    var isLossy = false
    /// The last sent value of each field.
    var current: ProductValues

    var market: any Market { session.market }
    var capabilities: MarketCapabilities { session.capabilities }

    init(_ session: Session, in state: any StateSession, _ description: MarketDescription, pictures: [Picture]) {
        self.session = session
        self.state = state
        self.description = description
        let (market, capabilities) = (session.market, session.capabilities)
        mark = TrialMark(random: session.environment.random)
        record = session.runRecord()
        let sent = pictures.filter { picture in
            switch capabilities.pictureStyle {
            case .parts, .base64, .upload, .attach: picture.address == nil
            case .url: picture.address != nil
            case .none: false
            }
        }
        picture = capabilities.writableFields.contains(.images) ? sent.first : nil
        hasRoom = !capabilities.takesOnePicture && market.profile.limits.imageCount.upperBound > 1
        // An attached picture replaces no other.
        let isTaken = capabilities.picturesChangeInPlace && (hasRoom || capabilities.pictureStyle != .attach)
        second = picture != nil && isTaken ? sent.dropFirst().first : nil
        values = TrialValues(mark, capabilities, market.profile.limits)
        current = values.first
        if let picture = self.picture { current.images = [.digest(picture.digest)] }
        trial = WriteProbe(source: market.profile.document, key: mark.key)
    }

    // MARK: Journal

    /// Writes the product to the journal before it is created.
    mutating func begin() async throws {
        var product = NewProduct(values: current, pictures: [picture].compactMap(\.self))
        product.isTrial = true
        let operation = PlannedOperation(
            key: mark.key,
            reason: "a probe of the market's description",
            work: .create(product)
        )
        try await state.begin(record, operations: [operation])
    }

    /// Closes the run; its operation stays unresolved until the product is gone.
    func end() async throws {
        var totals = RunTotals()
        totals.unknown = 1
        try await state.finish(record.id, totals: totals, interrupted: false)
    }

    mutating func note(_ fact: JournalEvent.Fact) async throws {
        facts += 1
        let event = JournalEvent(run: record.id, sequence: 0, number: facts, fact: fact)
        if let why = try await state.record(event).stop { throw MarketError(.refused, why) }
    }

    // MARK: Requests

    mutating func carryOut() async throws {
        var request = WriteRequest(.create(current, pictures: [picture].compactMap(\.self)))
        if capabilities.carriesKeys {
            let isShort = capabilities.key?.characterLimit.map { $0 < mark.key.count } ?? false
            request.key = isShort ? String(mark.letters) : mark.key
        }
        if capabilities.repetition != nil { request.idempotencyKey = mark.key }
        if capabilities.pictureStyle == .upload, let picture {
            guard let reference = try await upload(picture) else { return }
            request.references = [reference]
        }
        guard let id = try await create(request) else { return }
        let shown: LiveProduct?
        do {
            shown = try await read(id)
        } catch let error as MarketError where error.code == .refused || error.code == .unreadable {
            return step("read", error.message, at: "operations.detail")
        }
        // Requests never touch a product without the probe's mark: the reply may name a wrong id.
        guard let shown, mark.isShown(by: shown) else {
            if shown == nil, let row = try await market.catalog().products[id], mark.isShown(by: row) {
                trial.product = id
                return step(
                    "read",
                    "product \(id) is missing",
                    at: "operations.detail",
                    "product \(id) is listed, but its own request does not show it"
                )
            }
            return step(
                "read",
                shown == nil ? "product \(id) is missing" : "product \(id) is another one",
                at: "operations.create",
                "the reply to a create names product \(id), which does not show the sent values"
            )
        }
        trial.product = id
        let isKeyed = showsKey(request.key, shown)
        if capabilities.pictureStyle == .attach, let picture {
            try await attach(picture, to: id)
            noteCreated(try await read(id) ?? shown)
        } else {
            noteCreated(shown)
        }
        if isKeyed { try await find(id, request.key) }
        guard try await createAgain(request, id, isKeyed: isKeyed) else { return }
        guard try await changeFields(of: id) else { return }
        if isKeyed { try await changeKey(of: id, request.key) }
    }

    mutating func upload(_ picture: Picture) async throws -> String? {
        let outcome = try await perform(WriteRequest(.upload(picture)))
        guard case .succeeded(let reply) = outcome else {
            step("upload", outcome.message ?? "", at: "pictures.upload")
            return nil
        }
        if let reference = reply.reference {
            step("upload", "the picture is called \(reference)")
        } else {
            step("upload", "the reply holds no reference", at: "pictures.upload.answer")
        }
        return reply.reference
    }

    mutating func attach(_ picture: Picture, to id: MarketID) async throws {
        if let message = try await perform(WriteRequest(.attach(id, picture))).message {
            step("attach", message, at: "pictures.attach")
        } else {
            step("attach", "done")
        }
    }

    /// Creates the product; returns `nil` without an id to continue with.
    private mutating func create(_ request: WriteRequest) async throws -> MarketID? {
        try await note(.sent(.create, highWater: nil))
        let outcome = try await perform(request)
        switch outcome {
        case .succeeded(let reply):
            guard let id = reply.product?.id else {
                step("create", "the reply does not show the product", at: "operations.create")
                return nil
            }
            try await note(.advanced(.create, created: id))
            step("create", "product \(id)")
            return id
        case .refused, .notSent:
            let message = outcome.message ?? ""
            try await note(.failed(message))
            step("create", message, at: "operations.create")
        case .uncertain(let trouble):
            step("create", "its outcome is unknown: \(trouble.message)", at: "operations.create")
        }
        return nil
    }

    /// Sends the create a second time, if the description excludes a second product.
    ///
    /// Returns whether its outcome is known, so that no late create can follow once the product is gone.
    private mutating func createAgain(
        _ request: WriteRequest,
        _ id: MarketID,
        isKeyed: Bool
    ) async throws -> Bool {
        let isRepeated = capabilities.repetition != nil
        if isRepeated {
            guard try await createAgain(request, id, "create again", at: "identity.repeat") else { return false }
        }
        guard isKeyed, capabilities.key?.uniqueness == .enforced || capabilities.choosesIDs else { return true }
        var other = request
        // With another idempotency key it is another create.
        if isRepeated { other.idempotencyKey = mark.key + "-2" }
        let claim = capabilities.choosesIDs ? "identity.id.chosen_by" : "identity.key.unique"
        return try await createAgain(other, id, isRepeated ? "same key" : "create again", at: claim)
    }

    private mutating func createAgain(
        _ request: WriteRequest,
        _ id: MarketID,
        _ name: String,
        at claim: String
    ) async throws -> Bool {
        let isRepeated = claim == "identity.repeat"
        try await note(.sent(.create, highWater: nil))
        let outcome = try await perform(request)
        if case .uncertain(let trouble) = outcome {
            step(name, "its outcome is unknown: \(trouble.message)", at: claim)
            return false
        }
        try await note(.advanced(.create, created: id))
        switch outcome {
        case .succeeded(let reply):
            if reply.product?.id == id {
                step(name, "product \(id) once more")
            } else {
                let made = reply.product.map { "product \($0.id)" } ?? "a product that the reply does not show"
                let same = isRepeated ? "the same create, sent twice," : "two creates with one key"
                step(name, "created \(made)", at: claim, "\(same) created two products")
            }
        case .refused(let refusal) where refusal.kind == .duplicate && !isRepeated:
            step(name, "refused, because the key is taken")
        case .refused(let refusal):
            step(
                name,
                refusal.message,
                at: isRepeated ? claim : "errors.rules",
                isRepeated
                    ? "the same create, sent again, is refused: \(refusal.message)"
                    : "no rule reads this as 'duplicate': \(refusal.message)"
            )
        case .notSent(let trouble), .uncertain(let trouble): step(name, trouble.message, at: claim)
        }
        return true
    }

    /// Whether the product shows the key of its create; otherwise no statement about keys can be tried.
    private mutating func showsKey(_ key: String?, _ shown: LiveProduct) -> Bool {
        guard let key, capabilities.key != nil, shown.key != key else { return true }
        let words = shown.key.map { "the key is shown as '\($0.excerpt)'" } ?? "no key is shown"
        step("key", words, at: "identity.key.at", "after a create with the key '\(key)', \(words)")
        return false
    }

    private mutating func find(_ id: MarketID, _ key: String?) async throws {
        guard let key, capabilities.key?.isFindable == true else { return }
        let found = try await market.products(withKey: key)
        if found.map(\.id) == [id] {
            step("find", "product \(id)")
        } else {
            let ids = found.isEmpty ? "no product" : found.map { "product \($0.id)" }.joined(separator: ", ")
            step("find", ids, at: "identity.key.find", "the product is not found by its key, but \(ids)")
        }
    }

    // MARK: Market

    /// Sends a request, and again if the market asked to wait, which the description does not state.
    func perform(_ request: WriteRequest) async throws -> WriteOutcome {
        var failures = 0
        while true {
            let outcome = await state.send(request, to: market, StopSignal())
            failures += 1
            guard case .notSent(let trouble) = outcome,
                let pause = session.configuration.pause(afterFailure: failures, trouble, jitter: 1)
            else { return outcome }
            try await session.environment.clock.sleep(for: pause)
        }
    }

    /// Reads the product, after the delay until the market shows a write.
    func read(_ id: MarketID) async throws -> LiveProduct? {
        try await session.environment.clock.sleep(for: capabilities.readAfterWriteDelay)
        return capabilities.showsDetails ? try await market.product(id) : try await market.catalog().products[id]
    }

    // MARK: End

    mutating func conclude(_ settled: Recovery.Settled?) {
        guard let settled else { return }
        if settled.isOpen {
            step("delete", settled.outcome, at: "operations.delete")
            trial.remains = settled.outcome
        } else {
            step("delete", settled.outcome)
        }
    }

    /// Reads the deleted product: the reply must report it as missing.
    mutating func readDeleted() async {
        guard let id = trial.product, trial.remains == nil, trial.failure == nil, capabilities.showsDetails else {
            return
        }
        let place = "operations.detail.missing"
        do {
            if let product = try await read(id) {
                step(
                    "read again",
                    "product \(product.id) is still shown",
                    at: place,
                    "a deleted product is still shown"
                )
            } else {
                step("read again", "product \(id) is missing")
            }
        } catch let error as MarketError {
            noteUnread(error)
        } catch {
            step("read again", "\(error)", at: place)
        }
    }

    /// Records that the market could not be read for a deleted product, if its reply does not report it as missing.
    mutating func noteUnread(_ error: MarketError) {
        let isAnswer = error.code == .refused || error.code == .unreadable
        if isAnswer, trial.faults.contains(where: { $0.path == "operations.detail" }) {
            // The fault's line was reported already.
            trial.steps.append(WriteProbe.Step(name: "read again", outcome: error.message, isSound: false))
            return
        }
        guard trial.product != nil, isAnswer, let status = error.status, status < 500 else {
            trial.failure = trial.failure ?? error
            return
        }
        step(
            "read again",
            error.message,
            at: "operations.detail.missing",
            "the answer about a deleted product does not show that it is missing: \(error.message)"
        )
    }

    mutating func step(_ name: String, _ outcome: String) {
        trial.steps.append(WriteProbe.Step(name: name, outcome: outcome, isSound: true))
    }

    mutating func step(_ name: String, _ outcome: String, at path: String, _ message: String? = nil) {
        trial.steps.append(WriteProbe.Step(name: name, outcome: outcome, isSound: false))
        fault(path, message ?? "\(name): \(outcome)")
    }

    /// Records a fault of the description, once per path and reason.
    mutating func fault(_ path: String, _ message: String) {
        let fault = Problem(rule: message, at: path, in: trial.source)
        if !trial.faults.contains(fault) { trial.faults.append(fault) }
    }
}
