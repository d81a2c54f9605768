import OpenMarket

/// What a plan comes to: listings, prices, pictures.
struct PlanImpact: Hashable, Sendable {
    /// A move of one product's price.
    struct Move: Hashable, Sendable {
        /// The product.
        var key: String
        /// What the product is called, where that is known.
        var name: String?
        /// How far the price moves, in hundredths of a percent.
        var basisPoints: Int64

        /// A move.
        init(key: String, name: String?, basisPoints: Int64) {
            self.key = key
            self.name = name
            self.basisPoints = basisPoints
        }
    }

    /// The moves of prices that a plan makes.
    struct PriceMoves: Hashable, Sendable {
        /// How many prices move.
        var count: Int
        /// The move in the middle, in hundredths of a percent; of two in the middle the lower one.
        var median: Int64
        /// The lowest move: the largest reduction, or the smallest rise.
        var lowest: Move
        /// The highest move.
        var highest: Move

        init?(_ moves: [Move], count: Int) {
            let sorted = moves.sorted { ($0.basisPoints, $0.key) < ($1.basisPoints, $1.key) }
            guard let lowest = sorted.first, let highest = sorted.last else { return nil }
            self.count = count
            self.lowest = lowest
            self.highest = highest
            median = sorted[(sorted.count - 1) / 2].basisPoints
        }
    }

    /// Listings that buyers see for the first time.
    var appearing = 0
    /// Listings that stay and change; replaced ones among them.
    var changing = 0
    /// Listings that go.
    var leaving = 0
    /// How prices move; `nil` where none does, or only from 0.
    var prices: PriceMoves?
    /// Picture files to be sent; one that several products have counts for each.
    var pictures = 0
    /// Their bytes.
    var pictureBytes = 0

    init(_ items: [PlanReview.Item]) {
        var moves: [Move] = []
        var moving = 0
        for item in items {
            switch item.operation.action {
            case .create: appearing += 1
            case .update, .replace: changing += 1
            case .delete: leaving += 1
            case .adopt, .forget: break
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
