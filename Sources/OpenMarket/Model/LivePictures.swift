/// The URLs of a product's pictures on the market, so that they can be compared with their replacements.
package struct LivePictures: Hashable, Sendable {
    package struct Image: Hashable, Sendable {
        /// The market's ID of the picture (v2).
        var id: MarketID?
        package var url: String

        /// Compares URLs by their bytes.
        package static func == (left: Image, right: Image) -> Bool {
            left.id == right.id && left.url.isExactly(right.url)
        }
    }

    /// The small picture in lists.
    package var thumbnailURL: String?
    /// All pictures in the product's order; `nil` if only its row was read.
    package var images: [Image]?

    package init(thumbnailURL: String? = nil, images: [Image]? = nil) {
        self.thumbnailURL = thumbnailURL
        self.images = images
    }

    init(_ product: LiveProduct) {
        self.init(
            thumbnailURL: product.thumbnailURL,
            images: product.images?.map { Image(id: $0.id, url: $0.url) }
        )
    }

    /// Compares URLs by their bytes.
    package static func == (left: LivePictures, right: LivePictures) -> Bool {
        left.thumbnailURL.isExactly(right.thumbnailURL) && left.images == right.images
    }
}
