/// Pictures that are not sent with the product: uploaded before it, or attached to it.
extension OperationMachine {
    // MARK: - Uploads

    /// The next picture to upload before a request can name it; `nil` if there is none.
    func missingUpload(before step: Step, _ now: Context) -> Picture? {
        guard capabilities.pictureStyle == .upload else { return nil }
        if case .update(let update) = step {
            guard update.changedFields.contains(.images) else { return nil }
            return update.picturesToUpload(capabilities).first { upload(of: $0, now) == nil }
        }
        return pictures(of: step).first { upload(of: $0, now) == nil }
    }

    /// The names of the pictures in a request; empty for those that the product already has.
    func references(of step: Step, _ now: Context) -> [String] {
        switch capabilities.pictureStyle {
        case .upload: pictures(of: step).map { upload(of: $0, now)?.reference ?? "" }
        case .url: pictures(of: step).compactMap(\.address)
        case .none, .parts, .base64, .attach: []
        }
    }

    /// The name of an uploaded picture, as long as the market keeps it.
    private func upload(of picture: Picture, _ now: Context) -> UploadedPicture? {
        uploads.last { upload in
            upload.digest == picture.digest
                && (capabilities.pictureReferenceLifetime.map { now.elapsed - upload.since < $0 } ?? true)
        }
    }

    private func pictures(of step: Step) -> [Picture] {
        switch step {
        case .create(let product): product.pictures
        case .update(let update): update.changedFields.contains(.images) ? update.pictures : []
        case .prove, .thumbnail, .deleteKey, .delete, .upload, .attach: []
        }
    }

    mutating func uploaded(
        _ picture: Picture,
        _ reference: String?,
        before next: Attempt,
        _ attempt: Attempt,
        _ now: Context
    ) -> Action {
        guard let reference else {
            return retry(attempt, WriteTrouble("the reply did not name the picture"), now)
        }
        uploads.append(UploadedPicture(digest: picture.digest, reference: reference, since: now.elapsed))
        return announce(next, now)
    }

    // MARK: - Attaching

    /// The pictures to attach after an update, or instead of one.
    func attachment(after update: PlannedOperation.Update) -> Attachment? {
        guard capabilities.pictureStyle == .attach, update.changedFields.contains(.images) else { return nil }
        return Attachment(
            id: update.id,
            values: update.desired,
            pictures: update.pictures,
            count: update.live.images?.count ?? 0
        )
    }

    /// Begins to attach pictures to a new product.
    ///
    /// For a create, the key refers to the product from now on. For a replace, it does so only after all pictures are
    /// attached: this shows a later run which of the two products to delete.
    mutating func attach(to product: LiveProduct, _ wanted: NewProduct) -> Action {
        let entry = StateEntry(created: product, as: wanted, by: operation, previous: entry, on: capabilities)
        draft = entry
        let attachment = Attachment(
            id: product.id,
            values: wanted.values,
            pictures: wanted.pictures,
            count: product.images?.count ?? 0
        )
        guard let picture = attachment.next else { return attached(attachment, shownBy: product) }
        var mutations = vendor(of: product)
        if operation.succession == nil {
            self.entry = entry
            mutations.insert(.put(entry), at: 0)
        }
        return advance(after: .create, to: .attach(picture, to: attachment), mutations)
    }

    /// Attaches the next picture, or reads the product after the last one.
    mutating func goOn(_ attachment: Attachment, shownBy product: LiveProduct?) -> Action {
        if let picture = attachment.next {
            let mutations = acknowledge(attachment, shownBy: product)
            return advance(after: .attach, to: .attach(picture, to: attachment), mutations)
        }
        guard let product, product.images?.count == attachment.count else {
            return ask(.isComplete(attachment), about: attachment.id)
        }
        return attached(attachment, shownBy: product)
    }

    /// The state changes after an attached picture, so that a later run continues from there.
    private mutating func acknowledge(_ attachment: Attachment, shownBy product: LiveProduct?) -> [StateMutation] {
        guard var entry = draft ?? entry else { return [] }
        entry.acknowledge(attachment.count, of: attachment.values.images, shownBy: product)
        if draft != nil { draft = entry }
        guard operation.succession == nil else { return [] }
        self.entry = entry
        return [.put(entry)]
    }

    /// Handles a picture whose request got no reply: it exists, or is sent again, since no request is pending any more.
    mutating func recounted(
        _ attachment: Attachment,
        on product: LiveProduct?,
        _ attempt: Attempt,
        _ now: Context
    ) -> Action {
        guard let shown = product?.images?.count else {
            return giveUp(attempt, "the market does not show whether the product has the picture", now)
        }
        var attachment = attachment
        if shown > attachment.count {
            attachment.count += 1
            return goOn(attachment, shownBy: product)
        }
        var attempt = attempt
        attempt.mayHaveHappened = false
        return announce(attempt, now)
    }

    mutating func attached(_ attachment: Attachment, shownBy product: LiveProduct?) -> Action {
        guard var entry = draft ?? entry else { return conclude([]) }
        entry.applied.images = attachment.values.images
        entry.images = StateEntry.BoundImage.bind(attachment.values.images, to: product?.images)
        if attachment.values.thumbnail != nil { entry.applied.thumbnail = attachment.values.images?.first }
        entry.thumbnailURL = product?.thumbnailURL ?? entry.thumbnailURL
        entry.issuedAt = product?.issuedAt ?? entry.issuedAt
        if let images = product?.images, images.count != attachment.count {
            entry.applied.images = images.map { .unknown($0.reference) }
            problems.append("images: sent \(counted(attachment.count, "picture")), the market shows \(images.count)")
            if operation.succession != nil { return takeBack(attachment.id) }
        }
        self.entry = entry
        return advance(after: .attach, [.put(entry)])
    }

    /// Handles a picture that could not be attached; the next plan shows it.
    mutating func notAttached(_ attachment: Attachment, _ message: String) -> Action {
        problems.append("picture \(attachment.count + 1) was not attached: \(message)")
        return operation.succession == nil ? conclude([]) : takeBack(attachment.id)
    }

    /// Deletes the new product of a replace because it lacks pictures, so the old one stays.
    private mutating func takeBack(_ id: MarketID) -> Action {
        made = .mismatch(id)
        return advance(after: .attach, to: firstDeleteStep(of: id), [])
    }
}

extension PlannedOperation.Update {
    var isPicturesAlone: Bool { withoutPictures.changes.isEmpty && formerKey == nil }

    var withoutPictures: PlannedOperation.Update {
        var update = self
        update.changes.removeAll { $0.field == .images || $0.field == .thumbnail }
        update.pictures = []
        return update
    }
}
