extension PlannedOperation {
    /// All requests in order, if each succeeds and the market is unchanged since the plan: for dry runs.
    ///
    /// Values from replies are missing: delete keys, ids of new products that pictures are attached to, and the
    /// market's names for uploaded pictures. So is the choice of a new product's thumbnail.
    package func plannedRequests(_ capabilities: MarketCapabilities, sendsKeys: Bool = false) -> [WriteRequest] {
        var configuration = ExecutorConfiguration()
        configuration.sendsKeys = sendsKeys
        var machine = OperationMachine(
            sequence: 0,
            operation: self,
            entry: nil,
            capabilities: capabilities,
            configuration: configuration
        )
        let now = OperationMachine.Context(elapsed: .zero, jitter: 0, isStopping: false)
        var requests: [WriteRequest] = []
        var event = OperationMachine.Event.start
        while true {
            switch machine.handle(event, now) {
            case .record:
                guard machine.ending == nil else { return requests }
                event = .recorded
            case .send(let request):
                requests.append(request.asPlanned(capabilities))
                event = .outcome(.succeeded(request.simplestReply))
            // The change is invisible in the product.
            case .readProduct(let id): event = .product(LiveProduct(id: id, values: ProductValues()))
            case .wait: event = .waited
            case .settle, .finish: return requests
            }
        }
    }
}

extension WriteRequest {
    /// The request without values from earlier replies.
    fileprivate func asPlanned(_ capabilities: MarketCapabilities) -> WriteRequest {
        var request = self
        if case .delete(let id, _) = kind { request.kind = .delete(id, key: nil) }
        if capabilities.pictureStyle == .upload { request.references = [] }
        return request
    }

    /// The reply with only the values that the next request needs.
    fileprivate var simplestReply: WriteReply {
        switch kind {
        case .create: WriteReply(product: LiveProduct(id: .text("{id}"), values: ProductValues()))
        case .update(let id, _): WriteReply(product: LiveProduct(id: id, values: ProductValues()))
        case .deleteKey: WriteReply(deleteKey: "{key}")
        case .upload: WriteReply(reference: "{reference}")
        case .delete, .proveOwnership, .attach: WriteReply()
        }
    }
}

extension PlannedOperation.Update {
    /// The market's ids of the pictures that the product already has, by their index in the wanted pictures.
    func keptPictures(_ capabilities: MarketCapabilities) -> [Int: MarketID] {
        guard capabilities.keepsPicturesByID, let shown = live.images, let images = livePictures.images,
            shown.count == images.count
        else { return [:] }
        var free = zip(shown, images).compactMap { identity, image in image.id.map { (identity, id: $0) } }
        var kept: [Int: MarketID] = [:]
        for (index, picture) in pictures.enumerated() {
            guard let place = free.firstIndex(where: { $0.0 == .digest(picture.digest) }) else { continue }
            kept[index] = free.remove(at: place).id
        }
        return kept
    }

    /// Whether a repeated request would duplicate the pictures on the market.
    func sendsPictures(_ capabilities: MarketCapabilities) -> Bool {
        changedFields.contains(.images) && capabilities.keepsPicturesByID && capabilities.pictureStyle != .upload
            && capabilities.pictureStyle != .attach && !picturesToUpload(capabilities).isEmpty
    }

    /// Whether a product shows new pictures at the positions of the sent ones; `nil` if it shows neither them nor the
    /// previous ones.
    func isCarriedOut(on product: LiveProduct, _ capabilities: MarketCapabilities) -> Bool? {
        let (before, shown) = (livePictures.images?.map(\.id), product.images?.map(\.id))
        guard let before, let shown else { return nil }
        if shown == before { return false }
        let kept = keptPictures(capabilities)
        let isWanted = shown.indices.allSatisfy { index in
            kept[index].map { $0 == shown[index] } ?? (shown[index] != nil && !before.contains(shown[index]))
        }
        return isWanted && shown.count == pictures.count ? true : nil
    }

    func picturesToUpload(_ capabilities: MarketCapabilities) -> [Picture] {
        let kept = keptPictures(capabilities)
        return pictures.indices.filter { kept[$0] == nil }.map { pictures[$0] }
    }

    func request(_ secret: SecretReference?, _ capabilities: MarketCapabilities) -> WriteRequest {
        var update = ProductUpdate(
            changed: changedFields,
            desired: desired,
            live: live,
            pictures: pictures,
            thumbnailImageID: thumbnailImageID
        )
        update.changesKey = formerKey != nil
        if changedFields.contains(.images) { update.keptPictures = keptPictures(capabilities) }
        return WriteRequest(.update(id, update), secret: secret)
    }

    /// The fields of the reply that must equal those of ``outcome``.
    var comparedFields: Set<ProductField> {
        var fields = changedFields
        // If the reduction is an amount, a new price also changes the sale price unless both are written.
        if fields.contains(.price) { fields.insert(.salePrice) }
        return fields
    }

    /// Whether a field loses its value, or some of its pictures.
    var takesAway: Bool {
        changes.contains { change in
            if case .images(let images)? = change.manifest { return images.count < live.images?.count ?? 0 }
            return change.manifest?.isNothing ?? true
        }
    }
}

extension NewProduct {
    func createRequest(_ secret: SecretReference?) -> WriteRequest {
        WriteRequest(.create(values, pictures: pictures), secret: secret)
    }

    /// Whether a create sets another thumbnail than the wanted one, and the market allows choosing it.
    func needsThumbnail(_ capabilities: MarketCapabilities) -> Bool {
        capabilities.thumbnailIsChosen && values.thumbnail != nil && values.thumbnail != values.images?.first
    }

    /// The market's id of the wanted thumbnail; `nil` if the pictures are indistinguishable.
    func thumbnailToChoose(_ entry: StateEntry) -> MarketID? {
        guard case .digest(let digest)? = values.thumbnail,
            let image = entry.images?.first(where: { $0.digest == digest })
        else { return nil }
        return image.id
    }

    func thumbnailRequest(_ imageID: MarketID, of entry: StateEntry, _ secret: SecretReference?) -> WriteRequest {
        let update = ProductUpdate(
            changed: [.thumbnail],
            desired: values,
            live: entry.applied,
            thumbnailImageID: imageID
        )
        return WriteRequest(.update(entry.id, update), secret: secret)
    }
}
