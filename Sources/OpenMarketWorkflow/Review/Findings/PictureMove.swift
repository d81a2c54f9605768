import OpenMarket

/// The change of the picture at one position: one picture replaces another, one appears, or one disappears.
struct PictureMove: Hashable, Sendable {
    /// The picture before or after, and the source of its bytes.
    struct Side: Hashable, Sendable {
        /// The SHA-256 of its bytes, if available.
        var digest: ContentDigest?
        var url: String?
        var file: Picture?

        /// Compares URLs by their bytes.
        package static func == (left: Side, right: Side) -> Bool {
            left.digest == right.digest && left.url.isExactly(right.url) && left.file == right.file
        }
    }

    /// The position from 1; `nil` for the thumbnail.
    var place: Int?
    var before: Side?
    var after: Side?
}

extension PlannedOperation {
    /// The picture that identifies the product.
    ///
    /// It is the thumbnail of the market's list if there is one, or the first picture of a product to create.
    var mainPicture: PictureMove.Side? {
        switch work {
        case .adopt(let entry, _): entry.thumbnailURL.map { PictureMove.Side(url: $0) }
        case .forget, .rename: nil
        case .create, .delete: pictureMoves.first.flatMap { $0.after ?? $0.before }
        case .update(let update): update.live.mainPicture(update.livePictures)
        case .replace(let replacement): replacement.live.mainPicture(replacement.livePictures)
        }
    }

    /// The changes of the pictures in the order of their positions; unchanged positions are left out.
    var pictureMoves: [PictureMove] {
        switch work {
        case .adopt, .forget, .rename: []
        case .create(let product):
            moves(.blank, LivePictures(), to: product.values, [.images])
        case .update(let update):
            moves(update.live, update.livePictures, to: update.desired, update.changedFields)
        case .replace(let replacement):
            moves(
                replacement.live,
                replacement.livePictures,
                to: replacement.product.values,
                Set(replacement.changes.map(\.field))
            )
        case .delete(let deletion):
            [deletion.live.firstPicture(deletion.livePictures)].compactMap { side in
                side.map { PictureMove(place: 1, before: $0, after: nil) }
            }
        }
    }

    /// The pictures of the live product that the operation changes or deletes.
    var earlierPictures: [PictureMove.Side] {
        let (live, shown): (ProductValues, LivePictures)
        switch work {
        case .adopt, .forget, .rename, .create: return []
        case .update(let update): (live, shown) = (update.live, update.livePictures)
        case .replace(let replacement): (live, shown) = (replacement.live, replacement.livePictures)
        case .delete(let deletion): (live, shown) = (deletion.live, deletion.livePictures)
        }
        let images = live.images ?? []
        let other = live.thumbnail.flatMap { images.contains($0) ? nil : live.side($0, at: nil, shown) }
        return images.indices.map { live.side(images[$0], at: $0, shown) } + [other].compactMap(\.self)
    }

    private func moves(
        _ live: ProductValues,
        _ shown: LivePictures,
        to wanted: ProductValues,
        _ fields: Set<ProductField>
    ) -> [PictureMove] {
        var moves: [PictureMove] = []
        if fields.contains(.images) {
            let old = live.images ?? []
            let new = wanted.images ?? []
            for index in 0..<max(old.count, new.count) {
                let before = index < old.count ? old[index] : nil
                let after = index < new.count ? new[index] : nil
                guard before != after else { continue }
                moves.append(
                    PictureMove(
                        place: index + 1,
                        before: before.map { live.side($0, at: index, shown) },
                        after: after.map { side($0, live, shown) }
                    )
                )
            }
        }
        if fields.contains(.thumbnail), live.thumbnail != wanted.thumbnail {
            moves.append(
                PictureMove(
                    place: nil,
                    before: live.thumbnail.map { live.side($0, at: live.images?.firstIndex(of: $0), shown) },
                    after: wanted.thumbnail.map { side($0, live, shown) }
                )
            )
        }
        return moves
    }

    /// A wanted picture: a file to send, or one that the market already has.
    private func side(_ identity: PictureIdentity, _ live: ProductValues, _ shown: LivePictures) -> PictureMove.Side {
        if case .digest(let digest) = identity, let file = pictures.first(where: { $0.digest == digest }) {
            return PictureMove.Side(digest: digest, file: file)
        }
        return live.side(identity, at: live.images?.firstIndex(of: identity), shown)
    }
}

extension ProductValues {
    /// A picture that the market shows at a position of the product.
    fileprivate func side(_ identity: PictureIdentity, at index: Int?, _ shown: LivePictures) -> PictureMove.Side {
        let images = shown.images ?? []
        // If the product's pictures are unknown one by one, their URLs cannot be assigned to them.
        let isMatched = images.count == self.images?.count
        let url = isMatched ? index.map { images[$0].url } : nil
        return switch identity {
        case .digest(let digest): PictureMove.Side(digest: digest, url: url)
        case .unknown(let reference): PictureMove.Side(url: url ?? reference)
        }
    }

    fileprivate func mainPicture(_ shown: LivePictures) -> PictureMove.Side? {
        shown.thumbnailURL.map { PictureMove.Side(url: $0) } ?? firstPicture(shown)
    }

    fileprivate func firstPicture(_ shown: LivePictures) -> PictureMove.Side? {
        if let first = images?.first { return side(first, at: 0, shown) }
        return (shown.images?.first?.url ?? shown.thumbnailURL).map { PictureMove.Side(url: $0) }
    }
}
