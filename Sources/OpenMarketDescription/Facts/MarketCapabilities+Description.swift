import OpenMarket

extension MarketCapabilities {
    /// What a plan and an export depend on, as it follows from a description.
    ///
    /// - Parameters:
    ///   - market: the description.
    ///   - isBuiltIn: whether it is one of the program's own, to which alone this version writes.
    init(of market: MarketDescription, isBuiltIn: Bool) {
        let described = market.capabilities
        self.init()
        picturesChangeInPlace = described.picturesChangeInPlace
        thumbnailIsChosen = described.thumbnailIsChosen
        listShowsDescription = described.rowFields.contains(.description)
        listShowsVendor = described.listShowsOwner
        listShowsPictures = market.pictures?.shown != nil && !market.list.omits.contains(.images)
        showsDetails = Capability.details.obstacles(in: market).isEmpty
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
        // Without the password of an item the market answers that there is no such item.
        answersDeniedAsMissing = described.hasProductSecrets
        hasItemPasswords = described.hasProductSecrets
        credentialsForReading = CredentialSlots(described.slotsForReading)
        credentialsForWriting = CredentialSlots(described.slotsForWriting)
        writingObstacles = market.writingObstacles(isBuiltIn: isBuiltIn)
        saleEnding = described.saleEnding.flatMap { SaleEnding($0) }
        deletesInTwoSteps = described.deletesInTwoSteps
        readAfterWriteDelay = .seconds(described.readAfterWrite)
        fieldsRequiredToCreate = Set(described.required.compactMap { ProductField(rawValue: $0.rawValue) })
    }
}

extension MarketDescription {
    /// Why nothing can be written to the market; none where it can.
    fileprivate func writingObstacles(isBuiltIn: Bool) -> [String] {
        guard !isBuiltIn else { return [] }
        let described: [Capability] = [.create, .update, .delete]
        let obstacles = described.map { $0.obstacles(in: self) }
        // One that writes nothing is read only for good; what the others lack is less than that this version lacks it.
        if operations.create == nil, operations.update == nil, operations.delete == nil {
            return ["its description has none of the operations 'create', 'update' and 'delete'"]
        }
        var reasons = ["this version writes to the built-in markets only"]
        for reason in obstacles.joined() where !reasons.contains(reason) { reasons.append(reason) }
        return reasons
    }
}

extension CredentialSlots {
    /// The credentials of a description.
    fileprivate init(_ slots: Set<MarketDescription.Credential.Slot>) {
        self = []
        if slots.contains(.identifier) { insert(.identifier) }
        if slots.contains(.secret) { insert(.secret) }
    }
}

extension MarketCapabilities.SaleEnding {
    /// One of those that plans can ask for; `nil` for another one.
    fileprivate init?(_ ending: MarketDescription.SaleField.Ending) {
        switch ending {
        case .price: self = .priceAsSalePrice
        case .value(.number(.zero)): self = .zeroDiscount
        case .value: return nil
        }
    }
}

extension ProductLimits {
    /// What a product may be, as a description says it.
    init(of market: MarketDescription, _ parameters: [String: String]) {
        let limits = market.limits
        self.init(
            nameLength: limits.name?.characters ?? 0...Self.unbounded,
            descriptionLength: limits.description?.characters ?? 0...Self.unbounded,
            imageCount: limits.images?.count ?? 0...Self.unbounded,
            imageByteLimit: limits.images?.bytesBelow ?? Self.unbounded,
            priceFraction: limits.price?.fraction,
            currencies: market.currencies(parameters)
        )
    }
}

extension MarketDescription {
    /// The currencies of the market; `nil` where the description does not list them.
    fileprivate func currencies(_ values: [String: String]) -> [Currency]? {
        guard let field = fields.currency else { return nil }
        if let fixed = field.fixed {
            let code = fixed.filled(for: .verbatim) { if case .parameter(let name) = $0 { values[name] } else { nil } }
            return code.map { [Currency(rawValue: $0.uppercased())] }
        }
        return field.codes.isEmpty ? nil : field.codes.map { Currency(rawValue: $0.uppercased()) }
    }
}
