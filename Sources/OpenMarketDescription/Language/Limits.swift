extension MarketDescription {
    /// What a product may be.
    struct Limits: Equatable, Sendable {
        /// What the market takes no new product without.
        var required: [RequiredField] = []
        /// The name.
        var name: TextLimit?
        /// The long text.
        var description: TextLimit?
        /// Prices.
        var price: PriceLimit?
        /// Pictures.
        var images: ImageLimit?

        /// What a market may want of a new product.
        enum RequiredField: String, ClosedList {
            case name, description, price, currency, stock, images
        }

        /// What a text may be.
        struct TextLimit: Equatable, Sendable {
            /// How many characters it has.
            var characters = 0...Int.max
        }

        /// What a price may be.
        struct PriceLimit: Equatable, Sendable {
            /// How many digits it has behind the point.
            var fraction = 0
        }

        /// What pictures may be.
        struct ImageLimit: Equatable, Sendable {
            /// How many a product has.
            var count: ClosedRange<Int>?
            /// A picture has fewer bytes than this.
            var bytesBelow: Int?
            /// What they are encoded in.
            var formats: [Format] = []

            /// What a picture is encoded in.
            enum Format: String, ClosedList {
                case jpeg, png
            }
        }
    }
}

// MARK: - Tables

extension MarketDescription.Limits: DescriptionSection {
    static var title: String { "limits" }

    static var keys: [SectionKey<Self>] {
        [
            .standard("required", \.required, .list(.choice), "What the market takes no new product without."),
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
            .standard("formats", \.formats, .list(.choice), "What they are encoded in."),
        ]
    }
}
