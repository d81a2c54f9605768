/// The URLs of a product's live pictures, for comparison with their replacements.
package struct LivePictures: Hashable, Sendable {
    /// The small picture in lists.
    package var thumbnailURL: String?
    /// In the product's order, without thumbnails; `nil` if only the row was read.
    package var images: [LiveProduct.Image]?

    package init(thumbnailURL: String? = nil, images: [LiveProduct.Image]? = nil) {
        self.thumbnailURL = thumbnailURL
        self.images = images
    }

    init(_ product: LiveProduct) {
        self.init(
            thumbnailURL: product.thumbnailURL,
            images: product.images?.map { LiveProduct.Image(id: $0.id, url: $0.url) }
        )
    }

    /// Compares URLs by their bytes.
    package static func == (left: LivePictures, right: LivePictures) -> Bool {
        left.thumbnailURL.isExactly(right.thumbnailURL) && left.images == right.images
    }
}
