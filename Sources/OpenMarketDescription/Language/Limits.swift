import OpenMarket
import YAML

extension MarketDescription {
    struct Limits: Equatable, Sendable {
        /// Fields that a new product must have.
        var required: [RequiredField] = []
        var name: TextLimit?
        var description: TextLimit?
        var price: PriceLimit?
        var images: ImageLimit?

        /// A field that a market may require of a new product.
        enum RequiredField: String, ClosedList {
            case name, description, price, currency, stock, images
        }

        struct TextLimit: Equatable, Sendable {
            /// The allowed number of characters.
            var characters = 0...Int.max
        }

        struct PriceLimit: Equatable, Sendable {
            /// The maximum number of digits after the decimal point.
            var fraction = 0
        }

        struct ImageLimit: Equatable, Sendable {
            /// The allowed number of pictures of a product.
            var count: ClosedRange<Int>?
            /// A picture has fewer bytes than this.
            var bytesBelow: Int?
            var formats: [PictureFormat] = []
        }
    }
}

// MARK: - Tables

extension PictureFormat: ClosedList {}

extension MarketDescription.Limits: DescriptionSection {
    static var title: String { "limits" }

    static var keys: [SectionKey<Self>] {
        [
            .standard("required", \.required, .list(.choice), "The fields that the market requires of new products."),
            .optional("name", \.name, .section, "The name."),
            .optional("description", \.description, .section, "The long text."),
            .optional("price", \.price, .section, "Prices."),
            .optional("images", \.images, .section, "Pictures."),
        ]
    }
}

extension MarketDescription.Limits.TextLimit: DescriptionSection {
    static var title: String { "limits.text" }

    static var keys: [SectionKey<Self>] {
        [.required("characters", \.characters, .range(0...1_000_000), "How many characters it has.")]
    }
}

extension MarketDescription.Limits.PriceLimit: DescriptionSection {
    static var title: String { "limits.price" }

    static var keys: [SectionKey<Self>] {
        [.required("fraction", \.fraction, .whole(0...4), "How many digits a price has behind the point.")]
    }
}

extension MarketDescription.Limits.ImageLimit: DescriptionSection {
    static var title: String { "limits.images" }

    static var keys: [SectionKey<Self>] {
        [
            .optional("count", \.count, .range(0...1000), "How many a product has."),
            .optional("bytes_below", \.bytesBelow, .whole(1...1_000_000_000), "A picture has fewer bytes than this."),
            .standard("formats", \.formats, .list(.choice), "Their encodings."),
        ]
    }
}
