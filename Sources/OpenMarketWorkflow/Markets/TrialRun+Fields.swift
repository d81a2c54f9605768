import OpenMarket
import OpenMarketDescription

// The values that a market shows after the create, after a change, and after their removal.
extension TrialRun {
    mutating func noteCreated(_ shown: LiveProduct) {
        for field in ProductField.allCases {
            guard let sent = current[field] else { continue }
            let echo = self.echo(of: field, sent, in: shown)
            trial.fields.append(
                WriteProbe.Field(
                    field: field,
                    sent: sent.trialText,
                    created: echo,
                    changed: .untried(""),
                    cleared: .untried("")
                )
            )
            blame(echo, field, .create)
        }
    }

    /// Sends another value of each field, and removes those that can be; returns whether the market carries out
    /// changes.
    mutating func changeFields(of id: MarketID) async throws -> Bool {
        guard description.operations.update != nil else { return false }
        for index in trial.fields.indices where !isLossy {
            let field = trial.fields[index].field
            if field == .images {
                trial.fields[index].changed = try await changePictures(of: id)
            } else if let value = values.second[field], value != current[field], field != .currency {
                trial.fields[index].changed = try await change(field, to: value, of: id)
            } else {
                trial.fields[index].changed = .untried(field == .currency ? "one currency" : "")
            }
        }
        let tried = trial.fields.filter { if case .untried = $0.changed { false } else { true } }
        if case .failed(let why)? = tried.first?.changed, tried.allSatisfy({ $0.changed.isFailed }) {
            // No change succeeds, so the fields are not the cause.
            fault("operations.update", "no change was carried out: \(why)")
            return false
        }
        for field in tried { blame(field.changed, field.field, .change) }
        for index in trial.fields.indices where !isLossy {
            let field = trial.fields[index].field
            guard capabilities.clearableFields.contains(field), field != .images || capabilities.picturesChangeInPlace
            else {
                trial.fields[index].cleared = .untried("")
                continue
            }
            let none: FieldValue? = field == .salePrice ? .sale(.fullPrice) : field == .images ? .images([]) : nil
            let echo = try await change(field, to: none, of: id)
            trial.fields[index].cleared = echo
            blame(echo, field, .clearing)
        }
        guard !isLossy else { return false }
        if description.leavesPutOpen, !tried.isEmpty {
            fault("operations.update", "a change keeps the fields that it omits: write 'send: changed'")
        }
        return true
    }

    /// Adds the second picture to the first one, or replaces it if a product has room for one.
    private mutating func changePictures(of id: MarketID) async throws -> WriteProbe.Echo {
        guard let picture, let second else { return .untried("one picture") }
        let pictures = hasRoom ? [picture, second] : [second]
        let images = FieldValue.images(pictures.map { .digest($0.digest) })
        guard capabilities.pictureStyle == .attach else {
            return try await change(.images, to: images, of: id, sending: pictures)
        }
        try await attach(second, to: id)
        current[.images] = images
        return echo(of: .images, images, in: try await read(id))
    }

    /// Changes one field, and checks all of them.
    private mutating func change(
        _ field: ProductField,
        to value: FieldValue?,
        of id: MarketID,
        sending pictures: [Picture] = []
    ) async throws -> WriteProbe.Echo {
        let product = try await read(id)
        let live = product?.values ?? current
        var desired = current
        desired[field] = value
        var update = ProductUpdate(changed: [field], desired: desired, live: live)
        update.pictures = pictures
        if capabilities.keepsPicturesByID, pictures.count > 1, let kept = product?.images?.first?.id {
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
        let money: Set<ProductField> = [.price, .salePrice]
        let written = money.contains(field) ? money : [field]
        let lost =
            shown.flatMap { product?.losses(to: $0, besides: written, takesAway: value?.isNothing ?? true) } ?? []
        if !lost.isEmpty {
            isLossy = true
            let way =
                description.operations.update?.sending == .changed
                ? "'send: whole' or 'send: merged'" : "'send: merged'"
            fault(
                "operations.update",
                "a change of '\(field.rawValue)' took away fields that it omits, \(lost.joined(separator: ", ")): write \(way)"
            )
        }
        for other in trial.fields.map(\.field) where other != field {
            // A change of the price may change the sale price.
            guard let before = live[other], let after = shown?.values[other], before != after,
                !written.contains(other), !lost.contains(other.rawValue)
            else { continue }
            fault(
                "operations.update",
                "a change of '\(field.rawValue)' also changed '\(other.rawValue)': from \(before.trialText) to \(after.trialText)"
            )
        }
        guard let value else {
            return shown?.values[field].map { .other($0.trialText) } ?? .asSent
        }
        return echo(of: field, value, in: shown)
    }

    /// Sends a change; returns why it was not carried out, or `nil` if it was.
    private mutating func send(_ request: WriteRequest, _ id: MarketID) async throws -> String? {
        try await note(.sent(.update, highWater: nil))
        let outcome = try await perform(request)
        try await note(.advanced(.update, created: id))
        return outcome.message
    }

    /// Gives the product another key, if the description states that a change can.
    mutating func changeKey(of id: MarketID, _ key: String?) async throws {
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
        // A create that was sent again may have created another product with the former key.
        if found == [id], !former.contains(id) {
            step("change key", "found by it")
        } else {
            let words =
                former.contains(id)
                ? "the product is found by its former key" : "the product is not found by its new key"
            step("change key", words, at: place, "after a change of the key, \(words)")
        }
    }

    /// Compares a sent value with the one that the market shows.
    private func echo(of field: ProductField, _ sent: FieldValue, in product: LiveProduct?) -> WriteProbe.Echo {
        guard let product else { return .missing }
        if case .images(let images) = sent {
            guard capabilities.showsPictures else { return .untried("not shown") }
            let count = product.images?.count ?? 0
            return count == images.count ? .asSent : .other(counted(count, "picture"))
        }
        var values = product.values
        values.normalizeSale()
        if field == .salePrice, sent == .sale(.fullPrice), values.sale == nil { return .asSent }
        guard let shown = values[field] else { return .missing }
        if shown == sent { return .asSent }
        let isKnown =
            capabilities.htmlFields.contains(field)
            ? capabilities.isForm(shown, of: sent, in: field) : capabilities.normalisedFields.contains(field)
        return isKnown ? .normalised(shown.trialText) : .other(shown.trialText)
    }

    private enum Occasion: String {
        case create = "a create"
        case change = "a change"
        case clearing = "taking it away"

        /// The path in the description that determines a field.
        func place(of field: ProductField) -> String {
            switch (field, self) {
            case (.images, .create): "pictures"
            case (.images, .change): "pictures.change"
            case (.images, .clearing): "pictures.clear"
            case (.salePrice, .clearing): "fields.sale.none"
            case (.salePrice, _): "fields.sale"
            case (_, .clearing): "fields.\(field.rawValue).unset"
            default: "fields.\(field.rawValue)"
            }
        }
    }

    private mutating func blame(_ echo: WriteProbe.Echo, _ field: ProductField, _ occasion: Occasion) {
        let (place, what) = (occasion.place(of: field), occasion.rawValue)
        switch echo {
        case .asSent, .normalised, .untried: break
        case .missing: fault(place, "after \(what), '\(field.rawValue)' is not shown")
        case .other(let shown): fault(place, "after \(what), '\(field.rawValue)' is shown as \(shown)")
        case .failed(let message): fault(place, "\(what) of '\(field.rawValue)' was not carried out: \(message)")
        }
    }
}

extension WriteProbe.Echo {
    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}
