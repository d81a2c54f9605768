import FoundationEssentials
import OpenMarket

/// The pictures of a page as values for its templates.
///
/// The page contains each picture once. If the picture is next to a product's name, the page's script copies it to the
/// large view; otherwise it is in that view. Other products refer to that view.
///
/// The names differ from those of operations: Mustache looks up a missing name in the surrounding context.
struct PagePictures {
    private let pictures: ReviewPictures
    /// The product that shows a picture first, by the picture's bytes.
    private var places: [[UInt8]: (link: String, label: String)] = [:]
    /// The numbers of the pictures already next to a name, by their bytes.
    private var mainPictures: [[UInt8]: Int] = [:]

    init(_ pictures: ReviewPictures) {
        self.pictures = pictures
    }

    /// The picture next to a product's name, or the reason that it is missing.
    ///
    /// A picture with a remark is shown among the others instead.
    mutating func mainPicture(_ side: PictureMove.Side?) -> (picture: Any?, vacant: String?) {
        guard let side else { return (nil, "No picture") }
        switch pictures[side] {
        case .missing(let reason): return (nil, Self.sentence(reason))
        case .shown(_, _, let remark?): return (nil, remark)
        case .shown(let bytes, let format, nil):
            let known = mainPictures[bytes]
            let number = known ?? mainPictures.count
            mainPictures[bytes] = number
            // No key begins with a question mark.
            var values: [String: Any] = ["part": "?\(number)"]
            if known == nil { values["data"] = Encoded(bytes: bytes, format: format) }
            return (values, nil)
        }
    }

    /// Both sides of a picture's position, and whether one can be laid over the other.
    ///
    /// `link` is the fragment of the product's address.
    mutating func values(_ move: PictureMove, link: String, label: String) -> [String: Any] {
        let place = move.place.map { "picture \($0)" } ?? "thumbnail"
        var sides: [[String: Any]] = []
        for (name, side) in [("before", move.before), ("after", move.after)] {
            guard let side else { continue }
            var values = values(side, name, place)
            if case .shown(let bytes, _, _) = pictures[side] {
                if let first = places[bytes] {
                    values["data"] = nil
                    values["elsewhere"] = ["target": first.link, "product": first.label]
                } else {
                    places[bytes] = (link, label)
                    if let number = mainPictures[bytes] {
                        values["data"] = nil
                        values["copied"] = "?\(number)"
                    }
                }
            }
            sides.append(values)
        }
        return [
            "sides": sides, "isAlone": sides.count == 1,
            "swipes": sides.count == 2 && sides.allSatisfy { $0["data"] != nil || $0["copied"] != nil },
        ]
    }

    private func values(_ side: PictureMove.Side, _ name: String, _ place: String) -> [String: Any] {
        // The market assigns its own names to pictures.
        let file = side.file?.path.abbreviated(to: 80)
        var values: [String: Any] = ["side": name, "alt": "\(place) \(name)" + (file.map { ": \($0)" } ?? "")]
        // Most products have one picture.
        if place != "picture 1" { values["spot"] = place }
        values["file"] = file
        switch pictures[side] {
        case .shown(let bytes, let format, let remark):
            // Encoded only if it is the first.
            values["data"] = Encoded(bytes: bytes, format: format)
            values["size"] = byteCount(bytes.count)
            values["doubt"] = remark
        case .missing(let reason):
            values["size"] = side.file.map { "\(byteCount($0.byteCount)), \($0.width) × \($0.height)" }
            values["missing"] =
                Self.sentence(reason)
                + (side.digest.map { " (sha256 \($0.abbreviated))" } ?? "")
        }
        return values
    }

    private static func sentence(_ reason: String) -> String { reason.prefix(1).uppercased() + reason.dropFirst() }

    /// A picture as a `data:` URL; encoded when the page is written.
    private struct Encoded: CustomStringConvertible {
        let bytes: [UInt8]
        let format: PictureFormat

        var description: String { "data:\(format.mediaType);base64,\(Data(bytes).base64EncodedString())" }
    }
}
