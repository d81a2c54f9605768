import OpenMarket

/// The products seen in each pass over a list.
///
/// Numbers are never reused. So a product seen in a pass before a moment and in one after it existed at that moment, in
/// whatever order the pages showed it. If the market counted as many products at that moment, they are all of them.
struct SeenIDs {
    enum Novelty {
        case new
        case earlier
        case repeated
    }

    /// The products of the first pass while each is older than the previous one.
    ///
    /// Then none occurs twice, and no lookup is necessary.
    private var falling: [Int64] = []
    /// The last pass that showed each numeric id, after the order broke or a second pass began; ``texts`` has the other
    /// ids.
    private var numbers: [Int64: UInt16] = [:]
    private var texts: [MarketID: UInt16] = [:]
    /// The last pass that showed each row without a readable number, by a digest of its bytes.
    private var unreadableRows: [UInt64: UInt16] = [:]
    private var pass: UInt16 = 0
    /// The market's total at the beginning of each pass.
    private var totals: [Int?] = [nil]
    /// For each pass, the number of rows seen both before it and in or after it.
    private var spanning = [0]
    private var distinctProducts = 0

    var count: Int { falling.count + numbers.count + texts.count + unreadableRows.count }

    mutating func beginPass() {
        pass += 1
        totals.append(nil)
        spanning.append(0)
        distinctProducts = 0
    }

    mutating func noteTotal(_ total: Int) { totals[Int(pass)] = total }

    mutating func see(_ id: MarketID) -> Novelty {
        let novelty =
            if case .number(let number) = id { see(number) } else { note(texts.updateValue(pass, forKey: id)) }
        if novelty != .repeated { distinctProducts += 1 }
        return novelty
    }

    private mutating func see(_ number: Int64) -> Novelty {
        if pass == 1, numbers.isEmpty, falling.last.map({ number < $0 }) ?? true {
            falling.append(number)
            return .new
        }
        if !falling.isEmpty {
            numbers = Dictionary(falling.lazy.map { ($0, 1) }) { _, _ in 1 }
            falling = []
        }
        return note(numbers.updateValue(pass, forKey: number))
    }

    mutating func see(unreadableRow: UInt64) {
        _ = note(unreadableRows.updateValue(pass, forKey: unreadableRow))
    }

    /// Counts a row for the moments between the last pass that showed it and this one.
    private mutating func note(_ last: UInt16?) -> Novelty {
        guard let last else { return .new }
        guard last != pass else { return .repeated }
        for moment in Int(last) + 1...Int(pass) { spanning[moment] += 1 }
        return .earlier
    }

    /// The number of different rows in this pass, including the given number of unreadable ones.
    func distinct(countingEachOf unreadableRows: Int) -> Int { distinctProducts + unreadableRows }

    /// Whether, at the beginning of some pass, the list was exactly the rows seen both before and after.
    var coverAMoment: Bool {
        zip(totals, spanning).contains { total, seen in total.map { $0 > 0 && seen >= $0 } ?? false }
    }
}
