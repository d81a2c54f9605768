extension OperationMachine {
    mutating func announce(_ attempt: Attempt, _ now: Context) -> Action {
        var attempt = attempt
        // A request that may have taken effect is repeated unchanged.
        if attempt.mayHaveHappened {
            if case .create(let product) = attempt.step, !mayRepeat(attempt, now) {
                return suspend(lost(product, attempt, "it is too late to send it again"))
            }
        } else {
            if let picture = missingUpload(before: attempt.step, now) {
                return announce(Attempt(.upload(picture, before: attempt)), now)
            }
            if let work = workToLookAt(before: attempt) { return ask(.isStill(attempt, work), about: work.id) }
            attempt.references = references(of: attempt.step, now)
            if case .create = attempt.step {
                attempt.highWater = capabilities.idsRise ? now.highWater : nil
                if attempt.idempotencyKey == nil {
                    (attempt.idempotencyKey, attempt.repeatedSince) = (now.freshIdempotencyKey, now.elapsed)
                }
            }
        }
        state = .recording(.request(attempt))
        let step = request(attempt).step
        return .record(.sent(step, highWater: attempt.highWater, fingerprint: attempt.fingerprint), [])
    }

    /// The request that is about to be sent; `nil` if there is none.
    var announcedRequest: WriteRequest? {
        if case .recording(.request(let attempt)) = state { request(attempt) } else { nil }
    }

    private var sentKey: String? { configuration.sendsKeys ? operation.key : nil }

    func request(_ attempt: Attempt) -> WriteRequest {
        let secret = operation.secret
        var request = request(attempt.step, secret)
        request.references = attempt.references
        switch attempt.step {
        case .create: (request.key, request.idempotencyKey) = (sentKey, attempt.idempotencyKey)
        case .update: request.key = sentKey
        case .upload, .attach, .prove, .thumbnail, .deleteKey, .delete: break
        }
        return request
    }

    func request(_ step: Step, _ secret: SecretReference?) -> WriteRequest {
        switch step {
        case .upload(let picture, _): WriteRequest(.upload(picture), secret: secret)
        case .attach(let picture, let attachment): WriteRequest(.attach(attachment.id, picture), secret: secret)
        case .create(let product): product.createRequest(secret)
        case .prove(let replacement): WriteRequest(.proveOwnership(replacement.id), secret: secret)
        case .update(let update):
            (attachment(after: update) == nil ? update : update.withoutPictures).request(secret, capabilities)
        case .thumbnail(let imageID, let entry, let product): product.thumbnailRequest(imageID, of: entry, secret)
        case .deleteKey(let id): WriteRequest(.deleteKey(id), secret: secret)
        case .delete(let id, let key): WriteRequest(.delete(id, key: key), secret: secret)
        }
    }

    mutating func succeeded(_ attempt: Attempt, _ reply: WriteReply, _ now: Context) -> Action {
        switch attempt.step {
        case .upload(let picture, let next):
            return uploaded(picture, reply.reference, before: next, attempt, now)
        case .attach(_, var attachment):
            attachment.count += 1
            return goOn(attachment, shownBy: reply.product)
        case .create(let wanted):
            // A reply without the product is inconclusive, so the product is read.
            guard let product = reply.product else {
                let trouble = "the reply does not show the product"
                return suspend(lost(wanted, attempt, trouble))
            }
            if let doubt = wanted.doubt(
                about: product,
                carrying: sentKey,
                newerThan: attempt.highWater,
                capabilities,
                now.identity,
                holder: now.holder
            ) {
                let trouble = "the reply shows \(doubt)"
                var create = lost(wanted, attempt, trouble)
                create.answered = product.id
                return suspend(create)
            }
            claim = ClaimedProduct(create: lost(wanted, attempt, ""), entry: entry, problems: problems)
            return created(product, wanted, now)
        case .prove(let replacement): return announce(Attempt(.create(replacement.product)), now)
        case .update(let update):
            // A reply may show less than the detail does.
            guard let product = reply.product, losses(by: update, in: product).isEmpty else {
                return ask(.isUpdated(update), about: update.id)
            }
            return updated(product, by: update, now)
        case .thumbnail(_, var entry, let wanted):
            if let product = reply.product {
                problems += wanted.differences(of: product, capabilities).map(\.description)
            }
            entry.applied.thumbnail = wanted.values.thumbnail
            entry.thumbnailURL = reply.product?.thumbnailURL ?? entry.thumbnailURL
            entry.issuedAt = reply.product?.issuedAt ?? entry.issuedAt
            self.entry = entry
            return advance(after: .update, [.put(entry)])
        case .deleteKey(let id):
            guard let key = reply.deleteKey else {
                return retry(attempt, WriteTrouble("the market gave no key for the delete"), now)
            }
            var attempt = attempt
            attempt.step = .delete(id, key: key)
            return announce(attempt, now)
        case .delete: return deleted()
        }
    }

    /// Handles a deleted product; in a replace the new one is created next.
    mutating func deleted() -> Action {
        guard made == .nothing, let replacement = operation.replacement else { return conclude(removal) }
        let mutations = removal
        (entry, isOldDeleted) = (nil, true)
        return advance(after: .delete, to: .create(replacement.product), mutations)
    }

    /// The values that an update removed although it does not name them; without a later look, those of the plan.
    private func losses(by update: PlannedOperation.Update, in product: LiveProduct) -> [String] {
        let before = seen ?? LiveProduct(id: update.id, values: update.live.withoutPictures)
        return before.losses(to: product, besides: update.comparedFields, takesAway: update.takesAway)
    }

    mutating func updated(_ product: LiveProduct, by update: PlannedOperation.Update, _ now: Context) -> Action {
        let lost = losses(by: update, in: product)
        if !lost.isEmpty {
            let loss = "the market removed values that the update does not name: \(lost.joined(separator: ", "))"
            self.loss = loss
            problems.append(loss)
        }
        let attachment = attachment(after: update)
        let update = attachment == nil ? update : update.withoutPictures
        problems += WriteComparison.differences(
            sent: update.outcome,
            fields: update.comparedFields,
            shown: product,
            normalised: capabilities.normalisedFields
        ).map(\.description)
        if update.formerKey != nil { noteKey(of: product, sent: operation.key) }
        let entry = StateEntry(
            updated: product,
            by: update,
            of: operation,
            previous: entry,
            normalised: capabilities.normalisedFields
        )
        let mutations: [StateMutation] = [.put(entry)] + vendor(of: product)
        guard let attachment else { return conclude(mutations) }
        self.entry = entry
        guard let picture = attachment.next else { return attached(attachment, shownBy: product) }
        return advance(after: .update, to: .attach(picture, to: attachment), mutations)
    }

    /// Notes a key that the market altered or dropped, because created products are found by their keys.
    private mutating func noteKey(of product: LiveProduct, sent: String) {
        // Another reply may lack the key, and if the vendor chooses ids, the id may be the key.
        guard capabilities.key != nil, product.key != nil || product.isWhole, product.key != sent else { return }
        problems.append("the key: sent '\(sent)', the market shows \(product.key.map { "'\($0)'" } ?? "none")")
    }

    mutating func unanswered(_ update: PlannedOperation.Update) -> Action {
        close(.unknown(.update, "the reply did not show the updated product"))
    }

    /// Handles a successful create, shown by its reply or found on the market.
    mutating func created(
        _ product: LiveProduct,
        _ wanted: NewProduct,
        _ now: Context,
        picturesAreCertain: Bool = true,
        isFresh: Bool = true
    ) -> Action {
        // It is this vendor's but shows another vendor number than stated, so everything planned with that number is
        // also wrong.
        if let contradiction = now.identity.contradiction(by: product) {
            problems.append(contradiction.description)
            made = .mismatch(product.id)
            isContradicted = true
            return advance(after: .create, to: firstDeleteStep(of: product.id), vendor(of: product))
        }
        let differences = wanted.asMade(capabilities).differences(of: product, isFresh: isFresh, capabilities)
        problems += differences.map(\.description)
        if let sentKey { noteKey(of: product, sent: sentKey) }
        made = .product(product.id)
        if let replacement = operation.succession, !differences.isEmpty {
            // A matching name is not enough reason to delete a found product.
            guard isFresh else {
                return finish(result(.unknown, error: replacement.unresolvedMessage(about: product.id, problems)))
            }
            // The old product stays and keeps the key: that shows a later run which of the two to delete.
            made = .mismatch(product.id)
            return advance(after: .create, to: firstDeleteStep(of: product.id), vendor(of: product))
        }
        if capabilities.pictureStyle == .attach, !wanted.pictures.isEmpty { return attach(to: product, wanted) }
        let entry = StateEntry(
            created: product,
            as: wanted,
            by: operation,
            previous: entry,
            on: capabilities,
            picturesAreCertain: picturesAreCertain
        )
        self.entry = entry
        let mutations: [StateMutation] = [.put(entry)] + vendor(of: product)
        guard let choice = choiceOfThumbnail(wanted, entry) else { return advance(after: .create, mutations) }
        return advance(after: .create, to: choice, mutations)
    }

    /// The request for another thumbnail than the first picture; `nil` if there is none to send.
    mutating func choiceOfThumbnail(_ wanted: NewProduct, _ entry: StateEntry) -> Step? {
        guard wanted.needsThumbnail(capabilities) else { return nil }
        guard let imageID = wanted.thumbnailToChoose(entry) else {
            // The next plan identifies the pictures by reading or resending them.
            problems.append("the thumbnail was not set: which of the product's pictures it is, is still unknown")
            return nil
        }
        return .thumbnail(imageID: imageID, of: entry, wanted: wanted)
    }

    /// Continues when the new product is as wanted: deletes the one that it replaces, or ends.
    mutating func advance(after step: RequestStep, _ mutations: [StateMutation]) -> Action {
        guard let replacement = operation.succession else { return conclude(mutations) }
        return advance(after: step, to: firstDeleteStep(of: replacement.id), mutations)
    }

    mutating func advance(after step: RequestStep, to next: Step, _ mutations: [StateMutation]) -> Action {
        state = .recording(.advance(to: next))
        return .record(.advanced(step, created: made.id), mutations)
    }

    /// Ends the operation after all steps; it fails if there were problems.
    mutating func conclude(_ mutations: [StateMutation]) -> Action {
        guard problems.isEmpty else {
            var message = problems.joined(separator: "; ")
            if case .mismatch(let id) = made {
                let stays = operation.succession == nil ? "" : "; \(oldProduct) stays as it was"
                message =
                    isContradicted
                    ? "the new product \(id) was deleted again\(stays): \(message)"
                    : "the new product \(id) was not as sent, so it was deleted again\(stays): \(message)"
                made = .nothing
            }
            return close(.failed(message), mutations)
        }
        return close(.succeeded(made.id ?? operation.id, note: note(on: mutations)), mutations)
    }

    /// How the market altered the sent values; `nil` if it did not.
    private func note(on mutations: [StateMutation]) -> String? {
        guard !capabilities.normalisedFields.isEmpty else { return nil }
        let written = Set(operation.changes.map(\.field))
        let entry = mutations.lazy.compactMap { if case .put(let entry) = $0 { entry } else { nil } }.last
        let altered = (entry ?? self.entry)?.alterations(capabilities) ?? []
        let words = altered.filter { written.contains($0.field) }.map(\.description)
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    /// Adopts a product that carries the operation's key and existed before a create was refused for it.
    mutating func found(_ product: LiveProduct, _ wanted: NewProduct, _ now: Context) -> Action {
        if let holder = now.holder {
            return close(.failed("product \(product.id) carries the key, and is '\(holder)' already"))
        }
        problems.append(
            "product \(product.id) carries the key already: it is managed now, and the next plan shows the differences"
        )
        made = .product(product.id)
        let entry = StateEntry(
            created: product,
            as: wanted,
            by: operation,
            previous: entry,
            on: capabilities,
            picturesAreCertain: false
        )
        self.entry = entry
        return conclude([.put(entry)] + vendor(of: product))
    }

    var oldProduct: String { "product \(operation.id?.description ?? "")" }

    func vendor(of product: LiveProduct) -> [StateMutation] {
        product.vendorID.map { [.vendor($0)] } ?? []
    }

    var removal: [StateMutation] {
        if case .mismatch = made { return [] }
        guard let entry, entry.id == operation.id else { return [] }
        return [.remove(key: operation.key)]
    }
}
