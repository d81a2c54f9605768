import OpenMarket

/// The pictures that a review shows, or the reasons that it does not show them.
package struct ReviewPictures: Sendable {
    enum View: Hashable, Sendable {
        /// The bytes, and a remark to print next to the picture.
        case shown([UInt8], PictureFormat, remark: String?)
        case missing(String)
    }

    package struct Budget: Hashable, Sendable {
        /// The size limit of one picture in bytes.
        var each: Int = 500_000
        /// The size limit of all pictures together in bytes.
        var total: Int = 8_000_000
    }

    private var views: [PictureMove.Side: View] = [:]
    private let budget: Budget
    private var rest: Int
    /// The pictures that count towards the budget.
    private var contents: Set<[UInt8]> = []
    /// The bytes of the budget that are kept for later pictures.
    private var reserve = 0

    init(budget: Budget = Budget()) {
        self.budget = budget
        rest = budget.total
    }

    var isFull: Bool { rest <= reserve }

    /// Reserves a quarter of the budget for later pictures, or releases it for the current ones.
    mutating func reserve(_ isReserved: Bool) { reserve = isReserved ? budget.total / 4 : 0 }

    subscript(side: PictureMove.Side) -> View { views[side] ?? .missing(Self.full) }

    mutating func leaveOut(_ side: PictureMove.Side, because reason: String) { views[side] = .missing(reason) }

    /// Adds the bytes if they are a picture and fit into the budget.
    mutating func add(_ side: PictureMove.Side, _ bytes: [UInt8], remark: String? = nil) {
        guard let format = PictureFormat(head: bytes.prefix(8)) else {
            return leaveOut(side, because: "neither JPEG nor PNG")
        }
        guard bytes.count <= budget.each else {
            return leaveOut(side, because: Self.tooLarge(bytes.count))
        }
        if !contents.contains(bytes) {
            guard bytes.count <= rest - reserve else { return leaveOut(side, because: Self.full) }
            rest -= bytes.count
        }
        let bytes = contents.insert(bytes).memberAfterInsert
        views[side] = .shown(bytes, format, remark: remark)
    }

    static func tooLarge(_ byteCount: Int) -> String { "too large for the page: \(byteCount) bytes" }

    private static let full = "not in the page, which has as many pictures as it may"
}

extension PlanReview {
    /// The pictures of both sides in the order of the review, without duplicates.
    var pictures: [PictureMove.Side] { pictureRounds.flatMap(\.self) }

    /// The same pictures in rounds, most important first.
    ///
    /// Pictures that change come first, then one of every other product, then further ones of new products.
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
