public import OpenMarket

/// The requests that an operation sends.
extension Operation {
    /// All requests of the operation in order, as far as they are known before the first reply: for `--dry-run`.
    ///
    /// A delete key is asked for first, so the request that uses it stands there without one. Adopting and forgetting
    /// send nothing.
    public func plannedRequests(_ capabilities: MarketCapabilities) -> [WriteRequest] {
        func deletes(_ id: ProductID) -> [WriteRequest] {
            let delete = WriteRequest(.delete(id, key: nil), secret: secret)
            return capabilities.deletesInTwoSteps ? [WriteRequest(.deleteKey(id), secret: secret), delete] : [delete]
        }
        return switch (action, id) {
        case (.create, _): [createRequest]
        case (.update, let id?): [updateRequest(id)]
        case (.replace, let id?): [createRequest] + deletes(id)
        case (.delete, let id?): deletes(id)
        case (.adopt, _), (.forget, _), (_, nil): []
        }
    }

    var createRequest: WriteRequest {
        WriteRequest(.create(desired, pictures: pictures), secret: secret)
    }

    func updateRequest(_ id: ProductID) -> WriteRequest {
        WriteRequest(
            .update(
                id,
                ProductUpdate(
                    changed: changedFields,
                    desired: desired,
                    live: live,
                    pictures: pictures,
                    thumbnailImageID: thumbnailImageID
                )
            ),
            secret: secret
        )
    }

    /// The update after a create that makes another picture than the first the thumbnail.
    func thumbnailRequest(_ id: ProductID, entry: StateEntry?) -> WriteRequest {
        WriteRequest(
            .update(
                id,
                ProductUpdate(
                    changed: [.thumbnail],
                    desired: desired,
                    live: entry?.applied ?? desired,
                    thumbnailImageID: wantedThumbnail(in: entry)
                )
            ),
            secret: secret
        )
    }

    /// Whether a create leaves another thumbnail than the wanted one, and the market lets us choose.
    func needsThumbnailRequest(_ capabilities: MarketCapabilities, entry: StateEntry?) -> Bool {
        capabilities.thumbnailIsChosen && desired.thumbnail != nil
            && desired.thumbnail != desired.images?.first && wantedThumbnail(in: entry) != nil
    }

    /// The market's number for the picture wanted as thumbnail.
    private func wantedThumbnail(in entry: StateEntry?) -> Int64? {
        guard case .digest(let digest) = desired.thumbnail,
            let image = entry?.images?.first(where: { $0.digest == digest })
        else { return nil }
        return Int64(image.reference)
    }

    /// The fields of the reply that have to be as in ``Operation/outcome``.
    var comparedFields: Set<ProductField> {
        guard action == .update else { return Set(ProductField.allCases.filter { desired[$0] != nil }) }
        var fields = changedFields
        // Where the reduction is an amount off, a new price moves the sale price along unless both are written.
        if fields.contains(.price) { fields.insert(.salePrice) }
        return fields
    }
}
