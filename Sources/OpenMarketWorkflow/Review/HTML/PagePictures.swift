import FoundationEssentials
import OpenMarket

/// The pictures of a page as values for its templates.
///
/// A large picture is in the page once; other products that show it refer to it.
///
/// The names differ from those of operations: Mustache looks up a missing name in the surrounding context.
struct PagePictures {
    private let pictures: ReviewPictures
    /// The product that shows a picture first.
    private var places: [PictureMove.Side: (link: String, label: String)] = [:]

    /// The pictures that are shown beside a name already.
    private var emblems: Set<PictureMove.Side> = []
    /// How many more bytes of repeated pictures may be shown beside names.
    private var room = 1_000_000

    init(_ pictures: ReviewPictures) {
        self.pictures = pictures
    }

    /// The picture beside a product's name; `nil` if the page does not have it, or if repeats take too many bytes.
    ///
    /// A picture with a remark is shown among the others instead.
    mutating func emblem(_ side: PictureMove.Side?) -> Any? {
        guard let side, case .shown(let bytes, let format, nil) = pictures[side] else { return nil }
        if !emblems.insert(side).inserted {
            guard bytes.count <= room else { return nil }
            room -= bytes.count
        }
        return Encoded(bytes: bytes, format: format)
    }

    /// Both sides of a picture's position, and whether one can be laid over the other.
    ///
    /// The link is the fragment of the product's address.
    mutating func values(_ move: PictureMove, link: String, label: String) -> [String: Any] {
        let place = move.place.map { "picture \($0)" } ?? "thumbnail"
        var sides: [[String: Any]] = []
        for (name, side) in [("before", move.before), ("after", move.after)] {
            guard let side else { continue }
            var values = values(side, name, place)
            if values["data"] != nil {
                if let first = places[side] {
                    values["data"] = nil
                    values["elsewhere"] = ["target": first.link, "product": first.label]
                } else {
                    places[side] = (link, label)
                }
            }
            sides.append(values)
        }
        return [
            "sides": sides, "isAlone": sides.count == 1,
            "swipes": sides.count == 2 && sides.allSatisfy { $0["data"] != nil },
        ]
    }

    private func values(_ side: PictureMove.Side, _ name: String, _ place: String) -> [String: Any] {
        // The market makes up its own names for pictures.
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
                reason.prefix(1).uppercased() + reason.dropFirst()
                + (side.digest.map { " (sha256 \($0.abbreviated))" } ?? "")
        }
        return values
    }

    /// A picture as a `data:` URL; encoded when the page is written.
    private struct Encoded: CustomStringConvertible {
        let bytes: [UInt8]
        let format: PictureFormat

        var description: String { "data:\(format.mediaType);base64,\(Data(bytes).base64EncodedString())" }
    }
}
