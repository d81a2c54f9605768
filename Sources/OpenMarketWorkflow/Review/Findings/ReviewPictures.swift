import OpenMarket

/// The pictures that a review shows, or why it does not.
package struct ReviewPictures: Sendable {
    /// What is shown of a picture.
    enum View: Hashable, Sendable {
        /// The picture, and what to say of it.
        case shown([UInt8], PictureFormat, remark: String?)
        /// Why it is not there.
        case missing(String)
    }

    /// What a page takes in.
    package struct Budget: Hashable, Sendable {
        /// The largest picture in bytes.
        var each: Int
        /// All of them together.
        var total: Int

        /// A budget: unless given, 500 kB for each and 8 MB together, which a browser opens at once.
        init(each: Int = 500_000, total: Int = 8_000_000) {
            self.each = each
            self.total = total
        }
    }

    private var views: [PictureMove.Side: View] = [:]
    private let budget: Budget
    private var rest: Int
    /// The part of the room that is kept for later pictures.
    private var reserve = 0

    /// No pictures yet.
    init(budget: Budget = Budget()) {
        self.budget = budget
        rest = budget.total
    }

    /// Whether there is room for more.
    var isFull: Bool { rest <= reserve }

    /// Keeps a share of the room for pictures that come later, or gives it to those that come now.
    mutating func reserve(_ isReserved: Bool) { reserve = isReserved ? budget.total / 4 : 0 }

    /// What is shown of a picture.
    subscript(side: PictureMove.Side) -> View { views[side] ?? .missing(Self.full) }

    /// Says why a picture is not shown.
    mutating func leaveOut(_ side: PictureMove.Side, because reason: String) { views[side] = .missing(reason) }

    /// Takes a picture in, if it is one and there is room.
    mutating func add(_ side: PictureMove.Side, _ bytes: [UInt8], remark: String? = nil) {
        guard let format = PictureFormat(head: bytes.prefix(8)) else {
            return leaveOut(side, because: "neither JPEG nor PNG")
        }
        guard bytes.count <= budget.each else {
            return leaveOut(side, because: Self.tooLarge(bytes.count))
        }
        guard bytes.count <= rest - reserve else { return leaveOut(side, because: Self.full) }
        rest -= bytes.count
        views[side] = .shown(bytes, format, remark: remark)
    }

    /// Why a picture is left out that is larger than any may be.
    static func tooLarge(_ byteCount: Int) -> String { "too large for the page: \(byteCount) bytes" }

    private static let full = "not in the page, which has as many pictures as it may"
}

extension PlanReview {
    /// The pictures of both sides, in the order of the review, each once.
    var pictures: [PictureMove.Side] { pictureRounds.flatMap(\.self) }

    /// The same in the order in which they are worth their room: those that change, then one of every other product, then
    /// further ones of products that are new.
    var pictureRounds: [[PictureMove.Side]] {
        var seen: Set<PictureMove.Side> = []
        func unseen(_ sides: some Sequence<PictureMove.Side?>) -> [PictureMove.Side] {
            sides.compactMap(\.self).filter { seen.insert($0).inserted }
        }
        let moves = items.lazy.map(\.operation)
        return [
            unseen(
                moves.filter { [.update, .replace].contains($0.action) }.flatMap(\.pictureMoves).flatMap {
                    [$0.before, $0.after]
                }
            ),
            unseen(moves.map(\.emblem)),
            unseen(moves.flatMap(\.pictureMoves).flatMap { [$0.before, $0.after] }),
        ]
    }
}
