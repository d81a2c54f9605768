/// Something that people want of a market.
package enum Capability: String, CaseIterable, Sendable {
    /// Its products are read.
    case export
    /// It is proved that all were read.
    case certified
    /// What only details show is read.
    case details
    /// Pictures are read.
    case pictures
    /// Products are made.
    case create
    /// Products are changed.
    case update
    /// Products are deleted.
    case delete
    /// Pictures are sent.
    case sendPictures = "send_pictures"
    /// The pictures of a product are changed, and it keeps its id.
    case changePictures = "change_pictures"
    /// Products carry the manifest's keys.
    case keys
    /// It is known of each product whether it is ours.
    case ownership
    /// What became of a create whose answer was lost is found out.
    case settle

    /// Why a market is not capable of it; none where it is.
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
            return needs(.update) + (pictures.change == .inPlace ? [] : ["'pictures.change' is 'replace'"])
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

    /// What a new product needs and no request can say.
    private func unsaid(in market: MarketDescription) -> [String] {
        // Without its name a product is not found again.
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

    /// Plans are made of a catalog that was read whole, and each product is read again right before it is written to.
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

/// What a market can do, as far as plans and exports depend on it: all of it follows from the description.
package struct DescribedCapabilities: Equatable, Sendable {
    /// The fields that rows of the list show.
    package var rowFields: Set<MarketDescription.Fields.Name>
    /// The fields that a detail shows.
    package var detailFields: Set<MarketDescription.Fields.Name>
    /// The fields that requests can say.
    package var writtenFields: Set<MarketDescription.Fields.Name>
    /// The fields that can be taken away again.
    package var clearableFields: Set<MarketDescription.Fields.Name>
    /// The fields that come back otherwise than they were sent.
    package var normalisedFields: Set<MarketDescription.Fields.Name>
    /// Whether rows of the list say whose product it is.
    var listShowsOwner: Bool
    /// Whether a change may replace the pictures of a product and keep its id.
    var picturesChangeInPlace: Bool
    /// Whether the market gives back the bytes of pictures that it was sent.
    var keepsPictureBytes: Bool
    /// Whether the picture that lists show can be chosen.
    var thumbnailIsChosen: Bool
    /// How many pictures a product has; `nil` where the description does not say.
    package var pictureCount: ClosedRange<Int>?
    /// What an id is.
    package var id: MarketDescription.Identity.ID.Kind
    /// Whether later products have greater ids.
    package var idsRise: Bool
    /// The credentials of the manifest that reading needs.
    package var slotsForReading: Set<MarketDescription.Credential.Slot>
    /// The credentials of the manifest that writing needs.
    package var slotsForWriting: Set<MarketDescription.Credential.Slot>
    /// Whether each product may have a secret of its own.
    var hasProductSecrets: Bool
    /// What shows that a product is ours and changes nothing.
    var proof: MarketDescription.Identity.Proof?
    /// Whether a delete needs a key that is asked for first.
    var deletesInTwoSteps: Bool
    /// How a sale is ended; `nil` where nothing ends one.
    var saleEnding: MarketDescription.SaleField.Ending?
    /// For how many seconds after a write the product may still be unknown to the market.
    var readAfterWrite: Int
    /// For how many hours a repeated create is known; `nil` where it is not.
    var repeatHours: Int?
    /// What the market takes no new product without.
    var required: Set<MarketDescription.Limits.RequiredField>

    /// The capabilities that follow from a description.
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
        normalisedFields = Set(fields.order.filter { fields.place(of: $0)?.echo == .normalised })
        listShowsOwner = market.identity.owner != nil && !market.list.omits.contains(.owner)
        picturesChangeInPlace = market.pictures?.change == .inPlace
        keepsPictureBytes = market.pictures?.bytes == .kept
        thumbnailIsChosen = writtenFields.contains(.thumbnail)
        let count = market.limits.images?.count
        // One place takes one, whatever else is said.
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
    /// What the market can do.
    package var capabilities: DescribedCapabilities { DescribedCapabilities(self) }
}
