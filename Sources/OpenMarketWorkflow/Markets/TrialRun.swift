import OpenMarket
import OpenMarketApply
import OpenMarketDescription

/// A trial under way.
struct TrialRun {
    let market: any Market
    let state: any StateSession
    let sender: RequestSender
    let description: MarketDescription
    let environment: ExecutionEnvironment
    let mark: TrialMark
    /// What the product is made with, and what is put beside it.
    let picture: Picture?
    let second: Picture?
    let record: RunRecord
    let values: TrialValues
    var trial: MarketTrial

    private var facts = 0
    /// What was last sent of each field.
    private var current: ProductValues

    private var capabilities: MarketCapabilities { market.profile.capabilities }

    init(
        market: any Market,
        state: any StateSession,
        description: MarketDescription,
        environment: ExecutionEnvironment,
        mark: TrialMark,
        pictures: [Picture],
        record: RunRecord
    ) {
        self.market = market
        self.state = state
        sender = RequestSender(market, in: state, drain: DrainSignal())
        self.description = description
        self.environment = environment
        self.mark = mark
        self.record = record
        let capabilities = market.profile.capabilities
        let sent = pictures.filter { picture in
            switch capabilities.pictureStyle {
            case .parts, .base64, .upload, .attach: picture.address == nil
            case .url: picture.address != nil
            case .none: false
            }
        }
        picture = capabilities.writableFields.contains(.images) ? sent.first : nil
        let hasRoom = !capabilities.takesOnePicture && market.profile.limits.imageCount.upperBound > 1
        second = hasRoom && capabilities.picturesChangeInPlace ? sent.dropFirst().first : nil
        values = TrialValues(mark, market.profile.capabilities, market.profile.limits)
        current = values.first
        if let picture = self.picture { current.images = [.digest(picture.digest)] }
        trial = MarketTrial(source: market.profile.document, key: mark.key)
    }

    // MARK: The journal

    /// Writes the product down before it is made.
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

    private mutating func note(_ fact: JournalEvent.Fact) async throws {
        facts += 1
        let event = JournalEvent(run: record.id, sequence: 0, number: facts, fact: fact)
        if let why = try await state.record(event).stop { throw MarketError(.refused, why) }
    }

    // MARK: The requests

    mutating func carryOut() async throws {
        var request = WriteRequest(.create(current, pictures: [picture].compactMap(\.self)))
        if let key = capabilities.key {
            request.key = key.characterLimit.map { $0 < mark.key.count } ?? false ? String(mark.letters) : mark.key
        }
        if capabilities.repetition != nil { request.repeatKey = mark.key }
        if capabilities.pictureStyle == .upload, let picture {
            guard let reference = try await upload(picture) else { return }
            request.references = [reference]
        }
        guard let id = try await create(request) else { return }
        let shown = try await read(id)
        // Nothing is sent about a product that only an answer names.
        guard let shown, mark.isShown(by: shown) else {
            step(
                "read",
                shown == nil ? "there is no product \(id)" : "product \(id) is another one",
                at: "operations.create",
                "the reply to a create names product \(id), which does not show what was sent"
            )
            return
        }
        trial.product = id
        if capabilities.pictureStyle == .attach, let picture {
            try await attach(picture, to: id)
            noteCreated(try await read(id) ?? shown)
        } else {
            noteCreated(shown)
        }
        try await find(id, request.key)
        try await createAgain(request, id)
        try await changeFields(of: id)
        try await changeKey(of: id, request.key)
    }

    private mutating func upload(_ picture: Picture) async throws -> String? {
        switch await sender.perform(WriteRequest(.upload(picture))) {
        case .succeeded(let reply):
            if let reference = reply.reference {
                step("upload", "the picture is called \(reference)")
                return reference
            }
            step("upload", "the reply holds no reference", at: "pictures.upload.answer")
        case .refused(let refusal): step("upload", refusal.message, at: "pictures.upload")
        case .notSent(let trouble), .uncertain(let trouble): step("upload", trouble.message, at: "pictures.upload")
        }
        return nil
    }

    private mutating func attach(_ picture: Picture, to id: MarketID) async throws {
        switch await sender.perform(WriteRequest(.attach(id, picture))) {
        case .succeeded: step("attach", "done")
        case .refused(let refusal): step("attach", refusal.message, at: "pictures.attach")
        case .notSent(let trouble), .uncertain(let trouble): step("attach", trouble.message, at: "pictures.attach")
        }
    }

    /// Makes the product.
    ///
    /// - Returns: its id; `nil` where there is none that can be gone on with.
    private mutating func create(_ request: WriteRequest) async throws -> MarketID? {
        try await note(.sent(.create, highWater: nil))
        switch await sender.perform(request) {
        case .succeeded(let reply):
            guard let id = reply.product?.id else {
                step("create", "the reply does not show the product", at: "operations.create")
                return nil
            }
            try await note(.advanced(.create, created: id))
            step("create", "product \(id)")
            return id
        case .refused(let refusal):
            try await note(.failed(refusal.message))
            step("create", refusal.message, at: "operations.create")
        case .notSent(let trouble):
            try await note(.failed(trouble.message))
            step("create", trouble.message, at: "operations.create")
        case .uncertain(let trouble):
            step("create", "what came of it is not known: \(trouble.message)", at: "operations.create")
        }
        return nil
    }

    /// Sends the create a second time, where the description says that this makes no second product.
    private mutating func createAgain(_ request: WriteRequest, _ id: MarketID) async throws {
        let isRepeated = capabilities.repetition != nil
        let isUnique = capabilities.key?.uniqueness == .enforced || capabilities.choosesIDs
        guard isRepeated || isUnique else { return }
        let claim =
            isRepeated ? "identity.repeat" : capabilities.choosesIDs ? "identity.id.chosen_by" : "identity.key.unique"
        try await note(.sent(.create, highWater: nil))
        let outcome = await sender.perform(request)
        try await note(.advanced(.create, created: id))
        switch outcome {
        case .succeeded(let reply):
            if reply.product?.id == id {
                step("create again", "product \(id) once more")
            } else {
                let made = reply.product.map { "product \($0.id)" } ?? "a product that the reply does not show"
                step("create again", "made \(made)", at: claim, "the same create, sent twice, made two products")
            }
        case .refused(let refusal) where refusal.kind == .duplicate:
            step("create again", "refused, because the key is taken")
        case .refused(let refusal):
            step(
                "create again",
                refusal.message,
                at: isRepeated ? claim : "errors.rules",
                isRepeated
                    ? "the same create, sent again, is refused: \(refusal.message)"
                    : "no rule says that this means 'duplicate': \(refusal.message)"
            )
        case .notSent(let trouble), .uncertain(let trouble): step("create again", trouble.message, at: claim)
        }
    }

    /// Looks the product up by its key.
    private mutating func find(_ id: MarketID, _ key: String?) async throws {
        guard let key, capabilities.key?.isFindable == true else { return }
        let found = try await market.products(withKey: key)
        if found.map(\.id) == [id] {
            step("find", "product \(id)")
        } else {
            let ids = found.isEmpty ? "nothing" : found.map { "product \($0.id)" }.joined(separator: ", ")
            step("find", ids, at: "identity.key.find", "the product is not found by its key, but \(ids)")
        }
    }

    // MARK: Fields

    private mutating func noteCreated(_ shown: LiveProduct) {
        for field in ProductField.allCases {
            guard let sent = current[field] else { continue }
            let echo = self.echo(of: field, sent, in: shown)
            trial.fields.append(
                MarketTrial.Field(
                    field: field,
                    sent: sent.trialText,
                    created: echo,
                    changed: .untried(""),
                    cleared: .untried("")
                )
            )
            blame(echo, field, "a create")
        }
    }

    /// Sends another value of each field, and takes away what can be.
    private mutating func changeFields(of id: MarketID) async throws {
        guard description.operations.update != nil else { return }
        for index in trial.fields.indices {
            let field = trial.fields[index].field
            let echo: MarketTrial.Echo
            if field == .images {
                echo = try await addPicture(to: id)
            } else if let value = values.second[field], value != current[field], field != .currency {
                echo = try await change(field, to: value, of: id)
            } else {
                trial.fields[index].changed = .untried(field == .currency ? "one currency" : "")
                continue
            }
            trial.fields[index].changed = echo
            blame(echo, field, "a change")
        }
        for index in trial.fields.indices {
            let field = trial.fields[index].field
            guard capabilities.clearableFields.contains(field), field != .images || capabilities.picturesChangeInPlace
            else {
                trial.fields[index].cleared = .untried("")
                continue
            }
            let none: FieldValue? = field == .salePrice ? .sale(.fullPrice) : field == .images ? .images([]) : nil
            let echo = try await change(field, to: none, of: id)
            trial.fields[index].cleared = echo
            blame(echo, field, "taking it away")
        }
    }

    /// Puts a second picture beside the first one, where a product has room for it.
    private mutating func addPicture(to id: MarketID) async throws -> MarketTrial.Echo {
        guard let picture, let second else { return .untried("one picture") }
        if capabilities.pictureStyle == .attach {
            try await attach(second, to: id)
            current.images = [.digest(picture.digest), .digest(second.digest)]
            return echo(of: .images, .images(current.images ?? []), in: try await read(id))
        }
        return try await change(
            .images,
            to: .images([.digest(picture.digest), .digest(second.digest)]),
            of: id,
            sending: [picture, second]
        )
    }

    /// Changes one field, and looks at all of them.
    private mutating func change(
        _ field: ProductField,
        to value: FieldValue?,
        of id: MarketID,
        sending pictures: [Picture] = []
    ) async throws -> MarketTrial.Echo {
        let product = try await read(id)
        let live = product?.values ?? current
        var desired = current
        desired[field] = value
        var update = ProductUpdate(changed: [field], desired: desired, live: live)
        update.pictures = pictures
        if capabilities.keepsPicturesByID, !pictures.isEmpty, let kept = product?.images?.first?.id {
            update.keptPictures = [0: kept]
        }
        var references: [String] = []
        if capabilities.pictureStyle == .upload {
            for (index, picture) in pictures.enumerated() {
                let isKept = update.keptPictures[index] != nil
                guard let reference = isKept ? "" : try await upload(picture) else { return .failed("no reference") }
                references.append(reference)
            }
        }
        var request = WriteRequest(.update(id, update))
        request.references = references
        if let failure = try await send(request, id) { return .failed(failure) }
        current = desired
        let shown = try await read(id)
        for other in trial.fields.map(\.field) where other != field {
            // A price may move the price of a sale.
            guard let before = live[other], let after = shown?.values[other], before != after,
                !Set([field, other]).isSubset(of: [ProductField.price, .salePrice])
            else { continue }
            fault(
                "operations.update",
                "a change of '\(field.rawValue)' changed '\(other.rawValue)', too: from \(before.trialText) to \(after.trialText)"
            )
        }
        guard let value else {
            return shown?.values[field].map { .other($0.trialText) } ?? .asSent
        }
        return echo(of: field, value, in: shown)
    }

    /// Sends a change.
    ///
    /// - Returns: why it was not carried out; `nil` where it was.
    private mutating func send(_ request: WriteRequest, _ id: MarketID) async throws -> String? {
        try await note(.sent(.update, highWater: nil))
        let outcome = await sender.perform(request)
        try await note(.advanced(.update, created: id))
        switch outcome {
        case .succeeded: return nil
        case .refused(let refusal): return refusal.message
        case .notSent(let trouble), .uncertain(let trouble): return trouble.message
        }
    }

    /// Gives the product another key, where the description says that a change can.
    private mutating func changeKey(of id: MarketID, _ key: String?) async throws {
        guard let key, let use = capabilities.key, use.isChangeable else { return }
        let other = key + "b"
        guard use.characterLimit.map({ other.count <= $0 }) ?? true else { return }
        let live = try await read(id)?.values ?? current
        var update = ProductUpdate(changed: [], desired: current, live: live)
        update.changesKey = true
        var request = WriteRequest(.update(id, update))
        request.key = other
        let place = "identity.key.for"
        if let failure = try await send(request, id) { return step("change key", failure, at: place) }
        let shown = try await read(id)?.key
        guard shown == other else {
            let words = shown.map { "the key is \($0)" } ?? "no key is shown"
            return step("change key", words, at: place, "after a change of the key, \(words)")
        }
        guard use.isFindable else { return step("change key", "shown") }
        let found = try await market.products(withKey: other).map(\.id)
        let former = try await market.products(withKey: key).map(\.id)
        if found == [id], former.isEmpty {
            step("change key", "found by it")
        } else {
            let words =
                former.isEmpty ? "the product is not found by its new key" : "the product is found by its former key"
            step("change key", words, at: place, "after a change of the key, \(words)")
        }
    }

    /// What the market shows of a value that was sent.
    private func echo(of field: ProductField, _ sent: FieldValue, in product: LiveProduct?) -> MarketTrial.Echo {
        guard let product else { return .missing }
        if case .images(let images) = sent {
            guard capabilities.showsPictures else { return .untried("not shown") }
            let count = product.images?.count ?? 0
            return count == images.count ? .asSent : .other("\(count) pictures")
        }
        var values = product.values
        values.normalizeSale()
        if field == .salePrice, sent == .sale(.fullPrice), values.sale == nil { return .asSent }
        guard let shown = values[field] else { return .missing }
        if shown == sent { return .asSent }
        return capabilities.normalisedFields.contains(field) ? .normalised(shown.trialText) : .other(shown.trialText)
    }

    private mutating func blame(_ echo: MarketTrial.Echo, _ field: ProductField, _ what: String) {
        let place = field == .salePrice ? "fields.sale" : field == .images ? "pictures" : "fields.\(field.rawValue)"
        switch echo {
        case .asSent, .normalised, .untried: break
        case .missing: fault(place, "after \(what), '\(field.rawValue)' is not shown")
        case .other(let shown): fault(place, "after \(what), '\(field.rawValue)' is shown as \(shown)")
        case .failed(let message): fault(place, "\(what) of '\(field.rawValue)' was not carried out: \(message)")
        }
    }

    /// Reads the product, once the market shows what was written.
    private func read(_ id: MarketID) async throws -> LiveProduct? {
        try await environment.clock.sleep(for: capabilities.readAfterWriteDelay)
        return capabilities.showsDetails ? try await market.product(id) : try await market.catalog().products[id]
    }

    // MARK: The end

    /// Notes what became of the product.
    mutating func conclude(_ settled: Recovery.Settled?) {
        guard let settled else { return }
        if settled.isOpen {
            step("delete", settled.outcome, at: "operations.delete")
            trial.remains = settled.outcome
        } else if trial.product != nil {
            step("delete", settled.outcome)
        }
    }

    /// Asks for the product that is gone: the answer has to be one that says so.
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
                step("read again", "there is no product \(id)")
            }
        } catch let error as MarketError {
            noteUnread(error)
        } catch {
            step("read again", "\(error)", at: place)
        }
    }

    /// Notes that the market could not be asked for a product that is gone, where its answer does not say so.
    mutating func noteUnread(_ error: MarketError) {
        guard trial.product != nil, error.code == .refused, let status = error.status, 400..<500 ~= status else {
            trial.failure = trial.failure ?? error
            return
        }
        step(
            "read again",
            error.message,
            at: "operations.detail.missing",
            "the answer about a deleted product does not say that it is missing: \(error.message)"
        )
    }

    private mutating func step(_ name: String, _ outcome: String) {
        trial.steps.append(MarketTrial.Step(name: name, outcome: outcome, isSound: true))
    }

    private mutating func step(_ name: String, _ outcome: String, at path: String, _ message: String? = nil) {
        trial.steps.append(MarketTrial.Step(name: name, outcome: outcome, isSound: false))
        fault(path, message ?? "\(name): \(outcome)")
    }

    /// Notes that the description is wrong; each place for each reason once.
    private mutating func fault(_ path: String, _ message: String) {
        let fault = DescriptionFault(rule: message, at: path, in: trial.source)
        if !trial.faults.contains(fault) { trial.faults.append(fault) }
    }
}
