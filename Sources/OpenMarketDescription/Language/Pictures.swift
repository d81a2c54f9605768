import OpenMarket
import YAML

extension MarketDescription {
    /// The pictures of a product.
    package struct Pictures: Equatable, Sendable {
        /// How pictures are sent.
        package var style = Style.none
        /// The name of the part that holds a picture.
        package var part: String?
        /// Where they are shown.
        package var shown: Shown?
        /// Where they are written.
        package var written: Written?
        /// The request that takes the bytes of a picture before its product.
        package var upload: Upload?
        /// The request that adds a picture to a product that exists.
        package var attach: Attach?
        /// What a change of them means.
        package var change: Change?
        /// What the market does to their bytes.
        var bytes = Bytes.changed
        /// What takes all of them away.
        package var clearing: Clearing?

        /// Whether a product has one at the most: a second one would be sent and never be seen.
        var holdsOne: Bool { written?.isSingle == true || shown?.isSingle == true }

        /// Whether what is shown cannot be put where pictures are written: it is elsewhere, and has no ids by which they stay.
        var isShownElsewhere: Bool {
            guard let shown, let written else { return false }
            if shown.isSingle != written.isSingle { return true }
            return shown.place != written.place && (written.kept == nil || shown.id == nil)
        }

        /// How pictures are sent.
        package enum Style: String, ClosedList {
            /// As parts of a multipart body, beside the product.
            case parts
            /// In the body, in Base64.
            case base64
            /// As addresses, from which the market fetches them.
            case url
            /// First the bytes, then a reference in the product.
            case upload
            /// First the product, then the bytes.
            case attach
            /// Not at all.
            case none
        }

        /// What a change of the pictures means.
        package enum Change: String, ClosedList {
            /// The product keeps its id.
            case inPlace = "in_place"
            /// Another product takes its place.
            case replace
        }

        /// What the market does to the bytes of a picture.
        enum Bytes: String, ClosedList {
            /// They come back as they were sent.
            case kept
            /// They come back otherwise.
            case changed
        }

        /// What takes all pictures away.
        package enum Clearing: Equatable, Sendable {
            /// Nothing does.
            case never
            /// An empty list.
            case emptyList
            /// This value in their place.
            case value(Literal)
        }

        /// Where pictures are shown.
        package struct Shown: Equatable, Sendable {
            /// Where they are: an array, or one picture.
            package var place = JSONPointer.whole
            /// Whether there is one at the most, and no array.
            package var isSingle = false
            /// A picture's id, in its element.
            package var id: JSONPointer?
            /// A picture's address, in its element; `nil` where the element is the address.
            package var url: JSONPointer?
            /// The address of its thumbnail, in its element.
            package var thumbnail: JSONPointer?
            /// An array of thumbnails beside that of pictures, in the same order.
            package var thumbnails: JSONPointer?
        }

        /// Where pictures are written.
        package struct Written: Equatable, Sendable {
            /// Where they are.
            package var place = JSONPointer.whole
            /// Whether there is one at the most, and no array.
            package var isSingle = false
            /// Where a new one is, in its element.
            package var new: JSONPointer?
            /// Where the id of one is that stays, in its element.
            package var kept: JSONPointer?
        }

        /// The request that takes the bytes of a picture before its product.
        package struct Upload: Equatable, Sendable {
            /// Its method.
            var method = Method.post
            /// Its path.
            var path = Template.empty
            /// Whether the path begins at the market's address, and not behind the base.
            var origin = Origin.base
            /// How the bytes are sent.
            var body = Body.raw
            /// The name of the part that holds them.
            package var part: String?
            /// Where the reference is in the answer.
            package var answer = JSONPointer.whole
            /// What the reference is.
            package var kind = Identity.ID.Kind.text
            /// For how long the reference holds.
            var hours: Int?

            /// What a path begins behind.
            enum Origin: String, ClosedList {
                /// The market's address.
                case root
                /// The description's base.
                case base
            }

            /// How bytes are sent.
            enum Body: String, ClosedList {
                /// As the body.
                case raw
                /// As a part of a multipart body.
                case parts
            }
        }

        /// The request that adds a picture to a product that exists.
        package struct Attach: Equatable, Sendable {
            /// Its method.
            var method = Method.post
            /// Its path.
            var path = Template.empty
            /// Whether the path begins at the market's address, and not behind the base.
            var origin = Upload.Origin.base
            /// How the bytes are sent.
            var body = Upload.Body.raw
            /// The name of the part that holds them.
            package var part: String?
        }
    }
}

// MARK: - Tables

extension MarketDescription.Pictures: DescriptionSection {
    static var title: String { "pictures" }

    static var keys: [SectionKey<Self>] {
        [
            .required("style", \.style, .choice, "How pictures are sent; `none` where they are only read."),
            .optional("part", \.part, .text(.part), "The name of the part that holds a picture."),
            .optional("read", \.shown, .section, "Where they are shown."),
            .optional("write", \.written, .section, "Where they are written."),
            .optional(
                "upload",
                \.upload,
                .section,
                "The request that takes the bytes of a picture before its product."
            ),
            .optional("attach", \.attach, .section, "The request that adds a picture to a product that exists."),
            .optional(
                "change",
                \.change,
                .choice,
                "What a change of them means: the product keeps its id, or another one takes its place."
            ),
            .standard(
                "bytes",
                \.bytes,
                .choice,
                "Whether the bytes come back as they were sent; `changed` without this key."
            ),
            .optional(
                "clear",
                \.clearing,
                Clearing.shape,
                "What takes all of them away: nothing, an empty list, or a value in their place."
            ),
        ]
    }

    static var refused: [String: String] {
        ["hosts": "a description names no host: pictures of other hosts need 'picture_hosts' in the manifest"]
    }
}

extension MarketDescription.Pictures.Clearing {
    static var shape: Shape<Self> {
        let literal = Shape<Literal>.literal
        let words = "`never`, `[]`, or \(literal.words)"
        return Shape(words, literal.kinds.union([.sequence])) {
            .object(
                of: (
                    "anyOf",
                    .array([
                        literal.schema(), .object(of: ("type", .string("array")), ("maxItems", .integer(0))),
                    ])
                )
            )
        } read: { node, reader in
            if let items = node.items {
                guard !items.isEmpty else { return .emptyList }
                reader.reportKind(node, words)
                return nil
            }
            return switch node.text {
            case "never": .never
            case "[]": .emptyList
            default: literal.read(node, &reader).map { .value($0) }
            }
        }
    }
}

extension MarketDescription.Pictures.Shown: DescriptionSection {
    static var title: String { "pictures.read" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Where they are: an array, or one picture."),
            .standard("one", \.isSingle, .boolean, "There is one at the most, and no array."),
            .optional("id", \.id, .pointer, "A picture's id, in its element."),
            .optional(
                "url",
                \.url,
                .pointer,
                "A picture's address, in its element. Without this key the element is the address."
            ),
            .optional("thumbnail", \.thumbnail, .pointer, "The address of its thumbnail, in its element."),
            .optional(
                "thumbnails",
                \.thumbnails,
                .pointer,
                "An array of thumbnails in the same order, beside that of pictures."
            ),
        ]
    }

    static var rules: [SectionRule] { [.atMostOne(["thumbnail", "thumbnails"]), .atMostOne(["one", "thumbnails"])] }
}

extension MarketDescription.Pictures.Written: DescriptionSection {
    static var title: String { "pictures.write" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Where they are."),
            .standard("one", \.isSingle, .boolean, "There is one at the most, and no array."),
            .optional("new", \.new, .pointer, "Where a new one is, in its element."),
            .optional("kept", \.kept, .pointer, "Where the id of one is that stays, in its element."),
        ]
    }
}

extension MarketDescription.Pictures.Upload: DescriptionSection {
    static var title: String { "pictures.upload" }

    static var keys: [SectionKey<Self>] {
        [
            .standard("method", \.method, .writing, "Its method; `POST` without this key."),
            .required("path", \.path, .template(.path), "Its path."),
            .standard("from", \.origin, .choice, "What the path begins behind: the base, or the market's address."),
            .required("body", \.body, .choice, "How the bytes are sent."),
            .optional("part", \.part, .text(.part), "The name of the part that holds them."),
            .required("answer", \.answer, .pointer, "Where the reference is in the answer."),
            .standard("as", \.kind, .choice, "What the reference is; `text` without this key."),
            .optional("hours", \.hours, .whole(1...8760), "For how long the reference holds."),
        ]
    }
}

extension MarketDescription.Pictures.Attach: DescriptionSection {
    static var title: String { "pictures.attach" }

    static var keys: [SectionKey<Self>] {
        [
            .standard("method", \.method, .writing, "Its method; `POST` without this key."),
            .required("path", \.path, .template(.path), "Its path, which names `{id}`."),
            .standard("from", \.origin, .choice, "What the path begins behind: the base, or the market's address."),
            .required("body", \.body, .choice, "How the bytes are sent."),
            .optional("part", \.part, .text(.part), "The name of the part that holds them."),
        ]
    }
}
