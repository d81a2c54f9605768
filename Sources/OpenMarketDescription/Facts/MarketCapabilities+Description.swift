package import OpenMarket

extension MarketCapabilities {
    /// The capabilities that plans and exports depend on, derived from a description with these parameters.
    init(of market: MarketDescription, _ parameters: [String: String]) {
        let described = market.capabilities
        self.init()
        key = market.identity.key.map { KeyUse($0) }
        if let repetition = market.identity.repetition, repetition.operations.contains(.create) {
            self.repetition = Repetition(
                window: .seconds(repetition.hours * 3600),
                replaysErrors: repetition.replays == .errors
            )
        }
        choosesIDs = market.identity.id.chosenBy == .us
        pictureStyle = market.pictures.map { PictureStyle($0.style) } ?? .none
        fieldsOfCreate = market.written(by: .create)
        fieldsOfUpdate = market.written(by: .update)
        writableFields = fieldsOfCreate.union(fieldsOfUpdate)
        fixedCurrency = market.fixedCurrency(parameters)
        pricesNeedCurrency = [market.fields.price?.kind, market.fields.sale?.kind].contains(.minorUnits)
        keepsPicturesByID = market.pictures?.written?.kept != nil && market.pictures?.shown?.id != nil
        takesOnePicture = market.pictures?.holdsOne == true
        pictureReferenceLifetime = market.pictures?.upload?.hours.map { .seconds($0 * 3600) }
        clearableFields = Set(described.clearableFields.compactMap(\.productField))
        if let clearing = market.pictures?.clearing, clearing != .never { clearableFields.insert(.images) }
        normalisedFields = market.normalisedFields
        htmlFields = normalisedFields.filter { field in
            MarketDescription.Fields.Name(rawValue: field.rawValue).map { market.fields.place(of: $0)?.echo == .html }
                ?? false
        }
        saleMovesPrice = market.fields.sale?.meaning == .compareAt
        picturesChangeInPlace = described.picturesChangeInPlace
        thumbnailIsChosen = described.thumbnailIsChosen
        listShowsDescription = described.rowFields.contains(.description)
        listOmitsSale = described.detailFields.contains(.sale) && !described.rowFields.contains(.sale)
        listShowsVendor = described.listShowsOwner
        vendorsAreTexts = market.identity.owner?.kind == .text
        listShowsPictures = market.pictures?.shown != nil && !market.list.omits.contains(.images)
        showsDetails = Capability.details.obstacles(in: market).isEmpty
        listOmitsNothing = market.list.omits.isEmpty
        showsPictures = Capability.pictures.obstacles(in: market).isEmpty
        keepsPictureBytes = described.keepsPictureBytes
        idKind = described.id == .text ? .text : .number
        idsRise = described.idsRise
        provesCompleteness = Capability.certified.obstacles(in: market).isEmpty
        identifierIsScope = market.identity.scope.contains(.identifier)
        ownershipProof =
            switch described.proof {
            case .deleteKey: .deleteKey
            case .updateNothing: .changeOfNothing
            case nil: nil
            }
        // Without the password of an item, the market answers that there is no such item.
        answersDeniedAsMissing = described.hasProductSecrets
        hasItemPasswords = described.hasProductSecrets
        credentialsForReading = CredentialSlots(described.slotsForReading)
        credentialsForWriting = CredentialSlots(described.slotsForWriting)
        obstacles = market.writingObstacles
        saleEnding = described.saleEnding.flatMap { SaleEnding($0) }
        deletesInTwoSteps = described.deletesInTwoSteps
        readAfterWriteDelay = .seconds(described.readAfterWrite)
        settleDelay = market.operations.create?.settle ?? settleDelay
        // A product cannot be found again without its name.
        fieldsRequiredToCreate = Set(described.required.compactMap { ProductField(rawValue: $0.rawValue) }).union([
            .name
        ])
        if pricesNeedCurrency { fieldsRequiredToCreate.insert(.currency) }
        if fixedCurrency != nil { fieldsRequiredToCreate.remove(.currency) }
    }
}

extension MarketDescription {
    /// Why products cannot be created, changed or deleted; possible operations are left out.
    fileprivate var writingObstacles: [MarketCapabilities.Writing: [String]] {
        // A market without writing operations is read-only, whatever else it lacks.
        guard operations.create != nil || operations.update != nil || operations.delete != nil else {
            let reason = "its description has none of the operations 'create', 'update' and 'delete'"
            return Dictionary(uniqueKeysWithValues: MarketCapabilities.Writing.allCases.map { ($0, [reason]) })
        }
        let found = MarketCapabilities.Writing.allCases.map { writing in
            let capability: Capability =
                switch writing {
                case .create: .create
                case .update: .update
                case .delete: .delete
                }
            return (writing, capability.obstacles(in: self))
        }
        return Dictionary(uniqueKeysWithValues: found.filter { !$0.1.isEmpty })
    }

    /// The fields of a product that a request of the operation can carry.
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
    fileprivate func fixedCurrency(_ values: [String: String]) -> Currency? {
        fields.currency?.fixed?.filled(for: .verbatim) {
            if case .parameter(let name) = $0 { values[name] } else { nil }
        }
        .map { Currency(rawValue: $0.uppercased()) }
    }
}

extension MarketCapabilities.KeyUse {
    fileprivate init(_ key: MarketDescription.Identity.Key) {
        self.init(
            isFindable: key.find != nil,
            uniqueness: Uniqueness(key.unique),
            characterLimit: key.characters,
            isChangeable: key.operations.contains(.update)
        )
    }
}

extension MarketCapabilities.KeyUse.Uniqueness {
    fileprivate init(_ uniqueness: MarketDescription.Identity.Key.Uniqueness) {
        self =
            switch uniqueness {
            case .enforced: .enforced
            case .racy: .racy
            case .unenforced: .unenforced
            }
    }
}

extension MarketCapabilities.PictureStyle {
    fileprivate init(_ style: MarketDescription.Pictures.Style) {
        self =
            switch style {
            case .parts: .parts
            case .base64: .base64
            case .url: .url
            case .upload: .upload
            case .attach: .attach
            case .none: .none
            }
    }
}

extension CredentialSlots {
    fileprivate init(_ slots: Set<MarketDescription.Credential.Slot>) {
        self = []
        if slots.contains(.identifier) { insert(.identifier) }
        if slots.contains(.secret) { insert(.secret) }
    }
}

extension MarketCapabilities.SaleEnding {
    /// Converts an ending that plans support; `nil` for any other one.
    fileprivate init?(_ ending: MarketDescription.SaleField.Ending) {
        switch ending {
        case .price: self = .priceAsSalePrice
        case .value(.number(.zero)): self = .zeroDiscount
        case .value: return nil
        }
    }
}

extension ProductLimits {
    /// The limits of a product according to the description.
    init(of market: MarketDescription, _ parameters: [String: String]) {
        let limits = market.limits
        let formats = limits.images?.formats ?? []
        let count = market.capabilities.pictureCount ?? 0...Self.unbounded
        let least =
            limits.required.contains(.images) ? max(count.lowerBound, min(1, count.upperBound)) : count.lowerBound
        // A whole number on the wire has no fraction, whatever else is stated.
        let isWhole = [market.fields.price?.kind, market.fields.sale?.kind].contains(.whole)
        self.init(
            nameLength: limits.name?.characters ?? 0...Self.unbounded,
            descriptionLength: limits.description?.characters ?? 0...Self.unbounded,
            imageCount: least...count.upperBound,
            imageByteLimit: limits.images?.bytesBelow ?? Self.unbounded,
            priceFraction: isWhole ? 0 : limits.price?.fraction,
            currencies: market.currencies(parameters),
            pictureFormats: formats.isEmpty ? [.jpeg, .png] : Set(formats.map { $0 == .jpeg ? .jpeg : .png })
        )
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

extension MarketDescription {
    /// How many digits a price has behind the point; `nil` if it is the currency's to say.
    package var priceFraction: Int? { limits.price?.fraction }

    /// The fields that the market changes from the form in which they were sent (`echo`).
    package var normalisedFields: Set<ProductField> {
        Set(fields.order.filter { fields.place(of: $0)?.echo != nil }.compactMap(\.productField))
    }
}
