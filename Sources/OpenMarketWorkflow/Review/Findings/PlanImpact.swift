import OpenMarket

/// The summary of a plan: listings, prices, pictures.
struct PlanImpact: Hashable, Sendable {
    struct Move: Hashable, Sendable {
        var key: String
        var name: String?
        /// The change of the price in hundredths of a percent.
        var basisPoints: Int64
    }

    struct PriceMoves: Hashable, Sendable {
        var count: Int
        /// The lowest move: the largest reduction, or the smallest rise.
        var lowest: Move
        var highest: Move

        init?(_ moves: [Move], count: Int) {
            let sorted = moves.sorted { ($0.basisPoints, $0.key) < ($1.basisPoints, $1.key) }
            guard let lowest = sorted.first, let highest = sorted.last else { return nil }
            self.count = count
            self.lowest = lowest
            self.highest = highest
        }
    }

    /// Listings that buyers see for the first time.
    var appearing = 0
    /// Listings that stay and change, including replaced ones.
    var changing = 0
    var leaving = 0
    /// `nil` if no price moves, or all that move were 0.
    var prices: PriceMoves?
    /// Picture files to send; a file that several products share counts for each.
    var pictures = 0
    var pictureBytes = 0

    init(_ items: [PlanReview.Item]) {
        var moves: [Move] = []
        var moving = 0
        for item in items {
            switch item.operation.action {
            case .create: appearing += 1
            case .update, .replace: changing += 1
            case .delete: leaving += 1
            case .adopt, .forget, .rename: break
            }
            if let move = item.move {
                moving += 1
                if let points = move.basisPoints {
                    moves.append(Move(key: item.operation.key, name: item.operation.name, basisPoints: points))
                }
            }
            pictures += item.operation.pictures.count
            pictureBytes += item.operation.pictures.reduce(0) { $0 + $1.byteCount }
        }
        prices = PriceMoves(moves, count: moving)
    }
}
