import OpenMarket
import YAML

extension MarketDescription {
    struct Limits: Equatable, Sendable {
        /// Fields that a new product must have.
        var required: [RequiredField] = []
        /// The allowed number of characters.
        var name: ClosedRange<Int>?
        var description: ClosedRange<Int>?
        /// The maximum number of digits after a price's decimal point.
        var price: Int?
        var images: ImageLimit?

        /// A field that a market may require of a new product.
        enum RequiredField: String, ClosedList {
            case name, description, price, currency, stock, images
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
        let characters = SectionKey<ClosedRange<Int>>.required(
            "characters",
            \.self,
            .range(0...1_000_000),
            "How many characters it has."
        )
        let text = Section("limits.text", 0...Int.max, [characters])
        let digits = "How many digits a price has behind the point."
        let price = Section("limits.price", 0, [.required("fraction", \.self, .whole(0...4), digits)])
        return [
            .standard("required", \.required, .list(.choice), "The fields that the market requires of new products."),
            .optional("name", \.name, .section(text), "The name."),
            .optional("description", \.description, .section(text), "The long text."),
            .optional("price", \.price, .section(price), "Prices."),
            .optional("images", \.images, .section, "Pictures."),
        ]
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
