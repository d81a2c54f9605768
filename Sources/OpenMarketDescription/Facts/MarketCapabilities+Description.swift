package import OpenMarket

extension MarketDescription {
    /// The capabilities of the market for plans and exports, with these parameter values.
    package func capabilities(_ parameters: [String: String] = [:]) -> MarketCapabilities {
        var all = MarketCapabilities()
        describeWriting(&all, parameters)
        describeReading(&all)
        all.hasItemPasswords = auth.contains {
            if case .field(let field) = $0 { field.perProduct != nil } else { false }
        }
        // Without an item's password, the market answers that there is no such item.
        all.answersDeniedAsMissing = all.hasItemPasswords
        all.identifierIsScope = identity.scope.contains(.identifier)
        all.ownershipProof = identity.proof
        all.credentialsForReading = slots { $0.isRead }
        all.credentialsForWriting = slots { !$0.isRead }
        return all
    }

    private func describeWriting(_ all: inout MarketCapabilities, _ parameters: [String: String]) {
        all.key = identity.key.map { key in
            MarketCapabilities.KeyUse(
                isFindable: key.find != nil,
                uniqueness: key.unique,
                characterLimit: key.characters,
                isChangeable: key.operations.contains(.update)
            )
        }
        if let repetition = identity.repetition, repetition.operations.contains(.create) {
            all.repetition = MarketCapabilities.Repetition(
                window: .seconds(repetition.hours * 3600),
                replaysErrors: repetition.replays == .errors
            )
        }
        all.choosesIDs = identity.id.chosenBy == .us
        all.pictureStyle = pictures?.style ?? .none
        all.fieldsOfCreate = written(by: .create)
        all.fieldsOfUpdate = written(by: .update)
        all.writableFields = all.fieldsOfCreate.union(all.fieldsOfUpdate)
        all.fixedCurrency = fixedCurrency(parameters)
        all.pricesNeedCurrency = [fields.price?.kind, fields.sale?.kind].contains(.minorUnits)
        all.keepsPicturesByID = pictures?.written?.kept != nil && pictures?.shown?.id != nil
        all.takesOnePicture = pictures?.holdsOne == true
        all.pictureReferenceLifetime = pictures?.upload?.hours.map { .seconds($0 * 3600) }
        all.clearableFields = Set(clearableFields.compactMap(\.productField))
        if let clearing = pictures?.clearing, clearing != .never { all.clearableFields.insert(.images) }
        all.saleMovesPrice = fields.sale?.meaning == .compareAt
        all.saleEnding =
            switch fields.sale?.ending {
            case .price?: .priceAsSalePrice
            case .value(.number(.zero))?: .zeroDiscount
            case .value?, nil: nil
            }
        all.picturesChangeInPlace = pictures?.change == .inPlace
        all.thumbnailIsChosen = writtenFields.contains(.thumbnail)
        all.deletesInTwoSteps = operations.deleteKey != nil
        all.obstacles = writingObstacles
        all.readAfterWriteDelay = .seconds(identity.readAfterWrite)
        all.settleDelay = operations.create?.settle ?? all.settleDelay
        // A product cannot be found again without its name.
        all.fieldsRequiredToCreate = Set(limits.required.compactMap { ProductField(rawValue: $0.rawValue) }).union([
            .name
        ])
        if all.pricesNeedCurrency { all.fieldsRequiredToCreate.insert(.currency) }
        if all.fixedCurrency != nil { all.fieldsRequiredToCreate.remove(.currency) }
    }

    private func describeReading(_ all: inout MarketCapabilities) {
        all.normalisedFields = normalisedFields
        all.htmlFields = Set(
            fields.order.filter { fields.place(of: $0)?.echo == .html }.compactMap(\.productField)
        )
        all.listShowsDescription = rowFields.contains(.description)
        all.listOmitsSale = detailFields.contains(.sale) && !rowFields.contains(.sale)
        all.listShowsVendor = identity.owner != nil && !list.omits.contains(.owner)
        all.vendorsAreTexts = identity.owner?.kind == .text
        all.listShowsPictures = pictures?.shown != nil && !list.omits.contains(.images)
        all.showsDetails = operations.detail != nil
        all.listOmitsNothing = list.omits.isEmpty
        all.showsPictures = pictures?.shown != nil
        all.keepsPictureBytes = pictures?.bytes == .kept
        all.idKind = identity.id.kind == .text ? .text : .number
        all.idsRise = identity.id.order == .rising
        all.provesCompleteness = !proofs.attempts.isEmpty
    }

    /// The credentials that the described operations of a kind carry.
    private func slots(_ isOfKind: (Operation) -> Bool) -> CredentialSlots {
        let operations = Operation.allCases.filter { isOfKind($0) && describes($0) }
        let carried = auth.filter { credential in operations.contains { credential.audience.includes($0) } }
        var slots: CredentialSlots = []
        for slot in carried.flatMap(\.slots) { slots.insert(slot == .identifier ? .identifier : .secret) }
        return slots
    }
}

extension MarketDescription {
    /// The fields that details show, in the order of the file.
    package var detailFields: [Fields.Name] { fields.order.filter { fields.shows($0) } }

    package var rowFields: [Fields.Name] {
        detailFields.filter { name in !list.omits.contains { $0.rawValue == name.rawValue } }
    }

    /// The fields that requests can set.
    package var writtenFields: [Fields.Name] {
        operations.create == nil && operations.update == nil ? [] : fields.order.filter { fields.takes($0) }
    }

    package var clearableFields: [Fields.Name] {
        writtenFields.filter { $0 == .sale ? fields.sale?.ending != nil : fields.place(of: $0)?.unset != nil }
    }

    /// The fields that the market shows in another form than the sent one (`echo`).
    package var echoedFields: [Fields.Name] { fields.order.filter { fields.place(of: $0)?.echo != nil } }

    /// The fields of ``echoedFields`` that a manifest has.
    package var normalisedFields: Set<ProductField> { Set(echoedFields.compactMap(\.productField)) }

    /// The number of pictures of a product; `nil` if the description does not state it.
    package var pictureCount: ClosedRange<Int>? {
        let count = limits.images?.count
        guard pictures?.holdsOne == true else { return count }
        // A single position has one picture, regardless of the stated count.
        return min(count?.lowerBound ?? 0, 1)...min(count?.upperBound ?? 1, 1)
    }

    /// The number of digits after a price's decimal point; `nil` if the currency determines it.
    package var priceFraction: Int? { limits.price }
}

extension MarketDescription {
    /// Why products cannot be created, changed or deleted; possible operations are left out.
    fileprivate var writingObstacles: [MarketCapabilities.Writing: [String]] {
        // A market without writing operations is read-only, regardless of other obstacles.
        guard operations.create != nil || operations.update != nil || operations.delete != nil else {
            let reason = "its description lacks the operations 'create', 'update' and 'delete'"
            return Dictionary(uniqueKeysWithValues: MarketCapabilities.Writing.allCases.map { ($0, [reason]) })
        }
        let found = MarketCapabilities.Writing.allCases.map { writing in
            // Each kind of writing is a capability.
            (writing, Capability(rawValue: writing.rawValue)?.obstacles(in: self) ?? [])
        }
        return Dictionary(uniqueKeysWithValues: found.filter { !$0.1.isEmpty })
    }

    /// The fields of a product that a request of the operation can include.
    fileprivate func written(by operation: Operation) -> Set<ProductField> {
        guard describes(operation) else { return [] }
        var written = Set(fields.order.filter { fields.takes($0, in: operation) }.compactMap(\.productField))
        // If the change creates another product, it is not a change of this one.
        if let pictures, pictures.style != .none, operation == .create || pictures.change == .inPlace {
            written.insert(.images)
        }
        return written
    }

    /// The currency that the description fixes for all products.
    package func fixedCurrency(_ values: [String: String]) -> Currency? {
        fields.currency?.fixed?.filled(for: .verbatim, values.value(of:)).map { Currency(rawValue: $0.uppercased()) }
    }
}

extension ProductLimits {
    init(of market: MarketDescription, _ parameters: [String: String]) {
        let limits = market.limits
        let formats = limits.images?.formats ?? []
        let count = market.pictureCount ?? 0...Self.unbounded
        let least =
            limits.required.contains(.images) ? max(count.lowerBound, min(1, count.upperBound)) : count.lowerBound
        // A whole number on the wire is without a fraction, regardless of the stated one.
        let isWhole = [market.fields.price?.kind, market.fields.sale?.kind].contains(.whole)
        self = .documented
        nameLength = limits.name ?? 0...Self.unbounded
        descriptionLength = limits.description ?? 0...Self.unbounded
        imageCount = least...count.upperBound
        imageByteLimit = limits.images?.bytesBelow ?? Self.unbounded
        priceFraction = isWhole ? 0 : limits.price
        currencies = market.currencies(parameters)
        if !formats.isEmpty { pictureFormats = Set(formats) }
    }
}

extension MarketDescription {
    /// The currencies of the market; `nil` if the description does not list them.
    fileprivate func currencies(_ values: [String: String]) -> [Currency]? {
        guard let field = fields.currency else { return nil }
        if field.fixed != nil { return fixedCurrency(values).map { [$0] } }
        return field.codes.isEmpty ? nil : field.codes.map { Currency(rawValue: $0.uppercased()) }
    }
}
