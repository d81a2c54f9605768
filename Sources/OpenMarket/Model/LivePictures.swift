/// Where the market shows the pictures of a product, so that they can be looked at beside the ones that replace them.
package struct LivePictures: Hashable, Sendable {
    /// A picture.
    package struct Image: Hashable, Sendable {
        /// What the market calls the picture (v2).
        var id: MarketID?
        /// Where its bytes are.
        package var url: String

        /// A picture.
        init(id: MarketID?, url: String) {
            self.id = id
            self.url = url
        }

        /// Compares URLs by their bytes.
        package static func == (left: Image, right: Image) -> Bool {
            left.id == right.id && left.url.isExactly(right.url)
        }
    }

    /// The small picture in lists.
    package var thumbnailURL: String?
    /// All pictures in the product's order; `nil` where only its row was read.
    package var images: [Image]?

    /// Pictures; none known unless given.
    package init(thumbnailURL: String? = nil, images: [Image]? = nil) {
        self.thumbnailURL = thumbnailURL
        self.images = images
    }

    /// The pictures of a live product.
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
