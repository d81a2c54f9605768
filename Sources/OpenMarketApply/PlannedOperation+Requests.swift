public import OpenMarket

/// The requests that an operation sends.
extension PlannedOperation {
    /// All requests of the operation in order, as far as they are known before the first reply: for dry runs.
    ///
    /// A delete key is asked for first, so the request that uses it is shown without one. Adopting and forgetting
    /// send nothing.
    public func plannedRequests(_ capabilities: MarketCapabilities) -> [WriteRequest] {
        func deletes(_ id: MarketID) -> [WriteRequest] {
            let delete = WriteRequest(.delete(id, key: nil), secret: secret)
            return capabilities.deletesInTwoSteps ? [WriteRequest(.deleteKey(id), secret: secret), delete] : [delete]
        }
        return switch work {
        case .create(let product): [product.createRequest(secret)]
        case .update(let update): [update.request(secret)]
        case .replace(let replacement): [replacement.product.createRequest(secret)] + deletes(replacement.id)
        case .delete(let deletion): deletes(deletion.id)
        case .adopt, .forget: []
        }
    }
}

extension PlannedOperation.Update {
    func request(_ secret: SecretReference?) -> WriteRequest {
        let update = ProductUpdate(
            changed: changedFields,
            desired: desired,
            live: live,
            pictures: pictures,
            thumbnailImageID: thumbnailImageID
        )
        return WriteRequest(.update(id, update), secret: secret)
    }

    /// The fields of the reply that have to be as in ``outcome``.
    var comparedFields: Set<ProductField> {
        var fields = changedFields
        // Where the reduction is an amount off, a new price moves the sale price along unless both are written.
        if fields.contains(.price) { fields.insert(.salePrice) }
        return fields
    }
}

extension NewProduct {
    func createRequest(_ secret: SecretReference?) -> WriteRequest {
        WriteRequest(.create(values, pictures: pictures), secret: secret)
    }

    /// Whether a create leaves another thumbnail than the wanted one, and the market lets us choose.
    func needsThumbnail(_ capabilities: MarketCapabilities) -> Bool {
        capabilities.thumbnailIsChosen && values.thumbnail != nil && values.thumbnail != values.images?.first
    }

    /// The market's number for the picture wanted as thumbnail; `nil` where nothing distinguishes the pictures.
    func thumbnailToChoose(_ entry: StateEntry) -> MarketID? {
        guard case .digest(let digest)? = values.thumbnail,
            let image = entry.images?.first(where: { $0.digest == digest })
        else { return nil }
        return image.id
    }

    /// The update after a create that makes another picture than the first the thumbnail.
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
