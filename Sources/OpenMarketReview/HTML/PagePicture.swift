import FoundationEssentials
import OpenMarket

/// The pictures of a place as the values that the page's templates show.
enum PagePicture {
    static func values(_ move: PictureMove, _ pictures: ReviewPictures) -> [String: Any] {
        let place = move.place.map { "picture \($0)" } ?? "thumbnail"
        let sides = [("before", move.before), ("after", move.after)].compactMap { name, side in
            side.map { values($0, name, place, pictures[$0]) }
        }
        return [
            "sides": sides, "isAlone": sides.count == 1,
            "swipes": sides.count == 2 && sides.allSatisfy { $0["source"] != nil },
        ]
    }

    private static func values(
        _ side: PictureMove.Side,
        _ name: String,
        _ place: String,
        _ view: ReviewPictures.View
    ) -> [String: Any] {
        // The market's names for pictures are made up by it.
        let file = side.file?.path.abbreviated(to: 80)
        var values: [String: Any] = ["side": name, "alt": "\(place) \(name)" + (file.map { ": \($0)" } ?? "")]
        // Most products have one picture.
        if place != "picture 1" { values["place"] = place }
        values["name"] = file
        switch view {
        case .shown(let bytes, let format, let remark):
            values["source"] = "data:\(format.mediaType);base64,\(Data(bytes).base64EncodedString())"
            values["size"] = byteCount(bytes.count)
            values["remark"] = remark
        case .missing(let reason):
            values["size"] = side.file.map { "\(byteCount($0.byteCount)), \($0.width) × \($0.height)" }
            values["missing"] =
                reason.prefix(1).uppercased() + reason.dropFirst()
                + (side.digest.map { " (sha256 \($0.abbreviated))" } ?? "")
        }
        return values
    }
}
