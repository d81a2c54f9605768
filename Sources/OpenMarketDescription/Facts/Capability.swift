/// A task that users need a market for.
package enum Capability: String, CaseIterable, Sendable {
    case export
    /// Proving that all products were read.
    case certified
    /// Reading the fields that only details show.
    case details
    case pictures
    case create
    case update
    case delete
    case sendPictures = "send_pictures"
    /// Changing the pictures of a product that keeps its id.
    case changePictures = "change_pictures"
    case keys
    /// Knowing of each product whether it is the vendor's.
    case ownership
    /// Finding out the result of a create whose reply was lost.
    case settle

    /// The reasons why a market does not support it; empty if it does.
    package func obstacles(in market: MarketDescription) -> [String] {
        let operations = market.operations
        func needs(_ operation: MarketDescription.Operation) -> [String] {
            market.describes(operation) ? [] : ["'operations.\(operation.rawValue)' is not described"]
        }
        switch self {
        case .export: return []
        case .certified:
            return market.proofs.attempts.isEmpty ? ["the description says 'complete: never'"] : []
        case .details: return needs(.detail)
        case .pictures: return market.pictures?.shown == nil ? ["'pictures.read' is not described"] : []
        case .create:
            return needs(.create) + (market.describes(.create) ? unsaid(in: market) : [])
                + unsupervised(.create, market)
        case .update: return needs(.update) + unsupervised(.update, market)
        case .delete: return needs(.delete) + unsupervised(.delete, market)
        case .sendPictures:
            guard let pictures = market.pictures else { return ["'pictures' is not described"] }
            if pictures.style == .none { return ["'pictures.style' is 'none'"] }
            return operations.create == nil && operations.update == nil ? needs(.create) : []
        case .changePictures:
            guard let pictures = market.pictures else { return ["'pictures' is not described"] }
            if pictures.style == .none { return ["'pictures.style' is 'none'"] }
            return needs(.update) + (market.describes(.update) ? unsupervised(.update, market) : [])
                + (pictures.change == .inPlace ? [] : ["'pictures.change' is 'replace'"])
                + (pictures.style == .attach ? ["'pictures.attach' adds one, and takes none away"] : [])
        case .keys:
            let carriesKeys = market.identity.key != nil || market.identity.id.chosenBy == .us
            return carriesKeys ? [] : ["'identity.key' is not described"]
        case .ownership:
            let hasKey = market.identity.key?.find != nil
            guard !hasKey, market.identity.proof == nil else { return [] }
            return switch market.identity.owner?.kind {
            case .integer: []
            case .text: ["an owner that is a text is shown, and never compared with ours ('identity.owner')"]
            case nil: ["rows show no owner and no key of ours, and nothing proves that a product is ours"]
            }
        case .settle:
            return market.grade == .e ? ["the market has no repeat key, no key of ours and no rising ids"] : []
        }
    }

    /// The fields that a new product needs and no request can carry.
    private func unsaid(in market: MarketDescription) -> [String] {
        // A product cannot be found again without its name.
        let needed: [MarketDescription.Limits.RequiredField] = [.name] + market.limits.required.filter { $0 != .name }
        return needed.filter { field in
            guard let name = MarketDescription.Fields.Name(rawValue: field.rawValue) else {
                guard let style = market.pictures?.style else { return true }
                return style == MarketDescription.Pictures.Style.none
            }
            return !market.fields.takes(name, in: .create)
                && !(name == .currency && market.fields.currency?.fixed != nil)
        }.map { "no request that makes a product can say '\($0.rawValue)'" }
    }

    /// Obstacles to reading the catalog: plans need all of it, and each product is read again right before a write.
    private func unsupervised(_ operation: MarketDescription.Operation, _ market: MarketDescription) -> [String] {
        var reasons = market.proofs.attempts.isEmpty ? ["plans need a catalog that is proved to be complete"] : []
        if market.describes(operation), !market.describes(.detail) {
            reasons.append("a product is read right before a change: 'operations.detail' is not described")
        }
        reasons += market.unwritable(by: operation)
        if operation == .delete { reasons += market.unwritable(by: .deleteKey) }
        return reasons
    }
}

/// The capabilities that plans and exports depend on, all derived from the description.
package struct DescribedCapabilities: Equatable, Sendable {
    package var rowFields: Set<MarketDescription.Fields.Name>
    package var detailFields: Set<MarketDescription.Fields.Name>
    package var writtenFields: Set<MarketDescription.Fields.Name>
    /// The fields that can be unset again.
    package var clearableFields: Set<MarketDescription.Fields.Name>
    /// The fields that the market changes from the form in which they were sent.
    package var normalisedFields: Set<MarketDescription.Fields.Name>
    /// Whether rows of the list show the owner of a product.
    var listShowsOwner: Bool
    /// Whether a change may replace the pictures of a product and keep its id.
    var picturesChangeInPlace: Bool
    /// Whether the market returns the original bytes of uploaded pictures.
    var keepsPictureBytes: Bool
    var thumbnailIsChosen: Bool
    /// The number of pictures of a product; `nil` if the description does not state it.
    package var pictureCount: ClosedRange<Int>?
    package var id: MarketDescription.Identity.ID.Kind
    package var idsRise: Bool
    package var slotsForReading: Set<MarketDescription.Credential.Slot>
    package var slotsForWriting: Set<MarketDescription.Credential.Slot>
    var hasProductSecrets: Bool
    /// The harmless way to prove that a product is the vendor's; `nil` if there is none.
    var proof: MarketDescription.Identity.Proof?
    /// Whether a delete requires a separate request for a key.
    var deletesInTwoSteps: Bool
    /// How a sale is ended; `nil` if nothing ends one.
    var saleEnding: MarketDescription.SaleField.Ending?
    /// For how many seconds after a write the market may still not know the product.
    var readAfterWrite: Int
    /// For how many hours a repeated create is recognized; `nil` if it is not.
    var repeatHours: Int?
    /// The fields that the market requires of a new product.
    var required: Set<MarketDescription.Limits.RequiredField>

    init(_ market: MarketDescription) {
        let fields = market.fields
        let shown = Set(fields.order.filter { fields.shows($0) })
        let omitted = Set(market.list.omits.compactMap { MarketDescription.Fields.Name(rawValue: $0.rawValue) })
        detailFields = shown
        rowFields = shown.subtracting(omitted)
        let canWrite = market.operations.create != nil || market.operations.update != nil
        writtenFields = canWrite ? Set(fields.order.filter { fields.takes($0) }) : []
        clearableFields = Set(
            writtenFields.filter { name in
                name == .sale ? fields.sale?.ending != nil : fields.place(of: name)?.unset != nil
            }
        )
        normalisedFields = Set(fields.order.filter { fields.place(of: $0)?.echo != nil })
        listShowsOwner = market.identity.owner != nil && !market.list.omits.contains(.owner)
        picturesChangeInPlace = market.pictures?.change == .inPlace
        keepsPictureBytes = market.pictures?.bytes == .kept
        thumbnailIsChosen = writtenFields.contains(.thumbnail)
        let count = market.limits.images?.count
        // A single position holds one picture, whatever else is stated.
        pictureCount =
            market.pictures?.holdsOne == true
            ? min(count?.lowerBound ?? 0, 1)...min(count?.upperBound ?? 1, 1) : count
        id = market.identity.id.kind
        idsRise = market.identity.id.order == .rising
        let reads = market.auth.filter { credential in
            MarketDescription.Operation.allCases.contains {
                $0.isRead && market.describes($0) && credential.audience.includes($0)
            }
        }
        let writes = market.auth.filter { credential in
            MarketDescription.Operation.allCases.contains {
                !$0.isRead && market.describes($0) && credential.audience.includes($0)
            }
        }
        slotsForReading = Set(reads.flatMap(\.slots))
        slotsForWriting = Set(writes.flatMap(\.slots))
        hasProductSecrets = market.auth.contains {
            if case .field(let field) = $0 { field.perProduct != nil } else { false }
        }
        proof = market.identity.proof
        deletesInTwoSteps = market.operations.deleteKey != nil
        saleEnding = fields.sale?.ending
        readAfterWrite = market.identity.readAfterWrite
        repeatHours = market.identity.repetition?.hours
        required = Set(market.limits.required)
    }
}

extension MarketDescription {
    package var capabilities: DescribedCapabilities { DescribedCapabilities(self) }
}
