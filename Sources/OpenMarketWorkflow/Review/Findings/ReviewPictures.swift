import OpenMarket

/// The pictures that a review shows, or the reasons that it does not show them.
package struct ReviewPictures: Sendable {
    enum View: Hashable, Sendable {
        /// The bytes, and a remark to print next to the picture.
        case shown([UInt8], PictureFormat, remark: String?)
        case missing(String)
    }

    struct Budget: Hashable, Sendable {
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

    init(budget: Budget = Budget()) {
        self.budget = budget
        rest = budget.total
    }

    var isFull: Bool { rest <= 0 }

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
            guard bytes.count <= rest else { return leaveOut(side, because: Self.full) }
            rest -= bytes.count
        }
        let bytes = contents.insert(bytes).memberAfterInsert
        views[side] = .shown(bytes, format, remark: remark)
    }

    static func tooLarge(_ byteCount: Int) -> String { "too large for the page: \(byteCount) bytes" }

    private static let full = "not in the page, which has as many pictures as it may"
}

extension PlanReview {
    /// The pictures of both sides without duplicates, most important first.
    ///
    /// Pictures that change come first, then one of every other product, then further ones of new products.
    var pictures: [PictureMove.Side] {
        let operations = items.map(\.operation)
        func sides(_ operations: [PlannedOperation]) -> [PictureMove.Side?] {
            operations.flatMap(\.pictureMoves).flatMap { [$0.before, $0.after] }
        }
        let changing = sides(operations.filter { [.update, .replace].contains($0.action) })
        var seen: Set<PictureMove.Side> = []
        return (changing + operations.map(\.mainPicture) + sides(operations)).compactMap(\.self).filter {
            seen.insert($0).inserted
        }
    }
}
