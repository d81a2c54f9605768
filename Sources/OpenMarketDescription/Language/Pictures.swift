package import OpenMarket
import YAML

extension MarketDescription {
    package struct Pictures: Equatable, Sendable {
        package var style = Style.none
        /// The name of the part that contains a picture.
        package var part: String?
        package var shown: Shown?
        package var written: Written?
        package var upload: Upload?
        /// The request that adds a picture to an existing product; it has no answer.
        package var attach: Upload?
        package var change: Change?
        var bytes = Bytes.changed
        package var clearing: Clearing?

        /// Whether a product has at most one picture: a second one would be sent but never shown.
        var holdsOne: Bool { written?.isSingle == true || shown?.isSingle == true }

        /// Whether shown pictures cannot be written back: they are at another position and have no ids to keep them by.
        var isShownElsewhere: Bool {
            guard let shown, let written else { return false }
            if shown.isSingle != written.isSingle { return true }
            return shown.place != written.place && (written.kept == nil || shown.id == nil)
        }

        package typealias Style = MarketCapabilities.PictureStyle

        /// The effect of a change of the pictures on the product's id.
        package enum Change: String, ClosedList {
            /// The product keeps its id.
            case inPlace = "in_place"
            /// Another product replaces it.
            case replace
        }

        /// How the market treats the bytes of a picture.
        enum Bytes: String, ClosedList {
            /// The market returns them as they were sent.
            case kept
            case changed
        }

        /// How all pictures are removed.
        package enum Clearing: Equatable, Sendable {
            /// They cannot be removed.
            case never
            case emptyList
            /// This value replaces them.
            case value(Literal)
        }

        /// The location of pictures that the market shows.
        package struct Shown: Equatable, Sendable {
            /// The location of an array, or of one picture.
            package var place = JSONPointer.whole
            /// Whether there is at most one picture, outside an array.
            package var isSingle = false
            /// A picture's id, relative to its element.
            package var id: JSONPointer?
            /// A picture's address, relative to its element; `nil` if the element is the address.
            package var url: JSONPointer?
            /// The address of its thumbnail, relative to its element.
            package var thumbnail: JSONPointer?
            /// A separate array of thumbnails, in the order of the pictures.
            package var thumbnails: JSONPointer?
        }

        /// The location of pictures in a request.
        package struct Written: Equatable, Sendable {
            package var place = JSONPointer.whole
            /// Whether there is at most one picture, outside an array.
            package var isSingle = false
            /// The location of a new picture, relative to its element.
            package var new: JSONPointer?
            /// The location of the id of a kept picture, relative to its element.
            package var kept: JSONPointer?
        }

        /// A request with the bytes of a picture: before its product, or to an existing one.
        package struct Upload: Equatable, Sendable {
            var method = Method.post
            var path = Template.empty
            var origin = Origin.base
            var body = Body.raw
            /// The name of the part that contains the bytes.
            package var part: String?
            /// The location of the reference in the answer.
            package var answer = JSONPointer.whole
            package var kind = Identity.ID.Kind.text
            /// How many hours the reference is valid.
            var hours: Int?

            /// The address that a path is relative to.
            enum Origin: String, ClosedList {
                case root
                case base
            }

            enum Body: String, ClosedList {
                case raw
                case parts
            }
        }

    }
}

// MARK: - Tables

extension MarketCapabilities.PictureStyle: ClosedList {}

extension MarketDescription.Pictures: DescriptionSection {
    static var title: String { "pictures" }

    static var keys: [SectionKey<Self>] {
        [
            .required("style", \.style, .choice, "How pictures are sent; `none` if they are only read."),
            .optional("part", \.part, .text(.part), "The name of the part that holds a picture."),
            .optional("read", \.shown, .section, "Their place in reads."),
            .optional("write", \.written, .section, "Their place in writes."),
            .optional(
                "upload",
                \.upload,
                .section,
                "The request that takes the bytes of a picture before its product."
            ),
            .optional(
                "attach",
                \.attach,
                .section(Upload.attach),
                "The request that adds a picture to a product that exists."
            ),
            .optional(
                "change",
                \.change,
                .choice,
                "The effect of a change of pictures: the product keeps its id, or a new product replaces it."
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
                "The way to remove all pictures: impossible, an empty list, or a value in their place."
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
            .required("at", \.place, .pointer, "Their place: an array, or one picture."),
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
                "A separate array of thumbnails, in the order of the pictures."
            ),
        ]
    }

    static var rules: [SectionRule] { [.atMostOne(["thumbnail", "thumbnails"]), .atMostOne(["one", "thumbnails"])] }
}

extension MarketDescription.Pictures.Written: DescriptionSection {
    static var title: String { "pictures.write" }

    static var keys: [SectionKey<Self>] {
        [
            .required("at", \.place, .pointer, "Their place."),
            .standard("one", \.isSingle, .boolean, "There is one at the most, and no array."),
            .optional("new", \.new, .pointer, "A new picture's place in its element."),
            .optional("kept", \.kept, .pointer, "The place of a kept picture's id, in its element."),
        ]
    }
}

extension MarketDescription.Pictures.Upload: DescriptionSection {
    static var title: String { "pictures.upload" }

    static var keys: [SectionKey<Self>] {
        keys(path: "Its path.") + [
            .required("answer", \.answer, .pointer, "The reference's place in the answer."),
            .standard("as", \.kind, .choice, "The type of the reference; `text` without this key."),
            .optional("hours", \.hours, .whole(1...8760), "How long the reference is valid."),
        ]
    }
}

extension MarketDescription.Pictures.Upload {
    fileprivate static var attach: Section<Self> {
        Section("pictures.attach", Self(), keys(path: "Its path, which names `{id}`."))
    }

    private static func keys(path: String) -> [SectionKey<Self>] {
        [
            .standard("method", \.method, .writing, "Its method; `POST` without this key."),
            .required("path", \.path, .path, path),
            .standard("from", \.origin, .choice, "The path is relative to this: the base, or the market's address."),
            .required("body", \.body, .choice, "How the bytes are sent."),
            .optional("part", \.part, .text(.part), "The name of the part that holds them."),
        ]
    }
}
